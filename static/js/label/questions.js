// The form's questions: which are put, which are locked, which one the keys speak to.

import { questionsLeft } from "./questions_left.js";

export class Questions {
  // `unheard` names the clips that still have to be heard before the answers can go.
  constructor(form, unheard) {
    this.form = form;
    this.unheard = unheard;
    this.stillToHear = form.querySelector("[data-unheard]");
    this.aspects = [...form.querySelectorAll("[data-aspect]")];
    this.fieldsets = [...form.querySelectorAll("[data-question]")];
    this.submit = form.querySelector("[data-submit]");
    this.remaining = form.querySelector("[data-remaining]");
    form.addEventListener("change", () => this.refresh());
    form.addEventListener("input", () => this.refresh());
    form.addEventListener("focusin", (event) => this.follow(event.target));
    for (const fieldset of this.fieldsets) fieldset.tabIndex = -1; // the keys go to a question, Tab to its choices
    this.current = this.fieldsets[0];
    this.refresh();
  }

  // Choose the option of the current question that shows the key of this choice, and go on to the next open one.
  choose(choice) {
    const input = this.current?.querySelector(`label:has([data-key-for="choose-${choice}"]) input`);
    if (!input || input.disabled || this.current.disabled) return false;
    input.checked = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    this.goTo(this.open().find((fieldset) => !answered(fieldset)) ?? this.current);
    return true;
  }

  move(step) {
    const open = this.open();
    this.goTo(open[open.indexOf(this.current) + step] ?? this.current);
  }

  isComplete() {
    return !this.submit.disabled;
  }

  goTo(fieldset) {
    if (!fieldset) return;
    this.current = fieldset;
    (fieldset.querySelector("textarea, [data-takes-keys]") ?? fieldset).focus({ preventScroll: true });
    fieldset.closest("[data-aspect]").scrollIntoView({ block: "nearest", behavior: "smooth" });
    this.draw();
  }

  follow(element) {
    const fieldset = element.closest("[data-question]");
    if (fieldset) this.current = fieldset;
    this.draw();
  }

  refresh() {
    for (const fieldset of this.fieldsets) this.showOrHide(fieldset);
    for (const aspect of this.aspects) this.lockOrOpen(aspect);
    for (const aspect of this.aspects) aspect.hidden = !aspect.querySelector("[data-question]:not([hidden])");
    for (const fieldset of this.fieldsets) this.keepUnlike(fieldset);
    const { least, most } = questionsLeft(this.fieldsets.map(asQuestion));
    const unheard = this.unheard();
    this.submit.disabled = least > 0 || unheard.length > 0;
    this.stillToHear.hidden = unheard.length === 0;
    write(this.stillToHear, `${this.stillToHear.dataset.text} ${unheard.join(", ")}`);
    write(this.remaining, this.left(least, most));
    this.draw();
  }

  left(least, most) {
    const { one, many, upTo } = this.remaining.dataset;
    if (most > least) return upTo.replace("#", most);
    return most === 0 ? "" : most === 1 ? one : many.replace("#", most);
  }

  // A question that waits for certain answers is put only when they are given; otherwise it forgets its own.
  showOrHide(fieldset) {
    const needs = needsOf(fieldset);
    if (!needs.length) return;
    const put = needs.every((need) => this.isChosen(...need));
    fieldset.hidden = fieldset.disabled = !put;
    if (put) return;
    for (const input of fieldset.querySelectorAll("input")) input.checked = false;
    for (const field of fieldset.querySelectorAll("textarea, [data-answer]")) {
      field.value = "";
      field.dispatchEvent(new Event("answered"));
    }
  }

  lockOrOpen(aspect) {
    const after = aspect.dataset.after.split(" ").filter(Boolean);
    const locked = after.some((name) => !this.isAnswered(name));
    aspect.classList.toggle("locked", locked);
    for (const fieldset of aspect.querySelectorAll("[data-question]")) {
      if (!fieldset.hidden) fieldset.disabled = locked;
    }
  }

  // What was chosen for the other question cannot be chosen here, and the question says so at once.
  keepUnlike(fieldset) {
    if (!fieldset.dataset.unlike) return;
    const taken = this.form.querySelector(`input[name="${fieldset.dataset.unlike}"]:checked`);
    for (const input of fieldset.querySelectorAll("input")) {
      input.disabled = input.value === taken?.value;
      if (input.disabled) input.checked = false;
    }
    const note = fieldset.querySelector("[data-unlike-note]");
    note.hidden = !taken;
    write(
      note,
      taken ? note.dataset.text.replace("#", taken.closest("label").querySelector("[data-label]").textContent) : "",
    );
  }

  isChosen(name, value) {
    return this.form.querySelector(`input[name="${name}"][value="${value}"]`)?.checked ?? false;
  }

  isAnswered(aspectName) {
    const aspect = this.aspects.find((element) => element.dataset.aspect === aspectName);
    return [...aspect.querySelectorAll("[data-question]:not([hidden])")].every(answered);
  }

  put() {
    return this.fieldsets.filter((fieldset) => !fieldset.hidden);
  }

  open() {
    return this.put().filter((fieldset) => !fieldset.disabled);
  }

  draw() {
    for (const aspect of this.aspects) aspect.classList.toggle("current", aspect.contains(this.current));
  }
}

function answered(fieldset) {
  return "optional" in fieldset.dataset || answerIn(fieldset) !== "";
}

function answerIn(fieldset) {
  const field = fieldset.querySelector("textarea, [data-answer]") ?? fieldset.querySelector("input:checked");
  return field?.value.trim() ?? "";
}

function needsOf(fieldset) {
  const needs = Object.entries(fieldset.dataset).filter(([name]) => name.startsWith("needs"));
  return needs.map(([, need]) => need.split("="));
}

function asQuestion(fieldset) {
  const { question: name, optional } = fieldset.dataset;
  return { name, value: answerIn(fieldset), optional: optional !== undefined, needs: needsOf(fieldset) };
}

// What is read out when it changes is not written anew where it stays the same.
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
