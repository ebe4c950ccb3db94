// The page's one audio context: its clock, its clips, what it plays. Clips are decoded whole, so that time is exact.

import { nextSample } from "./fades.js";
import { fetchWhole } from "./loading.js";
import { partOf, startVoice } from "./voice.js";
import { awaken } from "./waking.js";

// What is to sound at a moment has to be said before that moment is computed.
const LEAD = 0.01;
let context = null;

export function clock() {
  return audioContext().currentTime;
}

// The nearest moment at which one thing can stop and another begin, exact to the sample.
export function soon() {
  const { currentTime, sampleRate, baseLatency = 0 } = audioContext();
  return nextSample(currentTime + baseLatency + LEAD, sampleRate);
}

// Resolves to an AudioBuffer; rejects when the clip cannot be had or decoded.
export async function fetchClip(url, options) {
  return audioContext().decodeAudioData(await fetchWhole(url, options));
}

// Returns a function that stops it at a moment of the clock; see `startVoice`.
export function playBuffer(buffer, options) {
  return startVoice(audioContext(), buffer, options);
}

// Plays round and round between the loop's ends, with a short fade at each.
export function playLoop(buffer, { at, position, loop }) {
  const part = partOf(audioContext(), buffer, loop);
  return playBuffer(part, { at, position: position - loop.start, loop: { start: 0, end: part.duration } });
}

// Called from the click or key that asks to play; resolves to whether there can be sound.
export function wake() {
  return awaken(audioContext());
}

export function isAwake() {
  return audioContext().state === "running";
}

function audioContext() {
  context ??= new AudioContext();
  return context;
}
