// A trial of a check by ear: every sound is to be played to its end before one of them can be chosen.

import { clock, fetchClip, playBuffer, soon, wake } from "../player/sound.js";

const root = document.querySelector("[data-trial]");
const error = root.querySelector("[data-player-error]");
const sounds = [...root.querySelectorAll("[data-sound]")].map((face) => ({ face, buffer: null, heard: false }));
let playing = null;

async function load() {
  error.hidden = true;
  try {
    await Promise.all(sounds.map(async (sound) => {
      sound.buffer ??= await fetchClip(sound.face.dataset.sound);
    }));
  } catch {
    error.hidden = false;
  }
  draw();
}

async function toggle(sound) {
  if (!(await wake())) return;
  const same = playing?.sound === sound;
  halt();
  if (!same) play(sound);
  draw();
}

function play(sound) {
  const at = soon();
  const stop = playBuffer(sound.buffer, { at, position: 0 });
  const wait = 1000 * (at - clock() + sound.buffer.duration);
  playing = { sound, stop, timer: setTimeout(() => end(sound), wait) };
}

function end(sound) {
  sound.heard = true;
  playing = null;
  draw();
}

function halt() {
  if (!playing) return;
  clearTimeout(playing.timer);
  playing.stop(soon());
  playing = null;
}

function draw() {
  const ready = sounds.every((sound) => sound.heard);
  for (const sound of sounds) {
    sound.face.classList.toggle("playing", playing?.sound === sound);
    sound.face.querySelector("[data-play]").disabled = sound.buffer === null;
    sound.face.querySelector("[data-heard]").hidden = !sound.heard;
    sound.face.querySelector("input").disabled = !ready;
  }
  root.querySelector("[data-waiting]").hidden = ready;
  root.querySelector("[data-submit]").disabled = !ready;
  const said = root.querySelector("[data-ready]");
  if (ready && !said.textContent) said.textContent = said.dataset.text;
}

for (const sound of sounds) sound.face.querySelector("[data-play]").addEventListener("click", () => toggle(sound));
root.querySelector("[data-retry]").addEventListener("click", load);
load();
