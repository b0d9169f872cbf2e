// The document that the user was editing, so that nothing is lost when the page is left.

/** @param {string} kind @param {string} document */
const place = (kind, document) => `situated-draft-${kind}-${document}`;

/** @param {string} kind @param {string} document @param {string} text */
export function rememberDraft(kind, document, text) {
  try {
    localStorage.setItem(place(kind, document), text);
  } catch {
    // Without storage, or when it is full, there is no draft.
  }
}

/** @param {string} kind @param {string} document */
export function rememberedDraft(kind, document) {
  try {
    return localStorage.getItem(place(kind, document)) ?? "";
  } catch {
    return "";
  }
}
