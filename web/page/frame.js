// Updates of the page: at most once per frame, however often the environment changes in between.

/** @type {Set<() => void>} */
const due = new Set();
let asked = false;

/**
 * Executes a task once, in the next frame. A hidden page has no frames, so the task waits until the page is visible.
 * @param {() => void} task the same function for the same task
 */
export function inNextFrame(task) {
  due.add(task);
  if (asked) return;
  asked = true;
  requestAnimationFrame(doAll);
}

/**
 * Returns a function that executes a task in a frame, and not again during a pause: nobody can read a text that changes
 * with every step.
 * @param {number} pauseMs
 * @param {() => void} task
 */
export function unhurried(pauseMs, task) {
  let doneAt = -Infinity;
  let timer = 0;
  const now = () => {
    timer = 0;
    doneAt = performance.now();
    task();
  };
  return () => {
    if (timer) return;
    const rest = doneAt + pauseMs - performance.now();
    if (rest <= 0) inNextFrame(now);
    else timer = setTimeout(() => inNextFrame(now), rest);
  };
}

function doAll() {
  const tasks = [...due];
  due.clear();
  asked = false;
  for (const task of tasks) {
    try {
      task();
    } catch (error) {
      // An error in one part of the page does not stop the others.
      reportError(error);
    }
  }
}
