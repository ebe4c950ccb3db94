import assert from "node:assert/strict";
import { test } from "node:test";

import { height, peaks } from "../../static/js/player/peaks.js";
import { secondsAt } from "../../static/js/player/track.js";

test("a peak is the highest magnitude of its part, over all channels", () => {
  assert.deepEqual([...peaks([[0, 0.5, -0.75, 0.25]], 2)], [0.5, 0.75]);
  assert.deepEqual(
    [
      ...peaks(
        [
          [0, 0.5, -0.75, 0.25],
          [1, 0, 0, 0],
        ],
        2,
      ),
    ],
    [1, 0.75],
  );
});

test("every sample belongs to a part, however they divide", () => {
  for (const length of [7, 100, 1001]) {
    for (let n = 0; n < length; n += 1) {
      const samples = new Float32Array(length);
      samples[n] = 0.5;
      assert.ok(
        peaks([samples], 13).some((peak) => peak === 0.5),
        `sample ${n} of ${length}`,
      );
    }
  }
});

test("a clip with fewer samples than parts fills them all", () => {
  assert.deepEqual([...peaks([[0.5, 0.25]], 4)], [0.5, 0.5, 0.25, 0.25]);
});

test("what exceeds full scale fills the height and no more", () => {
  assert.deepEqual([...peaks([[1.5]], 1)].map(height), [1]);
});

test("silence has no height, and a louder peak has more", () => {
  assert.equal(height(0), 0);
  assert.ok(height(0.2) > height(0.1));
});

test("a point of the track is a place in the clip, also beyond its ends", () => {
  assert.equal(secondsAt(50, 200, 8), 2);
  assert.equal(secondsAt(-5, 200, 8), 0);
  assert.equal(secondsAt(205, 200, 8), 8);
});
