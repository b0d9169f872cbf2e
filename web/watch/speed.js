// Speeds on a slider: each position is a common speed, and the last one is as fast as possible.

/** Steps per second. @type {(number | null)[]} */
const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 15, 20, 25, 30, 50, 100, 200, 500, 1000, null];

export const LAST_PLACE = SPEEDS.length - 1;

/**
 * @param {number} place
 * @returns {number | null}
 */
export function speedAt(place) {
  return SPEEDS[place] ?? null;
}

/**
 * Returns the position nearest to a speed, by ratio.
 * @param {number | null} speed
 */
export function placeOf(speed) {
  if (speed === null) return LAST_PLACE;
  const distances = SPEEDS.map((other) => (other === null ? Infinity : Math.abs(Math.log(other / speed))));
  return distances.indexOf(Math.min(...distances));
}

/**
 * @param {number | null} speed
 * @param {"a second" | "/s"} per for screen readers, or for display
 */
export function saySpeed(speed, per) {
  if (speed === null) return "as fast as possible";
  const steps = speed === 1 ? "1 step" : `${Math.round(speed * 1000) / 1000} steps`;
  return per === "/s" ? steps + per : `${steps} ${per}`;
}
