// The elements of one player: their state and their events.

import { Track } from "./track.js";
import { isLooping } from "./transport.js";

const NAMES = ["play", "loop", "track", "seek", "position", "duration", "heard", "said", "player-error", "retry"];

export class Face {
  // `on` has toggle, loop, retry, and hold, seek, release for the track.
  constructor(element, on) {
    this.element = element;
    this.parts = Object.fromEntries(NAMES.map((name) => [name, element.querySelector(`[data-${name}]`)]));
    this.name = this.parts.play.dataset.name;
    this.track = new Track(this.parts.track, on);
    this.parts.play.addEventListener("click", on.toggle);
    this.parts.loop.addEventListener("click", on.loop);
    this.parts.retry.addEventListener("click", () => {
      on.retry();
      this.parts.play.focus(); // the button that was pressed is gone
    });
    this.parts.seek.addEventListener("input", () => on.seek(Number(this.parts.seek.value)));
  }

  showSound(buffer) {
    this.track.waveform?.show(buffer);
  }

  draw({ phase, duration, loop }, { position, heard }) {
    const { play, seek } = this.parts;
    this.element.classList.toggle("playing", phase === "playing");
    this.element.classList.toggle("loading", phase === "loading");
    this.element.classList.toggle("failed", phase === "failed");
    change(play, "aria-label", phase === "playing" ? play.dataset.labelPause : play.dataset.labelPlay);
    play.disabled = phase === "empty";
    seek.disabled = this.parts.loop.disabled = !duration;
    seek.max = duration || 1;
    seek.value = position;
    change(seek, "aria-valuetext", `${Math.round(position)} s / ${Math.round(duration)} s`);
    this.parts.position.textContent = minutes(position);
    this.parts.duration.textContent = duration ? minutes(duration) : "–:––";
    this.parts.heard.hidden = !heard;
    this.parts["player-error"].hidden = phase !== "failed";
    this.drawLoop(loop);
    this.track.draw({ position, duration, loop });
  }

  drawLoop(loop) {
    const button = this.parts.loop;
    const stage = loop === null ? "off" : loop.end === null ? "open" : "on";
    button.dataset.stage = stage;
    change(button, "aria-label", button.dataset[`label${stage[0].toUpperCase()}${stage.slice(1)}`]);
  }

  // For those who do not see the region.
  sayLoop(state) {
    const { said } = this.parts;
    const { start, end } = state.loop ?? {};
    if (isLooping(state)) said.textContent = said.dataset.on.replace("#", tenths(start)).replace("#", tenths(end));
    else said.textContent = state.loop ? said.dataset.open.replace("#", tenths(start)) : said.dataset.off;
  }
}

// Attributes are read out when they are set, changed or not.
function change(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function minutes(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function tenths(seconds) {
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return seconds.toLocaleString(document.documentElement.lang || "en", digits);
}
