// A protocol's form as annotators have it, to be tried out. Answers go nowhere, and outlast a new preview.

import { actionFor, DEFAULTS, signOf } from "../label/keymap.js";
import { Questions } from "../label/questions.js";
import { fill } from "../questions/fill.js";

export class Preview {
  constructor(root) {
    this.root = root;
    this.answers = [];
    this.setUp();
  }

  get form() {
    return this.root.querySelector("[data-preview-form]");
  }

  // The answers given so far, by question.
  given() {
    return this.form ? [...new FormData(this.form)].filter(([, value]) => value.trim()) : [];
  }

  remember() {
    this.answers = this.given();
  }

  setUp() {
    const { form } = this;
    if (!form) return;
    for (const [name, value] of this.answers) fill(form, name, value);
    this.questions = new Questions(form, () => []);
    for (const sign of form.querySelectorAll("[data-key-for]"))
      sign.textContent = signOf(DEFAULTS[sign.dataset.keyFor] ?? "");
    const complete = form.querySelector("[data-complete]");
    form.addEventListener("input", () => (complete.hidden = true));
    form.addEventListener("keydown", (event) => this.onKey(event));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      complete.hidden = false;
    });
    form.querySelector("[data-start-over]").addEventListener("click", () => this.startOver());
  }

  // The keys choose, as they do for annotators.
  onKey(event) {
    if (event.target.matches("textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const choice = actionFor(DEFAULTS, event.key)?.match(/^choose-(.+)$/)?.[1];
    if (choice && this.questions.choose(choice)) event.preventDefault();
  }

  startOver() {
    this.form.reset();
    this.form.querySelector("[data-complete]").hidden = true;
    this.questions.refresh();
    this.form.querySelector("[data-question]:not(:disabled) input:not([type=hidden]), textarea")?.focus();
  }
}
