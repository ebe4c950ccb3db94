// What playing another clip of the unit means. No DOM, no clock.

import { positionAt } from "./transport.js";

const PROMPT = "0";

// Two responses in the same turn: in synchronised playback they share one playhead and one loop.
export function areTwins(one, other) {
  return one.turn === other.turn && one.place !== other.place && one.place !== PROMPT && other.place !== PROMPT;
}

// Where a clip begins that is played instead of its twin, from the states of both.
export function continuation(from, to, now) {
  const position = positionAt(from, now);
  return position >= from.duration || position >= to.duration ? 0 : position;
}

// Which turn of those at one place is meant: the one that was played last, or the next once that was played to its
// end; from another place, the same turn as there.
export function turnMeant(turns, last) {
  const at = turns.indexOf(last);
  if (at >= 0) return last.hasEnded() ? turns[(at + 1) % turns.length] : last;
  return turns.find((one) => one.turn === last?.turn) ?? turns[0];
}
