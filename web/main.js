// The page: it shows the view of its address, and the state of the connection.

/** @import { Status } from "./protocol/protocol.js" */

import { EnvironmentView } from "./watch/environment-view.js";
import { EnvironmentsView } from "./watch/environments-view.js";
import { button, element, fill, find, say } from "./page/element.js";
import { renderMessage } from "./page/markdown.js";
import { editorAt } from "./editors/editors.js";
import { MailboxView } from "./messages/mailbox-view.js";
import { MessagesView } from "./messages/messages-view.js";
import { announce } from "./page/notice.js";
import { ParticipantView } from "./play/participant-view.js";
import { isMessages, readAddress } from "./page/route.js";
import { Session } from "./protocol/session.js";
import { offerThemes } from "./page/theme.js";
import { askForToken, rememberedToken, takeTokenOfAddress } from "./page/token.js";

const main = find(document, "#main", HTMLElement);
const banner = find(document, "#banner", HTMLElement);
const connection = find(document, "#connection", HTMLElement);

takeTokenOfAddress();
const session = new Session(addressOfServer(), rememberedToken());
const mail = new MailboxView(session);

/** @type {EnvironmentsView | EnvironmentView | MessagesView | ParticipantView | import("./editors/editors.js").Editor | null} */
let view = null;
/** @type {Status[] | null} */
let environments = null;
let shownEnvironment = "";

offerThemes(find(document, "#theme", HTMLElement));
find(document, "#token", HTMLElement).addEventListener("click", () => askForToken(session));
find(document, "#skip", HTMLElement).addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => follow(true));
session.addEventListener("standing", reflect);
session.subscribe({ environments: {} }, (params) => {
  updateEnvironments(/** @type {{ environments: Status[] }} */ (params).environments);
});

follow(false);
session.connect();

/** The server of this page. */
function addressOfServer() {
  const url = new URL("ws", location.href);
  url.protocol = url.protocol.replace("http", "ws");
  url.hash = "";
  return url.href;
}

/**
 * Shows the view of the address.
 * @param {boolean} isVisit whether the user has just navigated there
 */
function follow(isVisit) {
  const { environment, entity, page, token } = readAddress(location.hash);
  if (token) {
    takeTokenOfAddress();
    session.useToken(rememberedToken());
  }
  const editor = editorAt(session, location.hash);
  const isPlayed = page === "play" && entity !== "";
  if (editor) present("", editor);
  else if (isMessages(location.hash)) present("", new MessagesView(session, mail));
  else if (view instanceof EnvironmentView && environment === shownEnvironment && !isPlayed) return view.choose(entity);
  else show(environment, entity, isPlayed);
  if (isVisit) main.querySelector("h1")?.focus();
}

/**
 * @param {string} environment
 * @param {string} entity
 * @param {boolean} [isPlayed] whether the page is that of the entity's player
 */
function show(environment, entity, isPlayed = false) {
  if (isPlayed) present(environment, new ParticipantView(session, environment, entity));
  else present(environment, environment ? new EnvironmentView(session, environment, entity) : new EnvironmentsView(session));
}

/**
 * @param {string} environment
 * @param {NonNullable<typeof view>} next
 */
function present(environment, next) {
  view?.end();
  shownEnvironment = environment;
  view = next;
  document.body.classList.toggle("played", view instanceof ParticipantView);
  document.title = `${view.title} – situated`;
  main.replaceChildren(view.root);
  if (environments) view.showEnvironments(environments);
}

/** @param {Status[]} listed */
function updateEnvironments(listed) {
  environments = listed;
  const isThere = listed.some(({ environment }) => environment === shownEnvironment);
  // An environment that appears (again) is a new one.
  if (view instanceof EnvironmentView && view.isAbsent && isThere) show(shownEnvironment, view.selected);
  else view?.showEnvironments(listed);
}

/** Shows the state of the connection in the header. */
function reflect() {
  const { phase, reason, wantsToken } = session.standing;
  connection.dataset["phase"] = phase;
  const words = { connecting: "Connecting", greeted: session.greeting?.server ?? "", waiting: "No connection", refused: "Not connected" };
  say(connection, words[phase]);
  if (phase === "waiting") raise(`The connection to the server is lost${reason && `: ${reason}`}. Reconnecting…`);
  else if (phase === "refused") raise(`The server rejected this page: ${reason}.`);
  else if (phase === "greeted") lower();
  mail.reflectSession();
  view?.reflectSession();
  if (wantsToken) askForToken(session, reason);
}

/** @param {string} text */
function raise(text) {
  if (banner.dataset["text"] === text) return;
  banner.dataset["text"] = text;
  fill(banner, element("p", {}, ...renderMessage(text)), button("Try now", () => session.connect(), { class: "link" }));
  banner.hidden = false;
}

function lower() {
  if (banner.hidden) return;
  banner.hidden = true;
  delete banner.dataset["text"];
  announce("Connected again");
}
