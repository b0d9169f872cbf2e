// The views for people who prepare environments, by their kind: the editors of documents, and classes: `#make/bw4t/map`.

/** @import { Session } from "../protocol/session.js" */

import { ClassView } from "./class-view.js";
import { MapEditor } from "./map-editor.js";
import { TeamEditor } from "./team-editor.js";

/** @typedef {MapEditor | TeamEditor | ClassView} Editor */

/** @type {{ [kind: string]: { [document: string]: { label: string, make: (session: Session, kind: string) => Editor } } }} */
const EDITORS = {
  bw4t: {
    map: { label: "Make a map", make: (session, kind) => new MapEditor(session, kind) },
    team: { label: "Make a team", make: (session, kind) => new TeamEditor(session, kind) },
    class: { label: "Teach a class", make: (session, kind) => new ClassView(session, kind) },
  },
};

/** @param {string} kind */
export function editorsOf(kind) {
  return Object.entries(EDITORS[kind] ?? {}).map(([document, { label }]) => ({ label, address: `#make/${encodeURIComponent(kind)}/${document}` }));
}

/**
 * Returns the editor of an address, or null if the address belongs to no editor.
 * @param {Session} session
 * @param {string} hash
 */
export function editorAt(session, hash) {
  const [make, kind = "", document = ""] = hash.replace(/^#/, "").split("/");
  return make === "make" ? (EDITORS[kind]?.[document]?.make(session, kind) ?? null) : null;
}
