// Run by `node --test`; tests/config/pages/test_scripts.py does it where Node.js is installed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { EMPTY, endOf, isLooping, isUsable, next, played, positionAt } from "../../static/js/player/transport.js";

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

const LOOPING = run(...LOADED, { type: "play", now: 10 }, { type: "loop", now: 11 }, { type: "loop", now: 12 }); // from 1 to 2 s, and at 1 s when the clock says 12

test("the first call begins a loop, the second ends it, the third takes it away", () => {
  const playing = run(...LOADED, { type: "play", now: 10 });
  const open = next(playing, { type: "loop", now: 11 });
  assert.deepEqual([open.loop, isLooping(open), positionAt(open, 11.5)], [{ start: 1, end: null }, false, 1.5]);
  const looping = next(open, { type: "loop", now: 12 });
  assert.deepEqual([looping.loop, looping.position, looping.phase], [{ start: 1, end: 2 }, 1, "playing"]);
  const free = next(looping, { type: "loop", now: 12.5 });
  assert.deepEqual([free.loop, free.position, positionAt(free, 13.5)], [null, 1.5, 2.5]);
});

test("a loop goes round and never ends", () => {
  assert.deepEqual(
    [12, 12.75, 13, 13.25, 112.5].map((now) => positionAt(LOOPING, now)),
    [1, 1.75, 1, 1.25, 1.5],
  );
});

test("a loop that is too short is widened, backwards at the clip's end", () => {
  const marked = (...positions) =>
    positions.reduce(
      (state, position) => next(next(state, { type: "seek", position, now: 0 }), { type: "loop", now: 0 }),
      run(...LOADED),
    ).loop;
  assert.deepEqual(marked(1, 1.2), { start: 1, end: 1.5 });
  assert.deepEqual(marked(1.2, 1), { start: 1, end: 1.5 });
  assert.deepEqual(marked(3, 1), { start: 1, end: 3 });
  assert.deepEqual(marked(4, 4), { start: 3.5, end: 4 });
  const short = [
    { type: "load" },
    { type: "loaded", duration: 0.3 },
    { type: "loop", now: 0 },
    { type: "loop", now: 0 },
  ];
  assert.deepEqual(run(...short).loop, { start: 0, end: 0.3 });
});

test("with a loop the playhead stays in it: when it plays, is moved or left", () => {
  const paused = next(LOOPING, { type: "pause", now: 13.75 });
  assert.equal(paused.position, 1.75);
  assert.equal(next(paused, { type: "play", now: 20 }).position, 1.75);
  assert.equal(next(LOOPING, { type: "seek", position: 0.5, now: 12 }).position, 1);
  assert.equal(next(LOOPING, { type: "seek", position: 2, now: 12 }).position, 1);
  assert.equal(next(LOOPING, { type: "seek", position: 1.5, now: 12 }).position, 1.5);
  const left = next(LOOPING, { type: "leave", now: 12.5 });
  assert.deepEqual([left.phase, left.position, left.loop], ["ready", 1, { start: 1, end: 2 }]);
});

test("a clip that is left begins anew", () => {
  const left = run(...LOADED, { type: "play", now: 0 }, { type: "leave", now: 3 });
  assert.deepEqual([left.phase, left.position, left.heard], ["ready", 0, false]);
});

test("another clip's loop is taken where it fits", () => {
  const take = (loop) => run(...LOADED, { type: "takeLoop", loop, now: 0 }).loop;
  assert.deepEqual(take({ start: 3, end: 4 }), { start: 3, end: 4 });
  assert.deepEqual(take({ start: 3, end: null }), { start: 3, end: null });
  assert.equal(take({ start: 3, end: 4.1 }), null);
  assert.equal(take({ start: 4.1, end: null }), null);
  assert.equal(next(LOOPING, { type: "takeLoop", loop: null, now: 12.5 }).position, 1.5);
});

test("what was played is told between two moments", () => {
  const playing = run(...LOADED, { type: "play", now: 10 });
  assert.deepEqual(played(playing, 10.5, 11.5), [[0.5, 1.5]]);
  assert.deepEqual(played(playing, 13, 99), [[3, 4]]);
  assert.deepEqual(played(playing, 14, 99), []);
  assert.deepEqual(played(run(...LOADED), 0, 9), []);
});

test("nothing was played before a clip that is to start a little later", () => {
  const playing = run(...LOADED, { type: "play", now: 10 });
  assert.equal(positionAt(playing, 9.5), 0);
  assert.deepEqual(played(playing, 9, 9.5), []);
  assert.deepEqual(played(playing, 9, 10.5), [[0, 0.5]]);
});

test("every time round a loop is told, and all of it adds up to the time that passed", () => {
  assert.deepEqual(played(LOOPING, 12.5, 14.25), [
    [1.5, 2],
    [1, 2],
    [1, 1.25],
  ]);
  assert.deepEqual(played(LOOPING, 13, 13.5), [[1, 1.5]]);
  for (let since = 12; since < 20; since += 0.37) {
    const parts = played(LOOPING, since, since + 2.9);
    assert.ok(Math.abs(parts.reduce((sum, [start, end]) => sum + end - start, 0) - 2.9) < 1e-9);
    assert.ok(parts.every(([start, end]) => 1 <= start && start <= end && end <= 2));
  }
});

test("a clip ends when the rest of it was played", () => {
  const playing = run(...LOADED, { type: "seek", position: 1, now: 0 }, { type: "play", now: 10 });
  assert.equal(endOf(playing), 13);
});

test("nothing loops in a clip without length", () => {
  const empty = run({ type: "load" }, { type: "loaded", duration: 0 }, { type: "loop", now: 0 });
  assert.equal(empty.loop, null);
});
