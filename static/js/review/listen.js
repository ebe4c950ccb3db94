// A unit to listen to, without questions: the players of the labelling page; N and P go through the list.

import { onKey } from "../label/keyboard.js";
import { keymapOf } from "../label/keymap.js";
import { Players } from "../label/players.js";
import { HeardHere } from "./heard_here.js";

const root = document.querySelector("[data-unit]");
const players = new Players(root, new HeardHere(), () => {});
const keymap = keymapOf(JSON.parse(localStorage.getItem("earshot.keys") ?? "null"));
const nothing = () => {};
const questions = { form: root, choose: nothing, move: nothing, isComplete: () => false };
const unit = { players, questions, notes: { mark: nothing }, openDialog: nothing, takeBack: nothing };

for (const clip of root.querySelectorAll("[data-clip]")) {
  clip.querySelector(".player kbd").textContent = (keymap[`play-${clip.dataset.place}`] ?? "").toUpperCase();
}
document.addEventListener("keydown", (event) => {
  if (!go(event)) onKey(event, keymap, unit);
});

function go(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, select, input")) return false;
  const link = document.querySelector(`[data-go="${CSS.escape(event.key.toLowerCase())}"]`);
  link?.click();
  return link !== null;
}
