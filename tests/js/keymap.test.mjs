import assert from "node:assert/strict";
import { test } from "node:test";

import { actionFor, DEFAULTS, isKey, keymapOf, remapped, signOf } from "../../static/js/label/keymap.js";

test("every action has a key of its own", () => {
  assert.equal(new Set(Object.values(DEFAULTS)).size, Object.keys(DEFAULTS).length);
});

test("the keys of the field are the defaults", () => {
  const played = ["e", "q", "w", " ", "u", "?", "1", "4", "Enter", "ArrowDown"].map((key) =>
    actionFor(DEFAULTS, key),
  );
  assert.deepEqual(played, [
    "play-0",
    "play-1",
    "play-2",
    "pause",
    "take-back",
    "shortcuts",
    "choose-1",
    "choose-4",
    "submit",
    "next",
  ]);
});

test("a remapped action answers to its new key alone", () => {
  const keymap = remapped(DEFAULTS, "play-1", "Z");
  assert.equal(actionFor(keymap, "z"), "play-1");
  assert.equal(actionFor(keymap, "q"), undefined);
});

test("a key that is taken changes places, so that no action is left without one", () => {
  const keymap = remapped(DEFAULTS, "play-1", "w");
  assert.equal(actionFor(keymap, "w"), "play-1");
  assert.equal(actionFor(keymap, "q"), "play-2");
  assert.equal(new Set(Object.values(keymap)).size, Object.keys(DEFAULTS).length);
});

test("what was kept comes back, and nonsense leaves the defaults", () => {
  assert.equal(actionFor(keymapOf(remapped(DEFAULTS, "loop", "z")), "z"), "loop");
  assert.deepEqual(keymapOf({ "play-1": "Escape", nothing: "x", mark: 7 }), { ...DEFAULTS });
  assert.deepEqual(keymapOf(null), { ...DEFAULTS });
});

test("keys that browsers and screen readers need stay theirs", () => {
  assert.deepEqual(["Tab", "Escape", "Shift", ""].map(isKey), [false, false, false, false]);
});

test("signs are readable", () => {
  assert.deepEqual([" ", "enter", "arrowup", "q"].map(signOf), ["␣", "↵", "↑", "Q"]);
});

test("the numbers of a scale that goes below zero have keys of their own", () => {
  const choices = ["3", "2", "1", "0", "-1", "-2", "-3"].map((value) => DEFAULTS[`choose-${value}`]);
  assert.deepEqual(choices, ["3", "2", "1", "0", "i", "o", "p"]);
});
