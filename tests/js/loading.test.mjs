import assert from "node:assert/strict";
import { test } from "node:test";

import { fetchWhole, isWhole } from "../../static/js/player/loading.js";

function wav(samples) {
  const bytes = new Uint8Array(44 + 2 * samples);
  bytes.set(new TextEncoder().encode("RIFF"));
  new DataView(bytes.buffer).setUint32(4, bytes.length - 8, true);
  return bytes;
}

const CLIP = wav(100);
const whole = () => new Response(CLIP);
const cutOff = () => new Response(CLIP.slice(0, 60));
const status = (code) => () => new Response("no", { status: code });
const unreachable = () => {
  throw new TypeError("Failed to fetch");
};

// A server that gives one answer after another, and a clock that only notes how long it was to wait.
function served(...answers) {
  const asked = [];
  const pauses = [];
  const fetch = async (_url, options) => {
    asked.push(options.cache);
    return answers[asked.length - 1]();
  };
  const wait = async (milliseconds) => pauses.push(milliseconds);
  return { asked, pauses, bytes: () => fetchWhole("/listen/x", { fetch, wait }) };
}

test("a clip that comes at once is asked for once", async () => {
  const server = served(whole);
  assert.equal((await server.bytes()).byteLength, CLIP.length);
  assert.deepEqual([server.asked, server.pauses], [["default"], []]);
});

for (const [name, fault] of Object.entries({
  "an unreachable server": unreachable,
  "a server error": status(503),
  "a body that was cut off": cutOff,
  "a server that is asked too much": status(429),
})) {
  test(`after ${name} it is asked for again, past the browser's cache`, async () => {
    const server = served(fault, fault, whole);
    assert.equal((await server.bytes()).byteLength, CLIP.length);
    assert.deepEqual(
      [server.asked, server.pauses],
      [
        ["default", "reload", "reload"],
        [400, 800],
      ],
    );
  });

  test(`after ${name} three times it is given up`, async () => {
    const server = served(fault, fault, fault, whole);
    await assert.rejects(server.bytes());
    assert.equal(server.asked.length, 3);
  });
}

test("a connection that breaks while the body comes is a fault like others", async () => {
  const broken = () =>
    new Response(
      new ReadableStream({
        start(body) {
          body.enqueue(CLIP.slice(0, 50));
          body.error(new TypeError("network error"));
        },
      }),
    );
  const server = served(broken, whole);
  assert.equal((await server.bytes()).byteLength, CLIP.length);
});

test("a clip that is refused is not asked for again", async () => {
  const server = served(status(404), whole);
  await assert.rejects(server.bytes(), /404/);
  assert.deepEqual(server.asked, ["default"]);
});

test("a WAV file is whole when it is as long as its header says", () => {
  assert.equal(isWhole(CLIP.buffer), true);
  assert.equal(isWhole(CLIP.slice(0, -1).buffer), false);
  assert.equal(isWhole(new ArrayBuffer(0)), false);
  assert.equal(isWhole(new TextEncoder().encode("<html>a page of the proxy</html>").buffer), false);
});
