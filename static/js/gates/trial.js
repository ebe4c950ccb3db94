// A trial of a check by ear: every sound is to be played to its end before one of them can be chosen.

import { Sounds } from "./sounds.js";

const root = document.querySelector("[data-trial]");

function draw() {
  for (const sound of sounds.all) {
    sound.face.querySelector("[data-heard]").hidden = !sound.heard;
    sound.face.querySelector("input").disabled = !sounds.areHeard;
  }
  root.querySelector("[data-waiting]").hidden = sounds.areHeard;
  root.querySelector("[data-submit]").disabled = !sounds.areHeard;
  const said = root.querySelector("[data-ready]");
  if (sounds.areHeard && !said.textContent) said.textContent = said.dataset.text;
}

const sounds = new Sounds(root, draw);
