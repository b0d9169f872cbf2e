// The versions of a document in an editor, for undo and redo.

/** Maximum number of versions that are kept. */
const VERSIONS = 200;

/** @template T a value that can be copied as JSON */
export class EditHistory {
  /** @param {T} first */
  constructor(first) {
    /** @type {string[]} */
    this.versions = [JSON.stringify(first)];
    this.at = 0;
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at + 1 < this.versions.length;
  }

  /** Adds a version, unless it equals the current one. @param {T} version @returns {boolean} whether it was added */
  add(version) {
    const text = JSON.stringify(version);
    if (text === this.versions[this.at]) return false;
    this.versions.splice(this.at + 1, Infinity, text);
    if (this.versions.length > VERSIONS) this.versions.shift();
    this.at = this.versions.length - 1;
    return true;
  }

  /** Goes to the version before (-1) or after (1). @param {number} by @returns {T} */
  go(by) {
    this.at = Math.min(Math.max(this.at + by, 0), this.versions.length - 1);
    return JSON.parse(/** @type {string} */ (this.versions[this.at]));
  }
}
