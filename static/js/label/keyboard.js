// One finger, no modifiers. Nothing fires while typing or while a dialog is open.

// The prompt is at place 0; the responses follow along the upper row, and then the middle one.
const PLACES = { e: "0", q: "1", w: "2", r: "3", t: "4", y: "5", a: "6", s: "7", d: "8", f: "9", g: "10" };

export function onKey(event, { players, questions, openDialog }) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const act = action(event, { players, questions, openDialog });
  if (!act) return;
  event.preventDefault();
  act();
}

function action(event, { players, questions, openDialog }) {
  const key = event.key.toLowerCase();
  if (key in PLACES) return () => players.play(PLACES[key]);
  if (key === "?") return () => openDialog("shortcuts");
  if (/^[1-9]$/.test(key)) return () => questions.choose(Number(key) - 1);
  if (key === " " && !event.target.closest("button, a")) return () => players.pauseOrResume();
  if (event.target.matches("[type=range]")) return null;
  if (key === "arrowdown") return () => questions.move(1);
  if (key === "arrowup") return () => questions.move(-1);
  if (key === "enter" && !event.target.closest("button, a")) {
    return () => questions.isComplete() && questions.form.requestSubmit();
  }
  return null;
}

function isTyping(element) {
  return element.matches("textarea, select, [contenteditable], input:not([type=radio], [type=range])");
}
