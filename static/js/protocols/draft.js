// Keeps what is written in this browser until it is saved: a reload, a crash or a lost session costs nothing.

import { put } from "./rows.js";

const PREFIX = "earshot.builder.";
const SENT = `${PREFIX}sent`;

export class Draft {
  // A page that answers a form has its own content, which becomes the draft of the address it stands for.
  constructor(form, lists) {
    this.form = form;
    this.lists = lists;
    this.key = PREFIX + form.dataset.draft;
    this.begun = JSON.stringify(this.pairs());
  }

  // Last of all who listen, so that what the others change along is kept, too.
  watch() {
    if ("posted" in this.form.dataset) {
      history.replaceState(null, "", this.form.action);
      this.keep();
    }
    for (const event of ["input", "change", "composed"]) this.form.addEventListener(event, () => this.keep());
    this.form.addEventListener("submit", () => sessionStorage.setItem(SENT, this.key));
  }

  pairs() {
    return [...new FormData(this.form)].filter(([name]) => name !== "csrfmiddlewaretoken");
  }

  keep() {
    const now = JSON.stringify(this.pairs());
    if (now === this.begun && !("posted" in this.form.dataset)) localStorage.removeItem(this.key);
    else localStorage.setItem(this.key, now);
  }

  // Whether there was something to bring back.
  restore() {
    const kept = localStorage.getItem(this.key);
    if (kept === null || kept === JSON.stringify(this.pairs())) return false;
    const pairs = JSON.parse(kept);
    for (const rows of this.lists) rows.arrange(keysOf(rows.kind, pairs));
    for (const box of this.form.querySelectorAll("input[type=checkbox][name]")) box.checked = false;
    for (const [name, value] of pairs) this.fill(name, value);
    for (const rows of this.lists) for (const row of rows.all()) rows.retitle(row);
    return true;
  }

  fill(name, value) {
    const field = this.form.elements[name];
    if (field instanceof RadioNodeList || field?.type !== "checkbox") put(field, value);
    else field.checked = true;
  }

  forget() {
    localStorage.removeItem(this.key);
  }
}

// The page of a saved protocol: what was sent has arrived.
export function forgetSent() {
  const key = sessionStorage.getItem(SENT);
  if (key) localStorage.removeItem(key);
  sessionStorage.removeItem(SENT);
}

function keysOf(kind, pairs) {
  const found = pairs.map(([name]) => name.match(new RegExp(`^${kind}-([^-]+)-`))?.[1]);
  return [...new Set(found.filter(Boolean))];
}
