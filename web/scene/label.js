// Labels on shapes: large enough to be readable, small enough to stay inside, and in a colour with contrast.

/** @import { Color } from "../protocol/protocol.js" */

/** Sizes relative to the text of the page. */
const LARGEST = 1;
const SMALLEST = 0.47;
const MEASURED_AT_PX = 20;
const WIDTHS_REMEMBERED = 5000;

/** The font, and the size of the page's text. @typedef {{ family: string, usual: number }} Face */

/** The widths of texts at the size at which they are measured. @type {Map<string, number>} */
const widths = new Map();

/**
 * Returns the size at which a text fits; null if it would be too small to read.
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
 * Returns black or white, whichever has more contrast with this colour.
 * @param {Color} color
 */
export function inkOn(color) {
  const luminance = luminanceOf(color);
  // At this luminance the contrasts with black and white are equal, by WCAG 2: (l + 0.05)^2 = 1.05 * 0.05.
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

/**
 * Returns the contrast of two colours, as WCAG 2 defines it: from 1 to 21.
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
