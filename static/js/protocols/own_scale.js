// Own choices begin with those of the scale that was chosen before, so that nobody starts from an empty box.

export class OwnScale {
  constructor(form, scales) {
    this.scales = scales;
    this.before = new WeakMap();
    this.rememberIn(form);
    form.addEventListener("focusin", (event) => this.remember(event.target));
    form.addEventListener("change", (event) => this.begin(event.target));
  }

  rememberIn(element) {
    for (const select of element.querySelectorAll('[name$="-scale"]')) this.remember(select);
  }

  remember(field) {
    if (field.name?.endsWith("-scale")) this.before.set(field, field.value);
  }

  begin(select) {
    if (!select.name?.endsWith("-scale")) return;
    const scale = this.scales[this.before.get(select)];
    this.before.set(select, select.value);
    const field = (name) => select.form.elements[select.name.replace(/scale$/, name)];
    if (select.value !== "own" || !scale || field("choices").value.trim()) return;
    for (const [name, value] of Object.entries(scale)) field(name).value = value;
  }
}
