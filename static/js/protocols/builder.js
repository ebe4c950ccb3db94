// The builder's page: its parts, and how they hear of each other.

import { csrfToken } from "../label/csrf.js";
import { Draft } from "./draft.js";
import { Faults } from "./faults.js";
import { writePairs } from "./lines.js";
import { Names } from "./names.js";
import { OwnScale } from "./own_scale.js";
import { Preview } from "./preview.js";
import { References } from "./references.js";
import { Rows } from "./rows.js";

const form = document.querySelector("#builder");
const scales = JSON.parse(document.querySelector("#scales").textContent);
const names = new Names(form);
const ownScale = new OwnScale(form, scales);
const lists = [...form.querySelectorAll("[data-rows]")].map((list) => new Rows(form, list, { onAdded: welcome }));
const draft = new Draft(form, lists);
const isRestored = !("posted" in form.dataset) && draft.restore();
new References(form, scales);
const faults = new Faults(form);
const preview = new Preview(document.querySelector("#preview"));

function welcome(row) {
  const title = row.querySelector('[name$="-title"]');
  if (title) names.follow(title);
  ownScale.rememberIn(row);
}

function rowsOf(kind) {
  return lists.find((rows) => rows.kind === kind);
}

function add(kind, values) {
  const row = rowsOf(kind).add(values);
  if (!row) return;
  form.dispatchEvent(new Event("composed"));
  row.querySelector("input, textarea").focus();
}

// A new aspect is answered as the one before it, unless the button says how.
function scaleOfLast() {
  const field = (row, name) => row.querySelector(`[name$="-${name}"]`);
  const row = rowsOf("aspect")
    .all()
    .findLast((one) => field(one, "scale").value !== "text");
  const names = row ? ["scale", "choices", "frame", "measure", "scale_name"] : [];
  return Object.fromEntries(names.map((name) => [name, field(row, name).value]));
}

form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-add]");
  if (!button) return;
  const { add: kind, ...values } = button.dataset;
  add(kind, { ...(kind === "aspect" ? scaleOfLast() : {}), ...values });
});

preview.root.addEventListener("click", (event) => {
  if (!event.target.closest("[data-keep-answers]")) return;
  add("example", { answers: writePairs(preview.given()) });
});

const restored = document.querySelector("[data-restored]");
restored.hidden = !isRestored;
restored.querySelector("[data-start-afresh]").addEventListener("click", () => {
  draft.forget();
  window.location.reload();
});

// What was folded open stays open when the server draws it again.
let open = [];
const folds = () => [...document.querySelectorAll("[data-keeps-open]")];
preview.root.addEventListener("htmx:beforeSwap", () => {
  open = folds()
    .filter((fold) => fold.open)
    .map((fold) => fold.dataset.keepsOpen);
  preview.remember();
});
preview.root.addEventListener("htmx:afterSwap", () => {
  for (const fold of folds()) fold.open = open.includes(fold.dataset.keepsOpen);
  preview.setUp();
  faults.show();
});

// Logging in again in another tab changes the token.
form.addEventListener("htmx:configRequest", (event) => {
  event.detail.parameters.set("csrfmiddlewaretoken", csrfToken());
});
form.addEventListener("submit", () => (form.elements.csrfmiddlewaretoken.value = csrfToken()));

const lost = document.querySelector("[data-preview-lost]");
const loggedOut = document.querySelector("[data-logged-out]");
// A request that is broken off because the page is left is nothing to report.
let isLeft = false;
window.addEventListener("beforeunload", () => (isLeft = true));
form.addEventListener("htmx:beforeRequest", () => (lost.hidden = loggedOut.hidden = true));
for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  form.addEventListener(failure, (event) => {
    const notice = [401, 403].includes(event.detail.xhr?.status) ? loggedOut : lost;
    notice.hidden = isLeft;
  });
}
draft.watch();
// htmx listens to the form from this moment on.
document.addEventListener("DOMContentLoaded", () => isRestored && form.dispatchEvent(new Event("composed")));
