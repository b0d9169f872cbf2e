// The views for people who prepare environments, by their kind: the editors of documents, and classes:
// `#make/bw4t/map`.

/** @import { View } from "../page/view.js" */
/** @import { Session } from "../protocol/session.js" */

import { ClassView } from "./class-view.js";
import { MapEditor } from "./map-editor.js";
import { TeamEditor } from "./team-editor.js";

/** @typedef {{ label: string, Editor: new (session: Session, kind: string) => View }} Entry */

/** @type {{ [kind: string]: { [document: string]: Entry } }} */
const EDITORS = {
  bw4t: {
    map: { label: "Make a map", Editor: MapEditor },
    team: { label: "Make a team", Editor: TeamEditor },
    class: { label: "Teach a class", Editor: ClassView },
  },
};

/** @param {string} kind */
export function editorsOf(kind) {
  return Object.entries(EDITORS[kind] ?? {}).map(([document, { label }]) => ({
    label, address: `#make/${encodeURIComponent(kind)}/${document}`,
  }));
}

/**
 * Returns the editor of an address, or null if the address belongs to no editor.
 * @param {Session} session
 * @param {string} hash
 */
export function editorAt(session, hash) {
  const [make, kind = "", document = ""] = hash.replace(/^#/, "").split("/");
  const Editor = make === "make" && EDITORS[kind]?.[document]?.Editor;
  return Editor ? new Editor(session, kind) : null;
}
