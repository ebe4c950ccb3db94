// The list of units to review: J and K (or arrows) go from row to row, X selects, Enter opens, digits decide.

import { press } from "./pressed.js";

const rows = [...document.querySelectorAll("[data-row]")];
const all = document.querySelector("[data-all]");
const selected = document.querySelector("[data-selected]");
const boxes = rows.map((row) => row.querySelector("input[type=checkbox]"));
const STEPS = { j: 1, arrowdown: 1, k: -1, arrowup: -1 };
const FIELDS = "textarea, select, input:not([type=checkbox])";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches(FIELDS)) return;
  if (!onRow(event)) press(event);
});
all?.addEventListener("change", () => {
  for (const box of boxes) box.checked = all.checked;
  count();
});
for (const box of boxes) box.addEventListener("change", count);
if (all) {
  all.hidden = false;
  count();
}

function onRow(event) {
  const key = event.key.toLowerCase();
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  if (key in STEPS && rows.length) {
    const there = here < 0 ? 0 : Math.min(Math.max(here + STEPS[key], 0), rows.length - 1);
    rows[there].querySelector("th a").focus();
  } else if (key === "x" && here >= 0) boxes[here].click();
  else return false;
  event.preventDefault();
  return true;
}

// The digits decide about the row that has the focus, where none is selected.
function count() {
  const n = boxes.filter((box) => box.checked).length;
  selected.textContent = n ? `(${n})` : "";
}

document.querySelector("[data-queue]")?.addEventListener("submit", (event) => {
  if (event.submitter?.name === "all" || boxes.some((box) => box.checked)) return;
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  if (here >= 0) boxes[here].checked = true;
});
