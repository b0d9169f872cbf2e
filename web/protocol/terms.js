// The interface intermediate language as text: `goTo(pos(1,2),fast)`. It parses what it prints.

/** @import { Parameter } from "./protocol.js" */

/** An action, a percept or a function: they have the same form. @typedef {import("./protocol.js").Function} Term */

/** @typedef {{ [name: string]: Parameter }} Parameters */

/**
 * @param {Parameter} parameter
 * @returns {string}
 */
export function printParameter(parameter) {
  if (typeof parameter === "string") return isTruthValue(parameter) ? quoted(parameter) : printName(parameter);
  if (typeof parameter !== "object") return String(parameter);
  if (Array.isArray(parameter)) return `[${printAll(parameter)}]`;
  if ("numeral" in parameter) return parameter.numeral;
  return `${printName(parameter.name)}(${printAll(parameter.args ?? [])})`;
}

/**
 * Prints an action or a percept; without parameters, only its name.
 * @param {Term} term
 */
export function printTerm({ name, args = [] }) {
  return args.length === 0 ? printName(name) : `${printName(name)}(${printAll(args)})`;
}

/**
 * Prints parameters for people, separated by blanks, at which lines can break.
 * @param {Parameter[]} parameters
 */
export function printParameters(parameters) {
  return parameters.map(printParameter).join(", ");
}

/**
 * Parses a parameter. Names may also begin with an upper-case letter, and be in double quotes.
 * @param {string} text
 * @returns {Parameter}
 * @throws {SyntaxError} with the expected and the found text
 */
export function readParameter(text) {
  const reader = new Reader(text);
  const parameter = reader.parameter(0);
  reader.expect(/$/y, "the end");
  return parameter;
}

const DEEPEST = 48;

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text.trim();
    this.at = 0;
  }

  /**
   * @param {number} depth
   * @returns {Parameter}
   */
  parameter(depth) {
    if (depth > DEEPEST) throw new SyntaxError(`at most ${DEEPEST} levels of lists and functions`);
    if (this.accept(/\[/y)) return this.parametersUntil(/\]/y, "`]`", depth);
    const number = this.accept(/-?\d+(\.\d+)?([eE][+-]?\d+)?(?![\w.])/y);
    if (number !== null) return Number(number);
    const bare = this.accept(/[\p{L}_][\p{L}\p{N}_]*/uy);
    if (bare !== null && isTruthValue(bare) && !this.isNext(/\(/y)) return bare === "true";
    const name = bare ?? this.quotedName();
    if (name === null) throw this.unexpected("a name, a number, `[`, true or false");
    return this.accept(/\(/y) ? { name, args: this.parametersUntil(/\)/y, "`)`", depth) } : name;
  }

  /**
   * @param {RegExp} end
   * @param {string} endInWords
   * @param {number} depth
   */
  parametersUntil(end, endInWords, depth) {
    /** @type {Parameter[]} */
    const parameters = [];
    if (this.accept(end) !== null) return parameters;
    do parameters.push(this.parameter(depth + 1));
    while (this.accept(/,/y) !== null);
    this.expect(end, `\`,\` or ${endInWords}`);
    return parameters;
  }

  quotedName() {
    const name = this.accept(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy);
    return name === null ? null : name.slice(1, -1).replace(/\\(.)/gs, (_, escaped) => ESCAPES[escaped] ?? escaped);
  }

  /**
   * Reads this pattern, if it follows; skips blanks before it.
   * @param {RegExp} pattern a sticky one
   */
  accept(pattern) {
    this.skipBlanks();
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (!match) return null;
    this.at += match[0].length;
    return match[0];
  }

  /** @param {RegExp} pattern a sticky one */
  isNext(pattern) {
    const before = this.at;
    const found = this.accept(pattern) !== null;
    this.at = before;
    return found;
  }

  /**
   * @param {RegExp} pattern
   * @param {string} inWords
   */
  expect(pattern, inWords) {
    if (this.accept(pattern) === null) throw this.unexpected(inWords);
  }

  /** @param {string} expected */
  unexpected(expected) {
    this.skipBlanks();
    const found = this.at < this.text.length ? `\`${this.text.slice(this.at, this.at + 20)}\`` : "the end";
    return new SyntaxError(`expected ${expected}, found ${found}`);
  }

  skipBlanks() {
    while (/\s/.test(this.text.charAt(this.at))) this.at += 1;
  }
}

/** @type {{ [letter: string]: string }} */
const ESCAPES = { n: "\n", t: "\t", r: "\r" };

/** @param {Parameter[]} parameters */
function printAll(parameters) {
  return parameters.map(printParameter).join(",");
}

/** @param {string} name */
function printName(name) {
  return /^[a-z][A-Za-z0-9_]*$/.test(name) ? name : quoted(name);
}

/** @param {string} name */
function quoted(name) {
  return `'${name.replace(/['\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t").replace(/\r/g, "\\r")}'`;
}

/** @param {string} name */
function isTruthValue(name) {
  return name === "true" || name === "false";
}
