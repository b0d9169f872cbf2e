// The state of the connection, in the header, and in a banner when it is lost.

/** @import { Session } from "../protocol/session.js" */

import { button, element, fill, find, say } from "./element.js";
import { renderMessage } from "./markdown.js";
import { announce } from "./notice.js";

export class ConnectionView {
  root = find(document, "#connection", HTMLElement);
  banner = find(document, "#banner", HTMLElement);

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
  }

  show() {
    const { standing, greeting } = this.session;
    const { phase, reason } = standing;
    this.root.dataset["phase"] = phase;
    const words = {
      connecting: "Connecting", greeted: greeting?.server ?? "", waiting: "No connection", refused: "Not connected",
    };
    say(this.root, words[phase]);
    if (phase === "waiting")
      this.raise(`The connection to the server is lost${reason && `: ${reason}`}. Reconnecting…`);
    else if (phase === "refused") this.raise(`The server rejected this page: ${reason}.`);
    else if (phase === "greeted") this.lower();
  }

  /** @param {string} text */
  raise(text) {
    const { banner } = this;
    if (banner.dataset["text"] === text) return;
    banner.dataset["text"] = text;
    fill(
      banner, element("p", {}, ...renderMessage(text)),
      button("Try now", () => this.session.connect(), { class: "link" }),
    );
    banner.hidden = false;
  }

  lower() {
    if (this.banner.hidden) return;
    this.banner.hidden = true;
    delete this.banner.dataset["text"];
    announce("Connected again");
  }
}
