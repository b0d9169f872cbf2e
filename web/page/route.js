// The view in the address of the page: `#/`, `#/find-goals`, `#/find-goals/red`, and for players
// `#/find-goals/red/play`. A link for a player can end with its token, as `?token=...`.

/** @typedef {{ environment: string, entity: string, page: string, token: string }} Route */

/**
 * @param {string} environment
 * @param {string} [entity]
 */
export function addressOf(environment, entity = "") {
  const parts = [environment, entity].filter((part) => part !== "");
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/**
 * The address of the page for the player of an entity.
 * @param {string} environment
 * @param {string} entity
 */
export function playAddress(environment, entity) {
  return `${addressOf(environment, entity)}/play`;
}

/**
 * @param {string} hash
 * @returns {Route}
 */
export function readAddress(hash) {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [environment = "", entity = "", page = ""] = path.split("/").map(decode);
  return { environment, entity, page, token: new URLSearchParams(query).get("token") ?? "" };
}

/** Whether this is the address of the messages between agents: `#messages`. @param {string} hash */
export function isMessages(hash) {
  return hash.split("?")[0] === "#messages";
}

/** A mistyped address causes no error. @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
