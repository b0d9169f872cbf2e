// The goal of a player, always visible: its parts in order, which are reached, and which is next; and the things in sight, as large
// as fingers need.

/** @import { Piece } from "../scene/stage.js" */
/** @import { Target } from "../scene/stage-view.js" */

import { button, element, fill, say } from "../page/element.js";
import { inkOn } from "../scene/label.js";
import { css } from "../scene/looks.js";

const MOST_PARTS = 100;

/**
 * A coloured button for a piece of the scene.
 * @param {Piece} piece @param {string} kind @param {string} sign @param {string} words @param {(target: Target) => void} choose
 */
function chipOf({ shape, name, box }, kind, sign, words, choose) {
  const style = `background: ${css(shape.color)}; color: ${inkOn(shape.color)}`;
  const choosePiece = (/** @type {HTMLElement} */ chip) => choose({ at: [box.x + box.width / 2, box.y + box.height / 2], name, element: chip });
  return button(sign, choosePiece, { class: kind, style, "aria-label": words, title: words });
}

/** The things in sight as buttons. */
export class ThingsView {
  shown = "";

  /** @param {HTMLElement} place @param {(target: Target) => void} choose @param {() => void} focusElsewhere is called when the last thing that had the focus is gone */
  constructor(place, choose, focusElsewhere) {
    this.place = place;
    this.choose = choose;
    this.focusElsewhere = focusElsewhere;
  }

  /** @param {Piece[]} things */
  show(things) {
    const signature = JSON.stringify(things.map(({ key, shape }) => [key, shape.label, shape.outline]));
    if (signature === this.shown) return;
    this.shown = signature;
    const focused = [...this.place.children].findIndex((chip) => chip === document.activeElement);
    const chips = things.slice(0, MOST_PARTS).map((piece) => {
      const label = piece.shape.label || piece.name;
      return chipOf(piece, "chip", label, label, this.choose);
    });
    fill(this.place, ...chips);
    if (focused < 0) return;
    const next = chips[Math.min(focused, chips.length - 1)];
    if (next) next.focus();
    else this.focusElsewhere();
  }
}

export class GoalView {
  shown = "";

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} progress
   * @param {(target: Target) => void} choose
   */
  constructor(list, progress, choose) {
    this.list = list;
    this.progress = progress;
    this.choose = choose;
  }

  /**
   * @param {Piece[]} goals
   * @param {boolean} areChoices whether the environment offers choices for them
   */
  show(goals, areChoices) {
    const signature = JSON.stringify([goals.map(({ shape }) => [shape.role, shape.color, shape.standsFor]), areChoices]);
    if (signature === this.shown) return;
    this.shown = signature;
    const reached = goals.filter(({ shape }) => shape.role === "reachedGoal").length;
    const next = goals.find(({ shape }) => shape.role === "goal");
    say(this.progress, goals.length > 0 ? `${reached} of ${goals.length}` : "");
    fill(this.list, ...goals.slice(0, MOST_PARTS).map((piece) => this.chip(piece, piece === next, areChoices)));
  }

  /** @param {Piece} piece @param {boolean} isNext @param {boolean} isChoice */
  chip(piece, isNext, isChoice) {
    const { shape, name } = piece;
    const isReached = shape.role === "reachedGoal";
    const words = `${name}${isReached ? ", reached" : isNext ? ", next" : ""}`;
    const sign = isReached ? "✓" : shape.label || name.slice(0, 1);
    const kind = `chip${isReached ? " reached" : ""}${isNext ? " next" : ""}`;
    const style = `background: ${css(shape.color)}; color: ${inkOn(shape.color)}`;
    if (!isChoice) return element("li", {}, element("span", { class: kind, style, role: "img", "aria-label": words }, sign));
    return element("li", {}, chipOf(piece, kind, sign, words, this.choose));
  }
}
