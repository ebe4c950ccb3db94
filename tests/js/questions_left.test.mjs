import assert from "node:assert/strict";
import { test } from "node:test";

import { questionsLeft } from "../../static/js/label/questions_left.js";

const question = (name, value = "", needs = [], optional = false) => ({ name, value, needs, optional });
const HEARD = ["speech", "yes"];

function rubric(speech, manner = "") {
  return [
    question("speech", speech),
    question("topic", "", [HEARD]),
    question("manner", manner, [HEARD]),
    question("fits", "", [HEARD, ["manner", "yes"]]),
  ];
}

test("questions that wait for an answer count as possible until that answer is another", () => {
  assert.deepEqual(questionsLeft(rubric("")), { least: 1, most: 4 });
  assert.deepEqual(questionsLeft(rubric("yes")), { least: 2, most: 3 });
  assert.deepEqual(questionsLeft(rubric("yes", "yes")), { least: 2, most: 2 });
  assert.deepEqual(questionsLeft(rubric("yes", "no")), { least: 1, most: 1 });
  assert.deepEqual(questionsLeft(rubric("no")), { least: 0, most: 0 });
});

test("optional questions are never left", () => {
  const questions = [question("better"), question("reason", "", [], true)];
  assert.deepEqual(questionsLeft(questions), { least: 1, most: 1 });
});

test("a question that waits for one that is not there is never put", () => {
  assert.deepEqual(questionsLeft([question("fits", "", [["absent", "yes"]])]), { least: 0, most: 0 });
});
