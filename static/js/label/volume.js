// The page on which annotators set their volume: noise that goes on until it is stopped.

import { fetchClip, playBuffer, soon, wake } from "../player/sound.js";

const root = document.querySelector("[data-volume]");
const button = root.querySelector("[data-play]");
const goOn = root.querySelector("[data-after-noise]");
const error = root.querySelector("[data-player-error]");
const { start, end } = root.dataset;
let noise = null;
let stop = null;

async function load() {
  error.hidden = true;
  try {
    noise = await fetchClip(root.dataset.volume);
  } catch {
    error.hidden = false;
  }
  draw();
}

async function toggle() {
  if (!(await wake())) return;
  if (stop) {
    stop(soon());
    stop = null;
  } else {
    const loop = { start: Number(start), end: Number(end) };
    stop = playBuffer(noise, { at: soon(), position: loop.start, loop });
    if (goOn) goOn.disabled = false; // nobody sets a volume by noise that was not heard
  }
  draw();
}

function draw() {
  button.disabled = noise === null;
  root.classList.toggle("playing", stop !== null);
  button.querySelector("[data-label]").textContent = stop ? button.dataset.labelStop : button.dataset.labelPlay;
}

button.addEventListener("click", toggle);
root.querySelector("[data-retry]").addEventListener("click", load);
load();
