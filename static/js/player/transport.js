// One clip's playback as a state machine: no DOM, no audio, no clock of its own. Times are seconds.
//
// phase: "empty" -> "loading" -> "ready" <-> "playing", or "failed" from anywhere before it is ready.
// loop: null -> {start, end: null} -> {start, end} -> null. With both ends the position stays within them.

export const SHORTEST_LOOP = 0.5;
export const EMPTY = Object.freeze({
  phase: "empty",
  position: 0,
  startedAt: 0,
  duration: 0,
  heard: false,
  loop: null,
});

const steps = {
  load: (state) => (isUsable(state) ? state : { ...EMPTY, phase: "loading" }),
  loaded: (state, { duration }) => ({ ...state, phase: "ready", duration }),
  failed: (state) => (isUsable(state) ? state : { ...EMPTY, phase: "failed" }),
  play: (state, { now }) => {
    if (state.phase !== "ready") return state;
    const position = state.position >= state.duration ? 0 : state.position;
    return moved({ ...state, phase: "playing" }, position, now);
  },
  pause: (state, { now }) => {
    if (state.phase !== "playing") return state;
    return { ...state, phase: "ready", position: positionAt(state, now) };
  },
  // Another clip is played: this one stops and goes back to where it begins.
  leave: (state, { now }) => (isUsable(state) ? moved({ ...state, phase: "ready" }, 0, now) : state),
  seek: (state, { position, now }) => (isUsable(state) ? moved(state, position, now) : state),
  loop: (state, { now }) => {
    if (!isUsable(state) || state.duration <= 0) return state;
    const position = positionAt(state, now);
    if (isLooping(state)) return moved({ ...state, loop: null }, position, now);
    if (!state.loop) return moved({ ...state, loop: { start: position, end: null } }, position, now);
    return moved({ ...state, loop: region(state.loop.start, position, state.duration) }, position, now);
  },
  // Another clip's loop becomes this one's, unless it reaches beyond its end.
  takeLoop: (state, { loop, now }) => {
    if (!isUsable(state)) return state;
    const fits = loop && (loop.end ?? loop.start) <= state.duration;
    return moved({ ...state, loop: fits ? loop : null }, positionAt(state, now), now);
  },
  ended: (state) => {
    if (state.phase !== "playing") return state;
    return { ...state, phase: "ready", position: state.duration, heard: true };
  },
};

export function next(state, event) {
  const step = steps[event.type];
  if (!step) throw new Error(`unknown event ${event.type}`);
  return step(state, event);
}

export function positionAt(state, now) {
  if (state.phase !== "playing") return state.position;
  // It may be scheduled to start a little later than now.
  const passed = state.position + Math.max(now - state.startedAt, 0);
  if (!isLooping(state)) return Math.min(passed, state.duration);
  const { start, end } = state.loop;
  return passed < end ? passed : start + ((passed - start) % (end - start));
}

// The parts of the clip that sound between two moments; a loop gives one part for every time round.
export function played(state, since, until) {
  if (state.phase !== "playing") return [];
  const parts = [];
  const last = isLooping(state) ? state.loop.end : state.duration;
  let position = positionAt(state, since);
  let left = until - Math.max(since, state.startedAt);
  while (left > 0) {
    const length = Math.min(left, last - position);
    if (length > 0) parts.push([position, position + length]);
    if (!isLooping(state)) break;
    left -= length;
    position = state.loop.start;
  }
  return parts;
}

// When a clip that plays and does not loop comes to its end.
export function endOf(state) {
  return state.startedAt + state.duration - state.position;
}

export function isUsable(state) {
  return state.phase === "ready" || state.phase === "playing";
}

export function isLooping(state) {
  return state.loop !== null && state.loop.end !== null;
}

function moved(state, position, now) {
  return { ...state, position: within(state, position), startedAt: now };
}

function within(state, position) {
  if (!isLooping(state)) return Math.min(Math.max(position, 0), state.duration);
  return position >= state.loop.start && position < state.loop.end ? position : state.loop.start;
}

// The part between two places in either order, widened where it is too short to be heard as one.
function region(one, other, duration) {
  const start = Math.min(one, other, Math.max(duration - SHORTEST_LOOP, 0));
  return { start, end: Math.min(Math.max(one, other, start + SHORTEST_LOOP), duration) };
}
