// When the page is brought up to date: once a frame at the most, however often the environment changes in between.

/** @type {Set<() => void>} */
const due = new Set();
let asked = false;

/**
 * Does something in the next frame, once. In a hidden page there are no frames: it is done when the page is seen again.
 * @param {() => void} task the same function for the same task
 */
export function inNextFrame(task) {
  due.add(task);
  if (asked) return;
  asked = true;
  requestAnimationFrame(doAll);
}

/**
 * What does a task in a frame, and then not again for a while: nobody reads a text that changes with every step.
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
      // One part of the page that is broken does not stop the others.
      reportError(error);
    }
  }
}
