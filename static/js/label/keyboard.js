// One finger, no modifiers. Nothing fires while typing or while a dialog is open.

import { actionFor } from "./keymap.js";

export function onKey(event, keymap, unit) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (belongsToElement(event.key, event.target)) return;
  const act = deed(actionFor(keymap, event.key), unit);
  if (!act) return;
  event.preventDefault();
  act();
}

function deed(action, { players, questions, notes, openDialog, takeBack }) {
  const [verb, number] = action?.match(/^(play|choose)-(\d+)$/)?.slice(1) ?? [action];
  const always = {
    "take-back": takeBack,
    guidelines: () => openDialog("guidelines"),
    shortcuts: () => openDialog("shortcuts"),
  };
  if (!questions) return always[verb];
  return {
    ...always,
    play: () => players.play(number),
    choose: () => questions.choose(Number(number) - 1),
    pause: () => players.pauseOrResume(),
    loop: () => players.loop(),
    mark: () => notes.mark(),
    next: () => questions.move(1),
    previous: () => questions.move(-1),
    submit: () => questions.isComplete() && questions.form.requestSubmit(),
  }[verb];
}

// Space and Enter press what has the focus, and arrows move a slider.
function belongsToElement(key, element) {
  if (key === " " || key === "Enter") return element.closest("button, a, summary") !== null;
  return element.matches("[type=range]") && /^(Arrow|Page|Home|End)/.test(key);
}

function isTyping(element) {
  return element.matches("textarea, select, [contenteditable], input:not([type=radio], [type=range])");
}
