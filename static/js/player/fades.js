// Raised-cosine fades, and moments that lie on samples. No DOM, no clock. Times are seconds.

export const FADE = 0.005;
const POINTS = 65;

// How loud something is at `share` of its way in, from 0 to 1.
export function raisedCosine(share) {
  return (1 - Math.cos(Math.PI * share)) / 2;
}

// Curves for setValueCurveAtTime. What fades out while something else fades in adds up to 1 at every moment.
export function fadeIn(points = POINTS) {
  return Float32Array.from({ length: points }, (_, n) => raisedCosine(n / (points - 1)));
}

export function fadeOut(points = POINTS) {
  return fadeIn(points).reverse();
}

// Fades both ends of the samples in place, so that they can follow upon themselves without a click.
export function fadeEnds(samples, rate) {
  const frames = Math.min(Math.round(FADE * rate), Math.floor(samples.length / 2));
  for (let n = 0; n < frames; n++) {
    samples[n] *= raisedCosine(n / frames);
    samples[samples.length - 1 - n] *= raisedCosine(n / frames);
  }
  return samples;
}

// The first sample that is not before `seconds`.
export function nextSample(seconds, rate) {
  return Math.ceil(seconds * rate - 1e-6) / rate;
}

export function nearestSample(seconds, rate) {
  return Math.round(seconds * rate) / rate;
}
