// The view in the address of the page: `#/`, `#/find-goals`, `#/find-goals/red`.

/** @typedef {{ environment: string, entity: string }} Route */

/**
 * @param {string} environment
 * @param {string} [entity]
 */
export function addressOf(environment, entity = "") {
  const parts = [environment, entity].filter((part) => part !== "");
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/**
 * @param {string} hash
 * @returns {Route}
 */
export function readAddress(hash) {
  const [environment = "", entity = ""] = hash.replace(/^#\/?/, "").split("/").map(decode);
  return { environment, entity };
}

/** A mistyped address causes no error. @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
