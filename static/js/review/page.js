// A unit's review page: the players and questions of the labelling page, without its duties; N and P go through the
// queue.

import { onKey } from "../label/keyboard.js";
import { keymapOf, signOf } from "../label/keymap.js";
import { Players } from "../label/players.js";
import { Questions } from "../label/questions.js";
import { HeardHere } from "./heard_here.js";

const KEPT = "earshot.keys";
const form = document.querySelector("[data-unit]");

for (const [name, value] of Object.entries(JSON.parse(form.dataset.answers))) {
  if (form.elements[name]) form.elements[name].value = value;
}
const players = new Players(form, new HeardHere(), () => {});
const questions = new Questions(form, () => []);
const keymap = keymapOf(JSON.parse(localStorage.getItem(KEPT) ?? "null"));
const nothing = () => {};
const own = form.querySelector(".adjudicate details");
// The keys of the questions speak to what can be seen.
const ownAnswer = {
  form,
  choose: (choice) => {
    own.open = true;
    return questions.choose(choice);
  },
  move: (step) => own.open && questions.move(step),
  isComplete: () => own.open && questions.isComplete(),
};
const unit = { players, questions: ownAnswer, notes: { mark: nothing, nextKind: nothing }, openDialog: nothing, takeBack: nothing };

for (const sign of form.querySelectorAll("[data-key-for]")) sign.textContent = signOf(keymap[sign.dataset.keyFor] ?? "");
for (const clip of form.querySelectorAll("[data-clip]")) {
  const marks = clip.querySelector(".marks");
  if (marks) clip.querySelector("[data-track]").append(marks); // onto the clip's own line of time
  clip.querySelector(".player kbd").textContent = (keymap[`play-${clip.dataset.place}`] ?? "").toUpperCase();
}
for (const button of document.querySelectorAll("[data-hear]")) {
  button.addEventListener("click", () => hear(button.dataset.hear, Number(button.dataset.at)));
}
document.addEventListener("keydown", (event) => {
  if (!go(event)) onKey(event, keymap, unit);
});

function hear(clip, at) {
  const player = players.all.find(({ place, turn }) => `${place}-${turn}` === clip);
  player.seek(at);
  player.play();
}

function go(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, select, input:not([type=radio])")) return false;
  const link = document.querySelector(`[data-go="${CSS.escape(event.key.toLowerCase())}"]`);
  link?.click();
  return link !== null;
}
