// The labelling page: sets up the unit that is there, and again each time the next one is swapped in.

import { csrfToken } from "./csrf.js";
import { Draft } from "./draft.js";
import { onKey } from "./keyboard.js";
import { KeysDialog } from "./keys_dialog.js";
import { ListeningLog } from "./listening_log.js";
import { Notes } from "./notes.js";
import { Players } from "./players.js";
import { Prefetch } from "./prefetch.js";
import { Questions } from "./questions.js";
import { Sending } from "./sending.js";

// Milliseconds; an answer that takes longer may have arrived, and is counted once however often it is sent.
const TIMEOUT = 30_000;

const area = document.querySelector("[data-unit-area]");
const keys = new KeysDialog(document.querySelector("#shortcuts"));
const page = { openDialog, takeBack: () => area.querySelector("[data-take-back]")?.click() };
const prefetch = new Prefetch();
const sending = new Sending(area);
let unit = null;

function setUp() {
  tearDown();
  const form = area.querySelector("[data-unit]");
  if (form) unit = makeUnit(form);
  keys.draw(area);
  document.querySelector("#main").focus({ preventScroll: true });
}

function makeUnit(form) {
  const log = new ListeningLog(form);
  const draft = new Draft(form);
  const players = new Players(form, log, () => questions.refresh(), prefetch);
  const questions = new Questions(form, () => players.unheard());
  const notes = new Notes(form, players);
  return { form, log, draft, players, questions, notes };
}

function tearDown() {
  unit?.players.dispose();
  unit?.log.stop();
  unit = null;
}

function openDialog(id) {
  const dialog = document.getElementById(id);
  dialog.showModal();
  dialog.scrollTop = 0; // the button at its end has the focus
}

document.addEventListener("keydown", (event) => onKey(event, keys.keymap, { ...page, ...unit }));
document.addEventListener("visibilitychange", () => unit?.log.visibility(document.hidden));
for (const button of document.querySelectorAll("[data-opens]")) {
  button.addEventListener("click", () => openDialog(button.dataset.opens));
}

// What was heard and has not arrived goes along with the answers. The draft of a unit that was answered or given back
// has done its duty; that of one left to change an earlier answer has not.
let done = null;
area.addEventListener("htmx:configRequest", (event) => {
  event.detail.parameters.set("csrfmiddlewaretoken", csrfToken());
  done = event.detail.elt.matches("[data-unit], [data-give-back], [data-leave]") ? unit : null;
  if (event.detail.elt === unit?.form) event.detail.parameters.set("heard", unit.log.reports());
});
area.addEventListener("htmx:beforeRequest", (event) => sending.begin(event.detail.elt));
area.addEventListener("htmx:afterRequest", () => sending.end());
area.addEventListener("htmx:timeout", () => sending.show("slow"));
for (const failure of ["htmx:sendError", "htmx:responseError"]) {
  area.addEventListener(failure, (event) => sending.fail(event.detail.xhr?.status ?? 0));
}
area.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target !== area) return sending.bringIntoView();
  done?.draft.forget();
  done?.log.forget();
  done = null;
  setUp();
  window.scrollTo({ top: 0 });
});
window.htmx.config.timeout = TIMEOUT;
setUp();
