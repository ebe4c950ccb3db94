// What an aspect waits for is chosen among those before it, instead of written. The fields keep the names, and
// follow when an aspect is renamed.

import { options, pairs, words, writePairs, writeWords } from "./lines.js";

export class References {
  constructor(form, scales) {
    this.form = form;
    this.scales = scales;
    this.names = new WeakMap();
    this.drawn = new WeakMap();
    this.refresh();
    for (const event of ["input", "change", "composed"]) form.addEventListener(event, () => this.refresh());
  }

  refresh() {
    const aspects = [...this.form.querySelectorAll('[data-rows="aspect"] > [data-row]')].map((row) => this.read(row));
    for (const aspect of aspects) this.followRename(aspect, aspects);
    for (const [place, aspect] of aspects.entries()) this.drawRow(aspect.row, aspects.slice(0, place));
    this.drawConditions(this.form.elements.criteria_only_if, aspects);
  }

  read(row) {
    const field = (name) => this.form.elements[`${row.dataset.row}-${name}`];
    const scale = field("scale");
    const own = scale.value === "own" ? field("choices").value : (this.scales[scale.value]?.choices ?? "");
    const name = field("name").value.trim();
    return { row, name, title: field("title").value.trim() || name, choices: options(own), scale };
  }

  // Aspects that waited for the old name wait for the new one, unless another aspect has the old one too.
  followRename({ row, name }, aspects) {
    const old = this.names.get(row);
    if (!name) return;
    this.names.set(row, name);
    if (!old || old === name || aspects.some((other) => other.row !== row && other.name === old)) return;
    const renamed = (one) => (one === old ? name : one);
    const inQuestion = (one) => one.replace(/^[^.]*/, renamed);
    for (const field of this.form.querySelectorAll('[name$="-after"]')) {
      field.value = writeWords(words(field.value).map(renamed));
    }
    for (const field of this.form.querySelectorAll('[name$="-unlike"]')) field.value = renamed(field.value);
    for (const field of this.form.querySelectorAll('[name$="only_if"], [name$="-answers"]')) {
      const list = pairs(field.value);
      if (list.some(([key]) => inQuestion(key) !== key)) {
        field.value = writePairs(list.map(([key, value]) => [inQuestion(key), value]));
      }
    }
  }

  drawRow(row, earlier) {
    const field = (name) => this.form.elements[`${row.dataset.row}-${name}`];
    this.drawAfter(field("after"), earlier);
    this.drawConditions(field("only_if"), earlier);
    this.drawUnlike(field("unlike"), earlier);
    const note = row.querySelector("[data-row-note]");
    note.textContent = field("scale").selectedOptions[0]?.text ?? "";
  }

  drawAfter(input, earlier) {
    const chosen = words(input.value);
    const picker = this.picker(input, [earlier.map(({ name, title }) => [name, title]), chosen]);
    if (!picker) return;
    const known = new Set(earlier.map(({ name }) => name));
    const gone = chosen.filter((name) => !known.has(name)).map((name) => ({ name, title: name, isGone: true }));
    for (const aspect of [...earlier, ...gone])
      picker.append(this.checkbox(input, aspect, chosen.includes(aspect.name)));
    if (!picker.childElementCount) picker.append(this.nothing(input, "nothingBefore"));
  }

  checkbox(input, { name, title, isGone }, isChosen) {
    const box = make("input", { type: "checkbox", checked: isChosen });
    box.addEventListener("change", (event) => {
      event.stopPropagation();
      const others = words(input.value).filter((one) => one !== name);
      this.write(input, writeWords(box.checked ? [...others, name] : others), { redraw: isGone });
    });
    const label = make("label", { className: isGone ? "chip pick gone" : "chip pick" });
    label.append(box, ` ${title}`);
    return label;
  }

