// The labelling page: sets up the unit that is there, and again each time the next one is swapped in.

import { onKey } from "./keyboard.js";
import { Players } from "./players.js";
import { Questions } from "./questions.js";

const area = document.querySelector("[data-unit-area]");
let unit = null;

function setUp() {
  unit?.players.dispose();
  const form = area.querySelector("[data-unit]");
  unit = form && { players: new Players(form), questions: new Questions(form) };
  document.querySelector("#main").focus({ preventScroll: true });
}

function openDialog(id) {
  document.getElementById(id).showModal();
}

document.addEventListener("keydown", (event) => {
  if (unit) onKey(event, { ...unit, openDialog });
});
for (const button of document.querySelectorAll("[data-opens]")) {
  button.addEventListener("click", () => openDialog(button.dataset.opens));
}
area.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target === area) {
    setUp();
    window.scrollTo({ top: 0 });
  }
});
for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  area.addEventListener(failure, () => {
    area.querySelector("#offline").hidden = false;
  });
}
area.addEventListener("htmx:beforeRequest", () => {
  const offline = area.querySelector("#offline");
  if (offline) offline.hidden = true;
});
setUp();
