// The faults that the server found, each at its field once that field was visited, and all of them at the button.

export class Faults {
  constructor(form) {
    this.form = form;
    this.visited = new Set();
    this.showAll = "posted" in form.dataset;
    form.addEventListener("focusout", (event) => this.visit(event.target.name));
    form.addEventListener("change", (event) => this.visit(event.target.name));
    form.addEventListener("click", (event) => this.click(event));
    this.show();
  }

  visit(name) {
    if (!name || this.visited.has(name)) return;
    this.visited.add(name);
    this.show();
  }

  show() {
    const found = new Map();
    for (const item of this.form.querySelectorAll("[data-fault]")) {
      found.set(item.dataset.fault, [...(found.get(item.dataset.fault) ?? []), item]);
    }
    for (const slot of this.form.querySelectorAll("[data-fault-at]")) {
      const name = slot.dataset.faultAt;
      const items = this.showAll || this.visited.has(name) ? (found.get(name) ?? []) : [];
      this.fill(slot, items);
      this.mark(name, slot, items.length > 0);
    }
  }

  fill(slot, items) {
    slot.hidden = items.length === 0;
    slot.replaceChildren(
      ...items.flatMap((item) => {
        const button = item.querySelector("[data-put]")?.cloneNode(true);
        return [`${item.querySelector("a").textContent} `, ...(button ? [button] : [])];
      }),
    );
  }

  mark(name, slot, isAtFault) {
    const help = slot.id.replace(/_error$/, "_helptext");
    const described = [document.getElementById(help) && help, isAtFault && slot.id].filter(Boolean).join(" ");
    for (const field of this.fields(name)) {
      if (isAtFault) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
      if (described) field.setAttribute("aria-describedby", described);
      else field.removeAttribute("aria-describedby");
    }
  }

  click(event) {
    const link = event.target.closest("[data-leads-to]");
    const button = event.target.closest("[data-put]");
    if (link) {
      event.preventDefault();
      this.lead(link.dataset.leadsTo);
    }
    if (button) this.put(button);
  }

  lead(name) {
    const field = this.fields(name)[0];
    const goal = field ?? document.getElementById("aspects");
    for (let around = goal.parentElement; around; around = around.parentElement) {
      if (around.tagName === "DETAILS") around.open = true;
    }
    this.visit(name);
    const seen = goal.hidden ? goal.nextElementSibling.querySelector("input, select, button") : goal;
    (seen ?? goal.closest("details").querySelector("summary")).focus();
    goal.closest(".field")?.scrollIntoView({ block: "center", behavior: "smooth" });
  }

  put(button) {
    const field = this.fields(button.dataset.into)[0];
    field.value = button.dataset.put;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    field.focus();
  }

  fields(name) {
    return name ? [...document.getElementsByName(name)].filter((field) => field.form === this.form) : [];
  }
}
