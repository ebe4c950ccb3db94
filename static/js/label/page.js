// The labelling page: sets up the unit that is there, and again each time the next one is swapped in.

import { onKey } from "./keyboard.js";
import { ListeningLog } from "./listening_log.js";
import { Players } from "./players.js";
import { Questions } from "./questions.js";

const area = document.querySelector("[data-unit-area]");
let unit = null;

function setUp() {
  tearDown();
  const form = area.querySelector("[data-unit]");
  if (form) unit = makeUnit(form);
  document.querySelector("#main").focus({ preventScroll: true });
}

function makeUnit(form) {
  const log = new ListeningLog(form);
  const players = new Players(form, log, () => questions.refresh());
  const questions = new Questions(form, () => players.unheard());
  return { form, log, players, questions };
}

function tearDown() {
  unit?.players.dispose();
  unit?.log.stop();
  unit = null;
}

function openDialog(id) {
  document.getElementById(id).showModal();
}

document.addEventListener("keydown", (event) => {
  if (unit) onKey(event, { ...unit, openDialog });
});
document.addEventListener("visibilitychange", () => unit?.log.visibility(document.hidden));
for (const button of document.querySelectorAll("[data-opens]")) {
  button.addEventListener("click", () => openDialog(button.dataset.opens));
}

// What was heard since the last report goes along with the answers, and is kept if they do not arrive.
let underway = null;
area.addEventListener("htmx:configRequest", (event) => {
  underway = null;
  if (event.detail.elt !== unit?.form) return;
  underway = unit.log.take();
  event.detail.parameters.set("heard", JSON.stringify(underway));
});
area.addEventListener("htmx:beforeRequest", () => {
  const offline = area.querySelector("#offline");
  if (offline) offline.hidden = true;
});
for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  area.addEventListener(failure, (event) => {
    if (underway) unit.log.putBack(underway);
    if (event.detail.xhr?.status !== 422) area.querySelector("#offline").hidden = false;
  });
}
area.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target !== area) return;
  setUp();
  window.scrollTo({ top: 0 });
});
setUp();
