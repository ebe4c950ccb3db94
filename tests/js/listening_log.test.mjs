import assert from "node:assert/strict";
import { test } from "node:test";

import { ListeningLog } from "../../static/js/label/listening_log.js";

// A browser's memory that forgets from test to test.
function emptyStorage() {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
}

function logOf(dataset) {
  globalThis.localStorage = emptyStorage();
  const fields = { heard: "{}", heardUrl: "/heard/", rule: "full", ruleSeconds: "0" };
  const log = new ListeningLog({ dataset: { ...fields, ...dataset } });
  log.stop();
  return log;
}

test("every time round a loop is reported, and counts once as heard", () => {
  const log = logOf({});
  const passes = [
    [1, 2],
    [1, 2],
    [1, 1.5],
  ];
  for (const [start, end] of passes) log.played("1-1", start, end);
  assert.deepEqual(log.heard["1-1"], [[1, 2]]);
  assert.deepEqual(JSON.parse(log.reports())[0].ranges, { "1-1": passes });
});

test("what was heard counts after a reload, whether its report had arrived, was on its way or had not left", () => {
  const before = logOf({});
  before.played("1-1", 0, 1);
  before.arrived(before.reports());
  before.played("1-1", 1, 2);
  before.reports();
  before.played("1-1", 2, 3);
  const fields = { heard: '{"1-1": [[0, 0.5]]}', heardUrl: "/heard/", rule: "full", ruleSeconds: "0" };
  const after = new ListeningLog({ dataset: fields });
  after.stop();
  assert.deepEqual(after.heard, { "1-1": [[0, 3]] });
});

test("what rounds to nothing is not reported", () => {
  const log = logOf({});
  log.played("1-1", 1, 1.0004);
  log.played("1-1", 1, 1);
  assert.deepEqual(JSON.parse(log.reports()), []);
});

test("a clip is marked when it was heard as far as the rule asks, in full where it asks nothing", () => {
  const heard = '{"1-1": [[0, 3]]}';
  const isMarked = (dataset, duration) => logOf({ heard, ...dataset }).isMarked("1-1", duration);
  assert.equal(isMarked({}, 3.2), true);
  assert.equal(isMarked({}, 4), false);
  assert.equal(isMarked({ rule: "seconds", ruleSeconds: "3" }, 9), true);
  assert.equal(isMarked({ rule: "none" }, 9), false);
  assert.equal(isMarked({ rule: "none" }, 3), true);
  assert.equal(isMarked({}, 0), false);
});
