// What is shown, as the address of the page says it: `#/`, `#/find-goals`, `#/find-goals/red`.

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

/** An address that somebody has mistyped leads nowhere, but breaks nothing. @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
