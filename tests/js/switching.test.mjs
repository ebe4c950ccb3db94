import assert from "node:assert/strict";
import { test } from "node:test";

import { areTwins, continuation, turnMeant } from "../../static/js/player/switching.js";
import { EMPTY, next } from "../../static/js/player/transport.js";

const clip = (place, turn = "1") => ({ place, turn });
const loaded = (duration) => [{ type: "load" }, { type: "loaded", duration }].reduce(next, EMPTY);
const playing = (duration, position = 0) =>
  [
    { type: "seek", position, now: 0 },
    { type: "play", now: 0 },
  ].reduce(next, loaded(duration));

test("responses of one turn are twins, and the prompt is nobody's", () => {
  assert.equal(areTwins(clip("1"), clip("2")), true);
  assert.equal(areTwins(clip("1"), clip("1")), false);
  assert.equal(areTwins(clip("0"), clip("1")), false);
  assert.equal(areTwins(clip("1"), clip("0")), false);
  assert.equal(areTwins(clip("1", "1"), clip("2", "2")), false);
});

test("the other response goes on at the same place", () => {
  assert.equal(continuation(playing(4), loaded(5), 1.25), 1.25);
  assert.equal(continuation(next(playing(4), { type: "pause", now: 3 }), loaded(5), 99), 3);
});

test("a response that is shorter than the playhead begins anew", () => {
  assert.equal(continuation(playing(4), loaded(2), 1.9), 1.9);
  assert.equal(continuation(playing(4), loaded(2), 2), 0);
});

test("after a response was played to its end the other one begins anew, though it be longer", () => {
  assert.equal(continuation(next(playing(4), { type: "ended" }), loaded(5), 9), 0);
});

test("a playhead that goes round is handed on where it is", () => {
  const looping = [
    { type: "loop", now: 1 },
    { type: "loop", now: 2 },
  ].reduce(next, playing(4));
  assert.equal(continuation(looping, loaded(4), 3.25), 1.25);
});

test("a key means the turn that was played, the next once that ended, and the same turn at another place", () => {
  const turn = (number, ended = false) => ({ turn: number, hasEnded: () => ended });
  const [first, second, third] = [turn("1"), turn("2", true), turn("3", true)];
  const turns = [first, second, third];
  assert.equal(turnMeant(turns, null), first);
  assert.equal(turnMeant(turns, first), first);
  assert.equal(turnMeant(turns, second), third);
  assert.equal(turnMeant(turns, third), first);
  assert.equal(turnMeant(turns, turn("2")), second);
  assert.equal(turnMeant(turns, turn("9")), first);
});
