import assert from "node:assert/strict";
import { test } from "node:test";

import { nameFrom } from "../../static/js/protocols/names.js";

test("a title becomes a name of small letters, digits and underscores", () => {
  assert.equal(nameFrom("Voice quality"), "voice_quality");
  assert.equal(nameFrom("  Größe & Café – 2nd! "), "gro_e_cafe_2nd");
  assert.equal(nameFrom("2nd best"), "q_2nd_best");
});

test("a name is no longer than an aspect's may be", () => {
  assert.equal(nameFrom("x".repeat(80)).length, 60);
});

test("a title without letters that fit gives no name", () => {
  assert.equal(nameFrom("音質"), "");
});
