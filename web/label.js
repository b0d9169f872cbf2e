// Texts on shapes: large enough to be read, small enough to stay inside, and in a colour that stands out.

/** @import { Color } from "./protocol.js" */

/** Parts of the size that texts of the page have. */
const LARGEST = 1;
const SMALLEST = 0.47;
const MEASURED_AT_PX = 20;
const WIDTHS_REMEMBERED = 5000;

/** Letters, and how large texts of the page are. @typedef {{ family: string, usual: number }} Face */

/** The widths of texts at a size at which they are measured. @type {Map<string, number>} */
const widths = new Map();

/**
 * The size at which a text fits; none if it would be too small to be read.
 * @param {CanvasRenderingContext2D} context
 * @param {Face} face
 * @param {string} text
 * @param {number} width
 * @param {number} height
 * @returns {number | null}
 */
export function fittingSize(context, { family, usual }, text, width, height) {
  const widthOfOne = measure(context, family, text) / MEASURED_AT_PX;
  const size = Math.min(width / widthOfOne, height, Math.max(LARGEST * usual, height / 4));
  return size < SMALLEST * usual ? null : size;
}

/**
 * Black or white, whichever can be told from this colour better.
 * @param {Color} color
 */
export function inkOn(color) {
  const luminance = luminanceOf(color);
  // Where the contrasts to black and to white are equal, in the words of WCAG 2: (l + 0.05)^2 = 1.05 * 0.05.
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

/**
 * How far two colours can be told apart, as WCAG 2 defines it: from 1 to 21.
 * @param {Color} one
 * @param {Color} other
 */
export function contrast(one, other) {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** @param {Color} color */
function luminanceOf(color) {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} family
 * @param {string} text
 */
function measure(context, family, text) {
  const key = `${family}\n${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (widths.size >= WIDTHS_REMEMBERED) widths.clear();
  context.save();
  context.font = `500 ${MEASURED_AT_PX}px ${family}`;
  const width = context.measureText(text).width;
  context.restore();
  widths.set(key, width);
  return width;
}
