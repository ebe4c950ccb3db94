// Joins one clip's state machine to its sound and to its face.

import { Face } from "./face.js";
import { clock, fetchClip, isAwake, playBuffer, playLoop, soon, wake } from "./sound.js";
import { EMPTY, endOf, isLooping, next, played, positionAt } from "./transport.js";

const WATCH_EVERY = 500; // milliseconds; also in a tab that is not looked at, where nothing is drawn
const CALM = 500; // milliseconds between two drawings for people who asked for little motion

export class ClipPlayer {
  // `on` has play (resolves who else stops, and says where to begin), played, loop, loaded and isHeard.
  constructor(element, on) {
    this.element = element;
    this.place = element.dataset.place;
    this.turn = element.dataset.turn;
    this.on = on;
    this.state = EMPTY;
    this.wanted = false;
    this.held = false;
    this.face = new Face(element, {
      toggle: () => this.toggle(),
      loop: () => on.loop(this),
      retry: () => this.load(),
      hold: () => this.hold(),
      seek: (position) => this.seek(position),
      release: () => this.release(),
    });
    this.name = this.face.name;
  }

  // `ready` is a promise of the sound where it was fetched ahead.
  async load(ready = null) {
    this.step({ type: "load" });
    try {
      const buffer = (await ready?.catch(() => null)) ?? (await fetchClip(this.element.dataset.clip));
      if (this.disposed) return;
      this.buffer = buffer;
      this.step({ type: "loaded", duration: buffer.duration });
      this.face.showSound(buffer);
      this.on.loaded();
    } catch {
      this.step({ type: "failed" });
    }
    if (this.wanted) this.play();
  }

  async toggle() {
    if (this.state.phase === "playing") return this.pause();
    return this.play();
  }

  async play({ fromStart = false } = {}) {
    if (!(await wake()) || this.disposed) return;
    const at = soon();
    const position = this.on.play(this, at) ?? (fromStart ? 0 : null);
    // Asked for before it is there: it begins as soon as it is.
    this.wanted = this.state.phase === "loading";
    if (position !== null) this.seek(position, at);
    if (this.state.phase !== "playing") this.change({ type: "play" }, at);
  }

  position() {
    return positionAt(this.state, clock());
  }

  hasEnded() {
    return this.state.heard && this.state.position >= this.state.duration;
  }

  pause(at = soon()) {
    this.wanted = this.held = false;
    this.change({ type: "pause" }, at);
  }

  // Another one is played.
  leave(at) {
    this.held = false;
    this.change({ type: "leave" }, at);
  }

  seek(position, at = soon()) {
    this.change({ type: "seek", position }, at);
  }

  loop() {
    this.change({ type: "loop" });
    this.face.sayLoop(this.state);
  }

  takeLoop(loop) {
    this.change({ type: "takeLoop", loop });
  }

  // While the playhead is dragged there is no sound.
  hold() {
    this.held = this.state.phase === "playing";
    if (this.held) this.change({ type: "pause" });
  }

  release() {
    if (this.held) this.change({ type: "play" });
    this.held = false;
  }

  dispose() {
    this.pause();
    this.disposed = true;
    this.buffer = null;
  }

  // What changes the sound happens at one moment: what sounded fades out there, what follows fades in.
  change(event, at = soon()) {
    this.report(at);
    this.silence(at);
    this.step({ ...event, now: at });
    if (this.state.phase === "playing") this.start(at);
  }

  start(at) {
    const { position, loop } = this.state;
    this.reportedUntil = at;
    this.stopSound = isLooping(this.state)
      ? playLoop(this.buffer, { at, position, loop })
      : playBuffer(this.buffer, { at, position, onEnded: () => this.end() });
    this.watching = setInterval(() => this.watch(), WATCH_EVERY);
    this.tick();
  }

  silence(at) {
    clearInterval(this.watching);
    this.stopSound?.(at);
    this.stopSound = null;
  }

  end() {
    this.report(endOf(this.state));
    this.stopSound = null;
    this.silence();
    this.step({ type: "ended" });
  }

  watch() {
    if (isAwake()) this.report(clock());
    else this.pause(); // a call came in, or the device is gone
  }

  tick() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    if (this.state.phase !== "playing") return;
    this.draw();
    if (wantsCalm()) this.timer = setTimeout(() => this.tick(), CALM);
    else this.frame = requestAnimationFrame(() => this.tick());
  }

  step(event) {
    this.state = next(this.state, event);
    this.draw();
  }

  // Tell what was played until this moment.
  report(until) {
    if (this.state.phase !== "playing") return;
    for (const [start, end] of played(this.state, this.reportedUntil, until)) this.on.played(this, start, end);
    this.reportedUntil = Math.max(this.reportedUntil, until);
  }

  draw() {
    this.face.draw(this.state, { position: this.position(), heard: this.on.isHeard(this) });
  }
}

function wantsCalm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
