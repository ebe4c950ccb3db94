// One finger, no modifiers. Nothing fires while typing or while a dialog is open.

import { actionFor } from "./keymap.js";

export function onKey(event, keymap, unit) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (belongsToElement(event.key, event.target)) return;
  const act = commandOf(actionFor(keymap, event.key), unit);
  if (!act) return;
  event.preventDefault();
  act();
}

function commandOf(action, { players, questions, notes, openDialog, takeBack }) {
  const [verb, number] = action?.match(/^(play|choose)-(-?\d+)$/)?.slice(1) ?? [action];
  const always = {
    "take-back": takeBack,
    guidelines: () => openDialog("guidelines"),
    shortcuts: () => openDialog("shortcuts"),
  };
  if (!questions) return always[verb];
  return {
    ...always,
    play: () => players.play(number),
    choose: () => questions.choose(number),
    pause: () => players.pauseOrResume(),
    loop: () => players.loop(),
    mark: () => notes.mark(),
    kind: () => notes.nextKind(),
    next: () => questions.move(1),
    previous: () => questions.move(-1),
    submit: () => questions.isComplete() && questions.form.requestSubmit(),
  }[verb];
}

// Space and Enter press what has the focus, Space chooses it, and arrows move in it.
function belongsToElement(key, element) {
  if (key === "Enter") return element.closest("button, a, summary, select") !== null;
  if (key === " ") return element.closest("button, a, summary, select, [type=radio], [type=checkbox]") !== null;
  return element.matches("[type=range], select") && /^(Arrow|Page|Home|End)/.test(key);
}

function isTyping(element) {
  return element.matches("textarea, [contenteditable], input:not([type=radio], [type=checkbox], [type=range])");
}
