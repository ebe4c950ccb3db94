// The page's reading of lists agrees with the server's: the same cases as in campaigns/protocol_composer/lines.py.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cells, escaped, options, pairs, words, writePairs, writeWords } from "../../static/js/protocols/lines.js";

test("options are read as the server reads them", () => {
  assert.deepEqual(options("yes\n\n2 | Good | Clear.\n3|50 \\| 50"), [
    { value: "yes", label: "yes" },
    { value: "2", label: "Good" },
    { value: "3", label: "50 | 50" },
  ]);
});

test("pairs are read as they were written", () => {
  const list = [
    ["heard", "yes"],
    ["a = b", "c \\ d\ne"],
  ];
  assert.equal(writePairs(list), "heard = yes\na \\= b = c \\\\ d\\ne");
  assert.deepEqual(pairs(writePairs(list)), list);
});

test("a line that is no pair yet is passed over", () => {
  assert.deepEqual(pairs("heard\nheard = yes"), [["heard", "yes"]]);
});

test("words stand between commas or on lines of their own", () => {
  assert.deepEqual(words("content, overall\nvoice ,, "), ["content", "overall", "voice"]);
  assert.equal(writeWords(["a, b", "c"]), "a\\, b, c");
  assert.deepEqual(words(writeWords(["a, b", "c"])), ["a, b", "c"]);
});

test("a backslash before anything else stays", () => {
  assert.deepEqual(cells("C:\\dir | x\\", "|"), ["C:\\dir", "x\\"]);
  assert.equal(escaped("a\\n", "|"), "a\\\\n");
});
