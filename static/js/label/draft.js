// Keeps the choices of a unit in this browser until they are submitted: a reload, a crash, another tab or a lost
// connection costs nothing. A draft belongs to one assignment and goes when its campaign's next unit comes.

const PREFIX = "earshot.draft.";

export class Draft {
  constructor(form) {
    this.form = form;
    this.key = PREFIX + form.getAttribute("action");
    this.forgetEarlier();
    this.restore();
    form.addEventListener("change", () => this.keep());
    form.addEventListener("input", () => this.keep());
  }

  keep() {
    const choices = [...new FormData(this.form)].filter(([name]) => this.isChoice(name));
    localStorage.setItem(this.key, JSON.stringify(choices));
  }

  // Choices that open others come first in the form, so one pass in its order is enough.
  restore() {
    for (const [name, value] of JSON.parse(localStorage.getItem(this.key) ?? "[]")) {
      const field = this.form.elements[name];
      if (!field || !this.isChoice(name)) continue;
      field.value = value;
    }
  }

  forgetEarlier() {
    const campaign = this.key.replace(/[^/]+\/$/, "");
    for (const other of Object.keys(localStorage)) {
      if (other.startsWith(campaign) && other !== this.key) localStorage.removeItem(other);
    }
  }

  isChoice(name) {
    return this.form.querySelector(`[data-question="${CSS.escape(name)}"]`) !== null;
  }
}
