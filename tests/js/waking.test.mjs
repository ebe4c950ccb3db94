import assert from "node:assert/strict";
import { test } from "node:test";

import { awaken } from "../../static/js/player/waking.js";

class FakeContext {
  constructor(state, outcome) {
    Object.assign(this, { state, outcome, asked: 0 });
  }

  async resume() {
    this.asked += 1;
    if (this.outcome === "refuses") throw new Error("InvalidStateError");
    if (this.outcome === "never answers") await new Promise(() => {});
    this.state = "running";
  }
}

test("a context that runs is left alone", async () => {
  const context = new FakeContext("running");
  assert.equal(await awaken(context), true);
  assert.equal(context.asked, 0);
});

for (const state of ["suspended", "interrupted"]) {
  test(`a context that is ${state} resumes`, async () => {
    assert.equal(await awaken(new FakeContext(state, "resumes")), true);
  });

  test(`a context that stays ${state} does not hold the player up for ever`, async () => {
    assert.equal(await awaken(new FakeContext(state, "never answers"), 10), false);
    assert.equal(await awaken(new FakeContext(state, "refuses")), false);
  });
}
