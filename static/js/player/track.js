// A clip's track: the waveform, the playhead and the loop's region, and a pointer that seeks.

import { Waveform } from "./waveform.js";

const SLACK = 6; // CSS pixels that a finger moves before it means to drag and not to scroll

export class Track {
  // `on` has hold, seek and release: a drag falls silent, moves, and goes on.
  constructor(element, on) {
    this.element = element;
    this.on = on;
    this.duration = 0;
    this.region = element.querySelector("[data-loop-region]");
    const canvas = element.querySelector("canvas");
    this.waveform = canvas ? new Waveform(canvas) : null;
    element.addEventListener("pointerdown", (event) => this.press(event));
    element.addEventListener("pointermove", (event) => this.drag(event));
    element.addEventListener("pointerup", (event) => this.drag(event, { meant: true }));
    element.addEventListener("lostpointercapture", () => this.letGo());
  }

  draw({ position, duration, loop }) {
    this.duration = duration;
    const share = duration ? position / duration : 0;
    this.place("--at", share);
    this.region.hidden = loop === null;
    this.region.classList.toggle("open", loop !== null && loop.end === null);
    if (loop) {
      this.place("--loop-start", loop.start / duration);
      this.place("--loop-end", (loop.end ?? loop.start) / duration);
    }
    this.waveform?.draw(share);
  }

  press(event) {
    if (event.button !== 0 || !this.duration) return;
    this.element.setPointerCapture(event.pointerId);
    this.pressedAt = event.clientX;
    this.dragging = false;
    this.drag(event, { meant: event.pointerType === "mouse" });
  }

  drag(event, { meant = false } = {}) {
    if (!this.element.hasPointerCapture(event.pointerId)) return;
    if (!this.dragging) {
      if (!meant && Math.abs(event.clientX - this.pressedAt) < SLACK) return;
      this.dragging = true;
      this.on.hold();
    }
    const { left, width } = this.element.getBoundingClientRect();
    this.on.seek(secondsAt(event.clientX - left, width, this.duration));
  }

  letGo() {
    if (this.dragging) this.on.release();
    this.dragging = false;
  }

  place(name, share) {
    this.element.style.setProperty(name, share.toFixed(4));
  }
}

// The place in the clip under a point of its track; time runs from left to right in every language.
export function secondsAt(x, width, duration) {
  return (Math.min(Math.max(x, 0), width) / width) * duration;
}
