import assert from "node:assert/strict";
import { test } from "node:test";

import { asked, merged, seconds } from "../../static/js/player/ranges.js";

test("ranges are merged as on the server", () => {
  assert.deepEqual(
    merged([
      [2, 3],
      [0, 1],
      [0.5, 1.5],
      [1.5, 1.8],
    ]),
    [
      [0, 1.8],
      [2, 3],
    ],
  );
});

test("ranges that are close stay apart: between them nothing was played", () => {
  assert.equal(
    seconds([
      [0, 1],
      [1.04, 2],
    ]),
    1.96,
  );
});

test("a second counts once however often it was heard", () => {
  assert.equal(
    seconds([
      [0, 2],
      [0, 2],
      [1, 3],
    ]),
    3,
  );
});

test("merging leaves what it was given alone", () => {
  const given = [
    [0, 1],
    [1, 2],
  ];
  merged(given);
  assert.deepEqual(given[0], [0, 1]);
});

test("a rule asks for all, for some seconds at most, or for nothing", () => {
  assert.equal(asked({ rule: "full" }, 8), 8);
  assert.equal(asked({ rule: "seconds", ruleSeconds: "3" }, 8), 3);
  assert.equal(asked({ rule: "seconds", ruleSeconds: "3" }, 2), 2);
  assert.equal(asked({ rule: "none" }, 8), 0);
});
