// The page: it has a session with the server (`protocol`), and shows the view of its address.
// - `watch` has the environments, and one environment with its entities and what happens in it;
// - `play` has an entity and what its player can do, as a view of its own or in that of the environment;
// - `messages` has the messages between agents;
// - `editors` has the documents and classes of those who prepare environments.
// These share `environment` (what is known of one), `scene` (its drawing) and `page` (elements, dialogs, notices,
// addresses).

/** @import { EnvironmentStatus } from "./protocol/protocol.js" */
/** @import { View } from "./page/view.js" */

import { editorAt } from "./editors/editors.js";
import { MailboxView } from "./messages/mailbox-view.js";
import { MessagesView } from "./messages/messages-view.js";
import { ConnectionView } from "./page/connection-view.js";
import { find } from "./page/element.js";
import { isMessages, readAddress } from "./page/route.js";
import { offerThemes } from "./page/theme.js";
import { askForToken, rememberedToken, takeTokenOfAddress } from "./page/token.js";
import { ParticipantView } from "./play/participant-view.js";
import { Session } from "./protocol/session.js";
import { EnvironmentView } from "./watch/environment-view.js";
import { EnvironmentsView } from "./watch/environments-view.js";

const main = find(document, "#main", HTMLElement);

takeTokenOfAddress();
const session = new Session(addressOfServer(), rememberedToken());
const connection = new ConnectionView(session);
const mail = new MailboxView(session);

/** @type {View | null} */
let view = null;
/** @type {EnvironmentStatus[] | null} */
let environments = null;

offerThemes(find(document, "#theme", HTMLElement));
find(document, "#token", HTMLElement).addEventListener("click", () => askForToken(session));
find(document, "#skip", HTMLElement).addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => follow(true));
session.addEventListener("standing", reflectSession);
session.subscribe({ environments: {} }, (listed) => updateEnvironments(listed.environments));

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
  const shown = view instanceof EnvironmentView ? view : null;
  if (shown?.environment === environment && location.hash.startsWith("#/") && page !== "play")
    return shown.choose(entity);
  present(viewAt(location.hash));
  if (isVisit) main.querySelector("h1")?.focus();
}

/** @param {string} hash @returns {View} */
function viewAt(hash) {
  const { environment, entity, page } = readAddress(hash);
  const editor = editorAt(session, hash);
  if (editor) return editor;
  if (isMessages(hash)) return new MessagesView(session, mail);
  if (page === "play" && entity) return new ParticipantView(session, environment, entity);
  return environment ? new EnvironmentView(session, environment, entity) : new EnvironmentsView(session);
}

/** @param {View} next */
function present(next) {
  view?.close();
  view = next;
  document.body.classList.toggle("played", view instanceof ParticipantView);
  document.title = `${view.title} – situated`;
  main.replaceChildren(view.root);
  if (environments) view.show(environments);
}

/** @param {EnvironmentStatus[]} listed */
function updateEnvironments(listed) {
  environments = listed;
  const shown = view instanceof EnvironmentView && view.isAbsent ? view.environment : null;
  // An environment that appears (again) is a new one.
  if (listed.some(({ environment }) => environment === shown)) present(viewAt(location.hash));
  else view?.show(listed);
}

/** The connection was opened or lost; rights may have changed. */
function reflectSession() {
  connection.show();
  mail.reflectSession();
  view?.reflectSession();
  const { reason, wantsToken } = session.standing;
  if (wantsToken) askForToken(session, reason);
}
