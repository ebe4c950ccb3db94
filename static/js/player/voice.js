// One sounding of a buffer in an audio context, exact to the sample and without a click at either end.

import { FADE, fadeEnds, fadeIn, fadeOut, nearestSample } from "./fades.js";

// Begins at the moment `at` of the context's clock from `position`, or goes round in `loop`, which holds it. Returns a
// function that ends it at a moment of that clock. Two gains, because one cannot fade out before it has faded in.
export function startVoice(context, buffer, { at, position = 0, loop = null, onEnded = null }) {
  const source = new AudioBufferSourceNode(context, { buffer });
  if (loop) Object.assign(source, { loop: true, loopStart: loop.start, loopEnd: loop.end });
  const rising = new GainNode(context);
  const falling = new GainNode(context);
  source.connect(rising).connect(falling).connect(context.destination);
  rising.gain.setValueCurveAtTime(fadeIn(), at, FADE);
  source.onended = onEnded;
  source.start(at, nearestSample(position, buffer.sampleRate));
  return (end) => {
    source.onended = null;
    falling.gain.setValueCurveAtTime(fadeOut(), end, FADE);
    source.stop(end + FADE);
  };
}

// A part of the buffer as one of its own, faded at its ends, to go round in.
export function partOf(context, buffer, { start, end }) {
  const rate = buffer.sampleRate;
  const [first, last] = [Math.round(start * rate), Math.round(end * rate)];
  const part = context.createBuffer(buffer.numberOfChannels, Math.max(last - first, 1), rate);
  for (let channel = 0; channel < buffer.numberOfChannels; channel++) {
    part.copyToChannel(fadeEnds(buffer.getChannelData(channel).slice(first, last), rate), channel);
  }
  return part;
}
