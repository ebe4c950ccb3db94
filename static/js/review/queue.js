// The list of units to review: J and K (or arrows) go from row to row, X selects, Enter opens, digits decide.

import { FIELDS, press } from "./pressed.js";

const rows = [...document.querySelectorAll("[data-row]")];
const all = document.querySelector("[data-all]");
const selected = document.querySelector("[data-selected]");
const boxes = rows.map((row) => row.querySelector("input[type=checkbox]"));
const STEPS = { j: 1, arrowdown: 1, k: -1, arrowup: -1 };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches(FIELDS)) return;
  if (event.target.type === "radio" || !onRow(event)) press(event); // arrows choose among radio buttons
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
  if (event.submitter?.name === "all") return;
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  if (here >= 0 && !boxes.some((box) => box.checked)) {
    boxes[here].checked = true;
    count();
  }
  if (event.submitter?.matches("[data-needs-reason]") && !hasReason(event.submitter)) event.preventDefault();
});

// Without a reason nothing is sent: the field is shown, has the focus, and says so.
function hasReason(button) {
  const reason = button.form.elements.reason;
  reason.closest("details").open = true;
  reason.required = true;
  const given = reason.reportValidity();
  reason.required = false;
  return given;
}

// Enter in a field of these would press the first button of the form, which marks units as reviewed.
document.querySelector("[data-decisions]")?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("input")) return;
  event.preventDefault();
  document.querySelector("[data-needs-reason]").click();
});
