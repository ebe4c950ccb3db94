// Which key does what. No DOM: keys are KeyboardEvent.key in lower case.

export const DEFAULTS = Object.freeze({
  "play-0": "e",
  "play-1": "q",
  "play-2": "w",
  "play-3": "r",
  "play-4": "t",
  "play-5": "y",
  "play-6": "a",
  "play-7": "s",
  "play-8": "d",
  "play-9": "f",
  "play-10": "g",
  pause: " ",
  loop: "l",
  mark: "m",
  kind: "k",
  next: "arrowdown",
  previous: "arrowup",
  submit: "enter",
  "take-back": "u",
  guidelines: "h",
  shortcuts: "?",
  // By the place of the choice, or by its number on a scale that goes below zero.
  ...Object.fromEntries(Array.from({ length: 9 }, (_, nth) => [`choose-${nth + 1}`, String(nth + 1)])),
  "choose-0": "0",
  "choose--1": "i",
  "choose--2": "o",
  "choose--3": "p",
});

const RESERVED = new Set([
  "tab",
  "escape",
  "shift",
  "control",
  "alt",
  "altgraph",
  "meta",
  "capslock",
  "dead",
  "process",
]);
const SIGNS = { " ": "␣", arrowdown: "↓", arrowup: "↑", arrowleft: "←", arrowright: "→", enter: "↵" };

// `saved` may be anything that was once kept; what does not fit is left at its default.
export function keymapOf(saved) {
  let keymap = { ...DEFAULTS };
  for (const [action, key] of Object.entries(saved ?? {})) {
    if (action in DEFAULTS && isKey(key)) keymap = remapped(keymap, action, key);
  }
  return keymap;
}

export function actionFor(keymap, key) {
  return Object.keys(keymap).find((action) => keymap[action] === key.toLowerCase());
}

// The action gets the key; another action that had it gets the freed one, so that none is left without.
export function remapped(keymap, action, key) {
  const wanted = key.toLowerCase();
  const other = actionFor(keymap, wanted);
  const result = { ...keymap, [action]: wanted };
  if (other && other !== action) result[other] = keymap[action];
  return result;
}

export function isKey(key) {
  return typeof key === "string" && key !== "" && !RESERVED.has(key.toLowerCase());
}

export function signOf(key) {
  return SIGNS[key] ?? key.toUpperCase();
}
