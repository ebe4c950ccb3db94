// Joins one clip's state machine to its sound and to the elements of its player.

import { clock, fetchClip, playBuffer, wake } from "./sound.js";
import { EMPTY, isUsable, next, positionAt } from "./transport.js";

export class ClipPlayer {
  constructor(element, { onPlay, onPlayed }) {
    this.element = element;
    this.place = element.dataset.place;
    this.state = EMPTY;
    this.onPlay = onPlay;
    this.onPlayed = onPlayed;
    this.wanted = false;
    this.parts = Object.fromEntries(
      ["play", "seek", "position", "duration", "heard", "player-error", "retry"].map((name) => [
        name,
        element.querySelector(`[data-${name}]`),
      ]),
    );
    this.name = this.parts.play.dataset.name;
    this.parts.play.addEventListener("click", () => this.toggle());
    this.parts.seek.addEventListener("input", () => this.seek(Number(this.parts.seek.value)));
    this.parts.retry.addEventListener("click", () => this.load());
  }

  async load() {
    this.step({ type: "load" });
    try {
      this.buffer = await fetchClip(this.element.dataset.clip);
      this.step({ type: "loaded", duration: this.buffer.duration });
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
    await wake();
    this.onPlay(this);
    // Asked for before it is there: it begins as soon as it is.
    this.wanted = this.state.phase === "loading";
    if (!isUsable(this.state)) return;
    if (fromStart) this.seek(0);
    if (this.state.phase === "playing") return;
    this.step({ type: "play", now: clock() });
    this.start();
  }

  position() {
    return positionAt(this.state, clock());
  }

  hasEnded() {
    return this.state.heard && this.state.position >= this.state.duration;
  }

  pause() {
    this.wanted = false;
    this.step({ type: "pause", now: clock() });
    this.stopSound?.();
    this.stopSound = null;
  }

  seek(position) {
    this.stopSound?.();
    this.stopSound = null;
    this.step({ type: "seek", position, now: clock() });
    if (this.state.phase === "playing") this.start();
  }

  dispose() {
    this.pause();
    this.buffer = null;
  }

  start() {
    this.reported = this.state.position;
    this.stopSound = playBuffer(this.buffer, this.state.position, () => this.step({ type: "ended" }));
    this.tick();
  }

  tick() {
    if (positionAt(this.state, clock()) - this.reported > 0.5) this.report({ type: "tick" });
    this.draw();
    cancelAnimationFrame(this.frame);
    if (this.state.phase === "playing") this.frame = requestAnimationFrame(() => this.tick());
  }

  step(event) {
    this.report(event);
    this.state = next(this.state, event);
    this.draw();
  }

  // Tell what was played up to this event; while a clip plays, `tick` asks for it now and then.
  report(event) {
    if (this.state.phase !== "playing") return;
    const end = event.type === "ended" ? this.state.duration : positionAt(this.state, clock());
    this.onPlayed(this, this.reported, end);
    this.reported = end;
  }

  draw() {
    const { phase, duration, heard } = this.state;
    const { play, seek, position } = this.parts;
    const now = phase === "playing" ? positionAt(this.state, clock()) : this.state.position;
    this.element.classList.toggle("playing", phase === "playing");
    this.element.classList.toggle("loading", phase === "loading");
    play.setAttribute("aria-label", phase === "playing" ? play.dataset.labelPause : play.dataset.labelPlay);
    play.disabled = phase === "failed" || phase === "empty";
    seek.disabled = !isUsable(this.state);
    seek.max = duration || 1;
    seek.value = now;
    seek.setAttribute("aria-valuetext", `${Math.round(now)} s / ${Math.round(duration)} s`);
    position.textContent = minutes(now);
    this.parts.duration.textContent = duration ? minutes(duration) : "–:––";
    this.parts.heard.hidden = !heard;
    this.parts["player-error"].hidden = phase !== "failed";
  }
}

function minutes(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
