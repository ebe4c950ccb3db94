// A clip's waveform on a canvas. What lies before the playhead is drawn full, the rest faint.

import { height, peaks } from "./peaks.js";

const PITCH = 3; // CSS pixels from bar to bar
const BAR = 2;
const FAINT = 0.4;

export class Waveform {
  constructor(canvas) {
    this.canvas = canvas;
    this.buffer = null;
    this.bars = [];
    this.share = 0;
    new ResizeObserver(() => this.measure()).observe(canvas);
  }

  show(buffer) {
    this.buffer = buffer;
    this.measure();
  }

  // Called for every frame: draws only when a bar changes its colour.
  draw(share) {
    const before = Math.floor(this.share * this.bars.length);
    this.share = share;
    if (Math.floor(share * this.bars.length) !== before) this.paint();
  }

  measure() {
    const { clientWidth: width, clientHeight: high } = this.canvas;
    if (!this.buffer || !width) return;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(high * scale);
    const channels = Array.from({ length: this.buffer.numberOfChannels }, (_, n) => this.buffer.getChannelData(n));
    this.bars = peaks(channels, Math.floor(width / PITCH));
    this.paint();
  }

  paint() {
    const pen = this.canvas.getContext("2d");
    const { width, height: high } = this.canvas;
    const pitch = width / this.bars.length;
    pen.clearRect(0, 0, width, high);
    pen.fillStyle = getComputedStyle(this.canvas).color;
    this.bars.forEach((peak, n) => {
      const tall = Math.max(height(peak) * high, pitch / PITCH);
      pen.globalAlpha = n < this.share * this.bars.length ? 1 : FAINT;
      pen.fillRect(n * pitch, (high - tall) / 2, (pitch * BAR) / PITCH, tall);
    });
  }
}
