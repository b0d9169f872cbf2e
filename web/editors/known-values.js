// The values of a parameter that environments of a kind know by name, such as the maps that ship with them.

/** @import { Session } from "../protocol/session.js" */

import { element } from "../page/element.js";

/**
 * Adds the known values of a parameter to a list, once there is a connection.
 * @param {HTMLSelectElement} list
 * @param {Session} session
 * @param {string} kind the kind of environments
 * @param {string} parameter
 */
export async function offerKnownValues(list, session, kind, parameter) {
  if (session.standing.phase !== "greeted" || list.dataset["offers"] === parameter) return;
  list.dataset["offers"] = parameter;
  const { ontology } = await session.call("describeKind", { kind });
  const names = ontology.parameters.find(({ name }) => name === parameter)?.names ?? [];
  list.append(...names.map((name) => element("option", { value: name }, name)));
}
