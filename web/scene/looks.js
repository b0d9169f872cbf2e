// The look of entities for people: a colour and a sign for each, the same in the scene and in messages.

/** @import { Color, Parameter } from "../protocol/protocol.js" */

import { inkOn } from "./label.js";
import { printParameter } from "../protocol/terms.js";

/**
 * Colours that are told apart in light and dark, by people with colour-blindness too, and need no white text.
 * @type {Color[]}
 */
const COLORS = [
  [194, 65, 12],
  [79, 70, 201],
  [6, 112, 80],
  [157, 23, 104],
  [14, 105, 160],
  [120, 83, 8],
  [108, 40, 160],
  [75, 85, 99],
];

/** Maximum number of letters of a sign. */
const MOST_LETTERS = 3;

/** @typedef {{ name: string, sign: string, color: string, ink: string }} Look */

export class Looks {
  /** By name, in the order in which they were first seen. @type {Map<string, Look>} */
  known = new Map();

  /**
   * Returns the look of an entity.
   * @param {Parameter} standsFor the entity's name, or its number
   * @returns {Look}
   */
  of(standsFor) {
    const name = nameOf(standsFor);
    const known = this.known.get(name);
    if (known) return known;
    const color = /** @type {Color} */ (COLORS[this.known.size % COLORS.length]);
    const look = { name, sign: this.signOf(name), color: css(color), ink: inkOn(color) };
    this.known.set(name, look);
    return look;
  }

  /**
   * As few letters as tell it from the others, and the number at the end of its name: `B1` for `Bot_1`.
   * @param {string} name
   */
  signOf(name) {
    const taken = new Set([...this.known.values()].map(({ sign }) => sign));
    const number = /\d{1,2}$/.exec(name)?.[0] ?? "";
    const letters = name.match(/\p{L}/gu) ?? [];
    const signs = letters
      .slice(0, MOST_LETTERS)
      .map((_, last) => capitalized(letters.slice(0, last + 1).join("")) + number);
    return signs.find((sign) => !taken.has(sign)) ?? signs[0] ?? number;
  }
}

/** @param {Parameter | undefined} standsFor */
export function nameOf(standsFor) {
  if (standsFor === undefined) return "";
  return typeof standsFor === "string" ? standsFor : printParameter(standsFor);
}

/** @param {Color} color */
export function css(color) {
  return `rgb(${color.join(" ")})`;
}

/** @param {string} letters */
function capitalized(letters) {
  return letters.slice(0, 1).toUpperCase() + letters.slice(1);
}
