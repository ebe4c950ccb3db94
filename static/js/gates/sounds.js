// Sounds with one button each, of which one plays at a time; a sound is heard when it was played to its end.

import { clock, fetchClip, playBuffer, soon, wake } from "../player/sound.js";

export class Sounds {
  // `changed` is called whenever something is to be drawn anew.
  constructor(root, changed = () => {}) {
    this.error = root.querySelector("[data-player-error]");
    this.all = [...root.querySelectorAll("[data-sound]")].map((face) => ({ face, buffer: null, heard: false }));
    this.playing = null;
    this.changed = changed;
    for (const sound of this.all) {
      sound.face.querySelector("[data-play]").addEventListener("click", () => this.toggle(sound));
    }
    this.error.querySelector("[data-retry]").addEventListener("click", () => this.load());
    this.load();
  }

  get areHeard() {
    return this.all.every((sound) => sound.heard);
  }

  async load() {
    this.error.hidden = true;
    const missing = this.all.filter((sound) => sound.buffer === null);
    try {
      await Promise.all(
        missing.map(async (sound) => {
          sound.buffer = await fetchClip(sound.face.dataset.sound);
        }),
      );
    } catch {
      this.error.hidden = false;
    }
    this.draw();
  }

  async toggle(sound) {
    if (!(await wake())) return;
    const same = this.playing?.sound === sound;
    this.halt();
    if (!same) this.play(sound);
    this.draw();
  }

  play(sound) {
    const at = soon();
    const stop = playBuffer(sound.buffer, { at, position: 0 });
    const wait = 1000 * (at - clock() + sound.buffer.duration);
    this.playing = { sound, stop, timer: setTimeout(() => this.end(sound), wait) };
  }

  end(sound) {
    sound.heard = true;
    this.playing = null;
    this.draw();
  }

  halt() {
    if (!this.playing) return;
    clearTimeout(this.playing.timer);
    this.playing.stop(soon());
    this.playing = null;
  }

  draw() {
    for (const sound of this.all) {
      sound.face.classList.toggle("playing", this.playing?.sound === sound);
      sound.face.querySelector("[data-play]").disabled = sound.buffer === null;
    }
    this.changed();
  }
}