  drawConditions(input, earlier) {
    const conditions = pairs(input.value);
    const open = earlier.filter(({ choices }) => choices.length);
    const picker = this.picker(input, [open.map(({ name, title, choices }) => [name, title, choices]), conditions]);
    if (!picker) return;
    for (const condition of conditions) picker.append(this.condition(input, condition, earlier));
    if (open.length) picker.append(this.conditionSelect(input, open));
    else if (!conditions.length) picker.append(this.nothing(input, "nothingToChoose"));
  }

  condition(input, [name, value], earlier) {
    const aspect = earlier.find((one) => one.name === name);
    const choice = aspect?.choices.find((one) => one.value === value);
    const button = make("button", { type: "button", className: choice ? "chip pick" : "chip pick gone" });
    button.textContent = `${aspect?.title ?? name}: ${choice?.label ?? value} ✕`;
    button.setAttribute("aria-label", `${button.textContent.slice(0, -2)}: ${this.form.dataset.textRemove}`);
    button.addEventListener("click", () => {
      const left = pairs(input.value).filter(([one]) => one !== name);
      this.write(input, writePairs(left), { redraw: true });
    });
    return button;
  }

  conditionSelect(input, open) {
    const select = make("select", {});
    select.setAttribute("aria-label", labelOf(input));
    select.append(new Option(this.form.dataset.textCondition, ""));
    for (const { name, title, choices } of open) {
      const group = make("optgroup", { label: title });
      for (const { value, label } of choices) {
        const option = new Option(`${title}: ${label}`, value);
        option.dataset.aspect = name;
        group.append(option);
      }
      select.append(group);
    }
    select.addEventListener("change", (event) => {
      event.stopPropagation();
      const option = select.selectedOptions[0];
      if (!option.dataset.aspect) return;
      const others = pairs(input.value).filter(([name]) => name !== option.dataset.aspect);
      this.write(input, writePairs([...others, [option.dataset.aspect, option.value]]), { redraw: true });
    });
    return select;
  }

  drawUnlike(input, earlier) {
    const picker = this.picker(input, [earlier.map(({ name, title }) => [name, title]), input.value]);
    if (!picker) return;
    if (!earlier.length && !input.value) {
      picker.append(this.nothing(input, "nothingBefore"));
      return;
    }
    const select = make("select", {});
    select.setAttribute("aria-label", labelOf(input));
    select.append(new Option("–", ""));
    for (const { name, title } of earlier) select.append(new Option(title, name));
    if (!earlier.some(({ name }) => name === input.value) && input.value) select.append(new Option(input.value));
    select.value = input.value;
    select.addEventListener("change", (event) => {
      event.stopPropagation();
      this.write(input, select.value, { redraw: false });
    });
    picker.append(select);
  }

  // The emptied picker of a field, or null where nothing has changed since it was drawn.
  picker(input, state) {
    const earlier = JSON.stringify(state[0]);
    const last = this.drawn.get(input);
    if (last && last.earlier === earlier && last.value === input.value) return null;
    let picker = last?.picker;
    if (!picker) {
      picker = make("div", { className: "picker" });
      picker.setAttribute("role", "group");
      picker.setAttribute("aria-label", labelOf(input));
      input.hidden = true;
      const help = document.getElementById(`${input.id}_helptext`);
      if (help) help.hidden = true;
      input.after(picker);
    }
    this.drawn.set(input, { picker, earlier, value: input.value });
    picker.replaceChildren();
    return picker;
  }

  // Without `redraw` the picker shows already what was chosen, and keeps the focus.
  write(input, value, { redraw }) {
    input.value = value;
    const drawn = this.drawn.get(input);
    if (!redraw) drawn.value = value;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    if (redraw) drawn.picker.querySelector("select, input, button")?.focus();
  }

  nothing(input, which) {
    const place = input.closest("[data-references]");
    return make("span", { className: "quiet", textContent: place?.dataset[which] ?? "–" });
  }
}

function make(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

function labelOf(input) {
  return input.labels[0].textContent;
}
