// Run by `node --test`; tests/config/test_scripts.py does it where Node.js is installed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { EMPTY, isUsable, next, positionAt } from "../../static/js/player/transport.js";

const run = (...events) => events.reduce(next, EMPTY);
const LOADED = [{ type: "load" }, { type: "loaded", duration: 4 }];

test("a clip is usable once it is loaded", () => {
  assert.equal(isUsable(EMPTY), false);
  assert.equal(isUsable(run({ type: "load" })), false);
  assert.equal(isUsable(run(...LOADED)), true);
});

test("playing moves the position with the clock and stops at the end", () => {
  const playing = run(...LOADED, { type: "play", now: 10 });
  assert.equal(positionAt(playing, 11.5), 1.5);
  assert.equal(positionAt(playing, 99), 4);
});

test("pausing keeps the position, and playing goes on from there", () => {
  const paused = run(...LOADED, { type: "play", now: 10 }, { type: "pause", now: 11 });
  assert.equal(paused.position, 1);
  assert.equal(positionAt(next(paused, { type: "play", now: 20 }), 21), 2);
});

test("a clip that ended begins again", () => {
  const ended = run(...LOADED, { type: "play", now: 0 }, { type: "ended" });
  assert.deepEqual([ended.phase, ended.position, ended.heard], ["ready", 4, true]);
  assert.equal(next(ended, { type: "play", now: 5 }).position, 0);
});

test("a clip that was paused before its end was not heard", () => {
  assert.equal(run(...LOADED, { type: "play", now: 0 }, { type: "pause", now: 3 }).heard, false);
});

test("seeking stays inside the clip, and goes on playing if it played", () => {
  const playing = run(...LOADED, { type: "play", now: 0 }, { type: "seek", position: 9, now: 1 });
  assert.deepEqual([playing.phase, playing.position], ["playing", 4]);
  assert.equal(run(...LOADED, { type: "seek", position: -1, now: 1 }).position, 0);
});

test("nothing plays that is not there", () => {
  const failed = run({ type: "load" }, { type: "failed" });
  assert.equal(next(failed, { type: "play", now: 1 }).phase, "failed");
  assert.equal(next(failed, { type: "load" }).phase, "loading");
});

test("an event nobody knows is a mistake", () => {
  assert.throws(() => next(EMPTY, { type: "rewind" }), /rewind/);
});
