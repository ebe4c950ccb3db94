// The overlay of keys: shows the map of the moment everywhere on the page, and lets each key be changed.

import { DEFAULTS, isKey, keymapOf, remapped, signOf } from "./keymap.js";

const KEPT = "earshot.keys";

export class KeysDialog {
  constructor(dialog) {
    this.keymap = keymapOf(JSON.parse(localStorage.getItem(KEPT) ?? "null"));
    this.asking = null;
    dialog.addEventListener("click", (event) => this.clicked(event.target));
    dialog.addEventListener("keydown", (event) => this.pressed(event));
    dialog.addEventListener("close", () => this.ask(null));
    this.draw();
  }

  clicked(element) {
    const button = element.closest("[data-remap]");
    if (button) this.ask(button);
    if (element.closest("[data-reset-keys]")) this.keep({ ...DEFAULTS });
  }

  pressed(event) {
    if (!this.asking || !isKey(event.key)) return;
    event.preventDefault();
    this.keep(remapped(this.keymap, this.asking.dataset.remap, event.key));
    this.ask(null);
  }

  ask(button) {
    if (this.asking) this.asking.textContent = this.asking.dataset.text;
    this.asking = button;
    if (button) button.textContent = button.dataset.asking;
  }

  keep(keymap) {
    this.keymap = keymap;
    localStorage.setItem(KEPT, JSON.stringify(keymap));
    this.draw();
  }

  // Every `kbd` of a player, an option or a button that names its action shows the key it has now.
  draw(root = document) {
    for (const sign of root.querySelectorAll("[data-key-for]")) {
      const key = this.keymap[sign.dataset.keyFor];
      if (key) sign.textContent = signOf(key);
    }
    for (const clip of root.querySelectorAll("[data-clip]")) {
      const sign = clip.querySelector(".player kbd");
      const key = this.keymap[`play-${clip.dataset.place}`];
      if (sign && key) sign.textContent = signOf(key);
    }
  }
}
