// A list of rows that can be added, removed and moved. Their order on the page is the order in which they are sent.

export class Rows {
  constructor(form, list, { onAdded = () => {} } = {}) {
    this.form = form;
    this.list = list;
    this.kind = list.dataset.rows;
    this.template = form.querySelector(`template[data-blank="${this.kind}"]`);
    this.onAdded = onAdded;
    this.said = form.querySelector("[data-said]");
    this.undo = form.querySelector("[data-undo]");
    this.next = Math.max(-1, ...this.all().map((row) => Number(keyOf(row)) || 0)) + 1;
    list.addEventListener("click", (event) => this.click(event.target.closest("[data-move], [data-remove]")));
    list.addEventListener("input", (event) => this.retitle(event.target.closest("[data-row]")));
  }

  all() {
    return [...this.list.children];
  }

  // A new row at the end, with these values by field; null where there is no room for more.
  add(values = {}, key = this.next) {
    if (this.all().length >= Number(this.list.dataset.most)) {
      this.say(this.said.dataset.full);
      return null;
    }
    this.next = Math.max(this.next, Number(key) || 0) + 1;
    const made = document.createElement("template");
    made.innerHTML = this.template.innerHTML.replaceAll(`${this.kind}-KEY`, `${this.kind}-${key}`);
    const row = made.content.firstElementChild;
    this.list.append(row);
    for (const [name, value] of Object.entries(values)) put(row.querySelector(`[name$="-${name}"]`), value);
    this.retitle(row);
    this.onAdded(row);
    return row;
  }

  // Only these keys, in this order; what is missing is added blank.
  arrange(keys) {
    const there = new Map(this.all().map((row) => [keyOf(row), row]));
    for (const [key, row] of there) if (!keys.includes(key)) row.remove();
    for (const key of keys) {
      const row = there.get(key) ?? this.add({}, key);
      if (row) this.list.append(row);
    }
  }

  click(button) {
    if (!button) return;
    const row = button.closest("[data-row]");
    if ("remove" in button.dataset) this.remove(row);
    else this.move(row, Number(button.dataset.move), button);
  }

  move(row, step, button) {
    const other = step < 0 ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return;
    if (step < 0) other.before(row);
    else other.after(row);
    button.focus();
    row.scrollIntoView({ block: "nearest", behavior: "smooth" });
    this.say(`${this.said.dataset.moved.replace("#", titleOf(row))} ${this.all().indexOf(row) + 1}`);
    this.changed();
  }

  remove(row) {
    const after = row.nextElementSibling;
    const neighbour = after ?? row.previousElementSibling;
    row.remove();
    this.say(this.said.dataset.removed.replace("#", titleOf(row)));
    this.undo.hidden = false;
    this.undo.onclick = () => this.putBack(row, after);
    const next = neighbour?.querySelector("[data-remove]") ?? this.form.querySelector(`[data-add="${this.kind}"]`);
    next.focus();
    this.changed();
  }

  putBack(row, after) {
    this.list.insertBefore(row, after?.parentElement === this.list ? after : null);
    this.say("");
    row.querySelector("[data-remove]").focus();
    this.changed();
  }

  retitle(row) {
    if (!row) return;
    const title = row.querySelector("[data-row-title]");
    title.textContent =
      row.querySelector('[name$="-title"], [name$="-heard"]').value.trim() || title.dataset.untitled;
  }

  say(text) {
    this.undo.hidden = true;
    this.said.textContent = text;
  }

  changed() {
    this.form.dispatchEvent(new Event("composed"));
  }
}

export function put(field, value) {
  if (!field) return;
  if (field.type === "checkbox") field.checked = Boolean(value);
  else field.value = value;
}

function keyOf(row) {
  return row.dataset.row.replace(/^[a-z]+-/, "");
}

function titleOf(row) {
  return row.querySelector("[data-row-title]").textContent;
}
