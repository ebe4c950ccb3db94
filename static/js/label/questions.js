// The form's questions: which are put, which are locked, which one the keys speak to.

export class Questions {
  // `unheard` says which players still have to be heard before the answers can go.
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
    this.current = this.fieldsets[0];
    this.refresh();
  }

  // Choose the nth option of the current question, and go on to the next open one.
  choose(nth) {
    const input = this.current?.querySelectorAll("input")[nth];
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
    const fields = fieldset.querySelector("input:checked") ?? fieldset.querySelector("input, textarea");
    fields.focus({ preventScroll: true });
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
    const left = this.put().filter((fieldset) => !answered(fieldset)).length;
    const unheard = this.unheard();
    this.submit.disabled = left > 0 || unheard.length > 0;
    this.stillToHear.hidden = left > 0 || unheard.length === 0;
    this.stillToHear.textContent = `${this.stillToHear.dataset.text} ${unheard.map((player) => player.name).join(", ")}`;
    const { one, many } = this.remaining.dataset;
    this.remaining.textContent = left === 0 ? "" : left === 1 ? one : many.replace("#", left);
    this.draw();
  }

  // A question that waits for certain answers is put only when they are given; otherwise it forgets its own.
  showOrHide(fieldset) {
    const needs = Object.entries(fieldset.dataset).filter(([name]) => name.startsWith("needs"));
    if (!needs.length) return;
    const put = needs.every(([, need]) => this.isChosen(...need.split("=")));
    fieldset.hidden = fieldset.disabled = !put;
    if (put) return;
    for (const input of fieldset.querySelectorAll("input")) input.checked = false;
    for (const text of fieldset.querySelectorAll("textarea")) text.value = "";
  }

  lockOrOpen(aspect) {
    const after = aspect.dataset.after.split(" ").filter(Boolean);
    const locked = after.some((name) => !this.isAnswered(name));
    aspect.classList.toggle("locked", locked);
    for (const fieldset of aspect.querySelectorAll("[data-question]")) {
      if (!fieldset.hidden) fieldset.disabled = locked;
    }
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
  const text = fieldset.querySelector("textarea");
  if ("optional" in fieldset.dataset) return true;
  return text ? text.value.trim() !== "" : fieldset.querySelector("input:checked") !== null;
}
