// Detects accessibility problems, as far as a program can.

/** Runs in the page. */
export function findObstacles() {
  const obstacles = [];
  const isSeen = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && !element.closest(".unseen, .icons, .skip");
  const describe = (element) =>
    `${element.tagName.toLowerCase()}.${element.className} "${element.textContent.trim().slice(0, 30)}"`;

  const nameOf = (element) => {
    const ids = element.getAttribute("aria-labelledby")?.split(" ") ?? [];
    const labels = [...(element.labels ?? []), ...ids.map((id) => document.getElementById(id))];
    return [element.getAttribute("aria-label"), ...labels.map((label) => label?.textContent), element.textContent].find(
      (text) => text?.trim(),
    );
  };
  for (const element of document.querySelectorAll(
    "button, a[href], input, select, canvas, [tabindex='0'], dialog, section",
  )) {
    if (isSeen(element) && !nameOf(element)) obstacles.push(`no name: ${describe(element)}`);
  }

  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) obstacles.push(`twice: #${id}`);
  for (const element of document.querySelectorAll("[aria-describedby], [aria-labelledby]")) {
    for (const name of ["aria-describedby", "aria-labelledby"]) {
      for (const id of element.getAttribute(name)?.split(" ") ?? [])
        if (!ids.includes(id)) obstacles.push(`no #${id} for ${describe(element)}`);
    }
  }

  const painter = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (color) => {
    painter.clearRect(0, 0, 1, 1);
    painter.fillStyle = color;
    painter.fillRect(0, 0, 1, 1);
    return [...painter.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (channels(backgroundColor)[3] === 255) return backgroundColor;
    }
    return "white";
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const isIdle = element.closest("[aria-disabled=true], template, script");
    if (!texts.currentNode.data.trim() || isIdle || !isSeen(element)) continue;
    const [dark, light] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))].sort(
      (a, b) => a - b,
    );
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) obstacles.push(`contrast ${contrast.toFixed(2)}: ${describe(element)}`);
  }

  for (const element of document.querySelectorAll("button, input, select")) {
    const { width, height } = element.getBoundingClientRect();
    const isInText = element.matches(".link, .choice, [type=checkbox]");
    if (isSeen(element) && !isInText && Math.min(width, height) < 24)
      obstacles.push(`too small: ${describe(element)} ${width}x${height}`);
  }
  return [...new Set(obstacles)];
}
