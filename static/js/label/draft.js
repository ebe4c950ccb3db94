// Keeps the choices of a unit in this browser until they are submitted: a reload, a crash, another tab or a lost
// connection costs nothing. A draft belongs to one assignment, and is forgotten when its answer was taken.

import { fill } from "../questions/fill.js";

const PREFIX = "earshot.draft.";
const KEPT_DAYS = 7;

export class Draft {
  // A unit that was opened again begins with what was answered.
  constructor(form) {
    this.form = form;
    this.key = PREFIX + form.getAttribute("action");
    forgetOld();
    this.restore();
    form.addEventListener("change", () => this.keep());
    form.addEventListener("input", () => this.keep());
  }

  keep() {
    const choices = [...new FormData(this.form)].filter(([name, value]) => this.isChoice(name) && value !== "");
    localStorage.setItem(this.key, JSON.stringify({ at: Date.now(), choices }));
  }

  // Choices that open others come first in the form, so one pass in its order is enough.
  restore() {
    const kept = read(this.key);
    const choices = kept ? kept.choices : Object.entries(JSON.parse(this.form.dataset.answers));
    for (const [name, value] of choices) {
      if (this.isChoice(name)) fill(this.form, name, value);
    }
  }

  forget() {
    localStorage.removeItem(this.key);
  }

  isChoice(name) {
    return (
      this.form.querySelector(`[data-question="${CSS.escape(name)}"], [data-note="${CSS.escape(name)}"]`) !== null
    );
  }
}

function read(key) {
  const kept = JSON.parse(localStorage.getItem(key) ?? "null");
  return Array.isArray(kept?.choices) ? kept : null;
}

function forgetOld() {
  const oldest = Date.now() - KEPT_DAYS * 24 * 3600 * 1000;
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(PREFIX) && !(read(key)?.at > oldest)) localStorage.removeItem(key);
  }
}
