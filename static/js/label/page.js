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

const area = document.querySelector("[data-unit-area]");
const keys = new KeysDialog(document.querySelector("#shortcuts"));
const page = { openDialog, takeBack: () => area.querySelector("[data-take-back]")?.click() };
const prefetch = new Prefetch();
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
  document.getElementById(id).showModal();
}

document.addEventListener("keydown", (event) => onKey(event, keys.keymap, { ...page, ...unit }));
document.addEventListener("visibilitychange", () => unit?.log.visibility(document.hidden));
for (const button of document.querySelectorAll("[data-opens]")) {
  button.addEventListener("click", () => openDialog(button.dataset.opens));
}

function noticeFor(status) {
  if ([0, 502, 504].includes(status)) return "#offline";
  if (status === 503) return "#unwell";
  if (status === 401 || status === 403) return "#logged-out";
  return status === 422 ? null : "#refused";
}

// What was heard and has not arrived goes along with the answers. The draft of a unit that was answered or given back
// has done its duty; that of one left to change an earlier answer has not.
let done = null;
area.addEventListener("htmx:configRequest", (event) => {
  event.detail.parameters.set("csrfmiddlewaretoken", csrfToken());
  done = event.detail.elt.matches("[data-unit], [data-give-back], [data-leave]") ? unit : null;
  if (event.detail.elt === unit?.form) event.detail.parameters.set("heard", unit.log.reports());
});
area.addEventListener("htmx:beforeRequest", () => {
  for (const notice of area.querySelectorAll("#offline, #unwell, #logged-out, #refused")) notice.hidden = true;
});
for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  area.addEventListener(failure, (event) => {
    const notice = noticeFor(event.detail.xhr?.status ?? 0);
    if (notice) area.querySelector(notice).hidden = false;
  });
}
area.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target !== area) return;
  done?.draft.forget();
  done?.log.forget();
  done = null;
  setUp();
  window.scrollTo({ top: 0 });
});
setUp();
