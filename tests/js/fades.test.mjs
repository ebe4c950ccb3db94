import assert from "node:assert/strict";
import { test } from "node:test";

import {
  FADE,
  fadeEnds,
  fadeIn,
  fadeOut,
  nearestSample,
  nextSample,
  raisedCosine,
} from "../../static/js/player/fades.js";

test("a fade is a raised cosine from nothing to all", () => {
  assert.deepEqual(
    [0, 0.5, 1].map((share) => Number(raisedCosine(share).toFixed(12))),
    [0, 0.5, 1],
  );
  assert.equal(raisedCosine(0.25).toFixed(6), ((1 - Math.SQRT1_2) / 2).toFixed(6));
  const curve = fadeIn(101);
  assert.deepEqual([curve[0], curve[100]], [0, 1]);
  assert.ok(curve.every((gain, n) => n === 0 || gain > curve[n - 1]));
});

test("what fades out while something else fades in adds up to one", () => {
  const [rising, falling] = [fadeIn(), fadeOut()];
  assert.equal(rising.length, falling.length);
  for (const [n, gain] of rising.entries()) assert.ok(Math.abs(gain + falling[n] - 1) < 1e-6);
});

test("a part is faded at both ends and untouched between them", () => {
  const rate = 8000;
  const part = fadeEnds(new Float32Array(400).fill(1), rate);
  const frames = FADE * rate;
  assert.deepEqual([part[0], part.at(-1)], [0, 0]);
  assert.equal(part[frames / 2], 0.5);
  assert.ok(part.subarray(frames, 400 - frames).every((sample) => sample === 1));
  assert.deepEqual(part, part.slice().reverse());
});

test("a part shorter than two fades has no middle and does not overflow", () => {
  assert.deepEqual([...fadeEnds(new Float32Array([1, 1, 1]), 48_000)], [0, 1, 0]);
  assert.deepEqual([...fadeEnds(new Float32Array([]), 48_000)], []);
});

test("moments lie on samples", () => {
  assert.equal(nextSample(0.5, 48_000), 0.5);
  assert.equal(nextSample(0.50001, 48_000), 24_001 / 48_000);
  assert.equal(nextSample(24_001 / 48_000, 48_000), 24_001 / 48_000);
  assert.equal(nearestSample(0.50001, 48_000), 0.5);
});
