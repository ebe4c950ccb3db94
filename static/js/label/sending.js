// What the page shows while an answer is on its way, and what it says beside the button when it did not arrive.

const FAILURES = { offline: [0, 502, 504], "cannot-store": [503], "logged-out": [401, 403] };

export class Sending {
  constructor(area) {
    this.area = area;
    this.button = null;
  }

  // `element` is the form that was submitted, or the button that was pressed.
  begin(element) {
    this.end();
    this.clear();
    this.button = element.matches("form") ? element.querySelector("[data-submit]") : element;
    this.button?.setAttribute("aria-busy", "true");
    this.say(this.status?.dataset.text ?? "");
  }

  end() {
    this.button?.removeAttribute("aria-busy");
    this.button = null;
    this.say("");
  }

  // `status` is that of the answer; 0 where none came.
  fail(status) {
    const kind = Object.keys(FAILURES).find((name) => FAILURES[name].includes(status)) ?? "refused";
    if (status !== 422) this.show(kind);
  }

  show(kind) {
    this.area.querySelector(`[data-failure="${kind}"]`).hidden = false;
    this.bringIntoView();
  }

  // The failure and the button together; an answer that is at fault says why in the same place.
  bringIntoView() {
    this.area.querySelector("[data-sending]").closest(".submit").scrollIntoView({ block: "nearest" });
  }

  clear() {
    for (const failure of this.area.querySelectorAll("[data-failure]")) failure.hidden = true;
    this.area.querySelector("#errors")?.replaceChildren();
  }

  say(text) {
    if (this.status) this.status.textContent = text;
  }

  get status() {
    return this.area.querySelector("[data-sending]");
  }
}
