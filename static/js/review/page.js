// A unit's review page: the players and questions of the labelling page, without its duties. The next unit takes the
// place of this one without a new page, and is set up as the first was.

import { onKey } from "../label/keyboard.js";
import { keymapOf, signOf } from "../label/keymap.js";
import { Players } from "../label/players.js";
import { Questions } from "../label/questions.js";
import { fill } from "../questions/fill.js";
import { HeardHere } from "./heard_here.js";
import { FIELDS, press } from "./pressed.js";

const KEPT = "earshot.keys";
const keymap = keymapOf(JSON.parse(localStorage.getItem(KEPT) ?? "null"));
const nothing = () => {};
let shown = null;
let unit = null;

document.addEventListener("keydown", (event) => {
  if (!press(event) && !begin(event) && unit) onKey(event, keymap, unit);
});
document.addEventListener("htmx:afterSettle", start);
document.addEventListener("htmx:historyRestore", start);
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target?.contains(shown)) stop();
});
start();

function start() {
  const form = document.querySelector("[data-unit]");
  if (!form || form === shown) return;
  stop();
  shown = form;
  for (const [name, value] of Object.entries(JSON.parse(form.dataset.answers))) fill(form, name, value);
  const players = new Players(form, new HeardHere(), nothing);
  const notes = { mark: nothing, nextKind: nothing };
  unit = { players, questions: ownAnswer(form), notes, openDialog: nothing, takeBack: nothing };
  for (const sign of form.querySelectorAll("[data-key-for]"))
    sign.textContent = signOf(keymap[sign.dataset.keyFor] ?? "");
  for (const clip of form.querySelectorAll("[data-clip]")) {
    const marks = clip.querySelector(".marks");
    if (marks) clip.querySelector("[data-track]").append(marks); // onto the clip's own line of time
    clip.querySelector(".player kbd").textContent = (keymap[`play-${clip.dataset.place}`] ?? "").toUpperCase();
  }
  for (const button of document.querySelectorAll("[data-hear]")) {
    button.addEventListener("click", () => hear(button.dataset.hear, Number(button.dataset.at)));
  }
}

// X begins with the next answer to leave out, C with a comment: their first field gets the focus.
function begin(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches(FIELDS)) return false;
  const field = { x: reasonField, c: () => document.querySelector("[data-comment]") }[event.key.toLowerCase()]?.();
  if (!field) return false;
  event.preventDefault();
  field.focus();
  return true;
}

function reasonField() {
  const forms = [...document.querySelectorAll("[data-leave-out]")];
  const next = forms.find((form) => !form.open) ?? forms[0];
  if (next) next.open = true;
  return next?.querySelector("select");
}

// The keys of the questions speak to what can be seen. A control unit has no questions.
function ownAnswer(form) {
  const own = form.querySelector(".adjudicate details");
  if (!own) return { form, choose: nothing, move: nothing, isComplete: () => false };
  const questions = new Questions(form, () => []);
  return {
    form,
    choose: (choice) => {
      own.open = true;
      return questions.choose(choice);
    },
    move: (step) => own.open && questions.move(step),
    isComplete: () => own.open && questions.isComplete(),
  };
}

function hear(clip, at) {
  const player = unit.players.all.find(({ place, turn }) => `${place}-${turn}` === clip);
  player.seek(at);
  player.play();
}

function stop() {
  unit?.players.dispose();
  unit = shown = null;
}
