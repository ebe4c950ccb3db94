// One clip's playback as a state machine: no DOM, no audio, no clock of its own. Times are seconds.
//
// phase: "empty" -> "loading" -> "ready" <-> "playing", or "failed" from anywhere before it is ready.

export const EMPTY = Object.freeze({ phase: "empty", position: 0, startedAt: 0, duration: 0, heard: false });

const steps = {
  load: (state) => (isUsable(state) ? state : { ...EMPTY, phase: "loading" }),
  loaded: (state, { duration }) => ({ ...state, phase: "ready", duration }),
  failed: (state) => (isUsable(state) ? state : { ...EMPTY, phase: "failed" }),
  play: (state, { now }) => {
    if (state.phase !== "ready") return state;
    const position = state.position >= state.duration ? 0 : state.position;
    return { ...state, phase: "playing", position, startedAt: now };
  },
  pause: (state, { now }) => {
    if (state.phase !== "playing") return state;
    return { ...state, phase: "ready", position: positionAt(state, now) };
  },
  seek: (state, { position, now }) => {
    if (!isUsable(state)) return state;
    return { ...state, position: Math.min(Math.max(position, 0), state.duration), startedAt: now };
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
  return Math.min(state.position + (now - state.startedAt), state.duration);
}

export function isUsable(state) {
  return state.phase === "ready" || state.phase === "playing";
}
