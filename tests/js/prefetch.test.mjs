import assert from "node:assert/strict";
import { test } from "node:test";

import { Prefetch } from "../../static/js/label/prefetch.js";

const NEXT = { assignment: "uuid-2", clips: { "0-1": "/listen/p", "1-1": "/listen/a", "2-1": "/listen/b" } };

// A server whose clips come when `come` is called with their address; the sound of a clip is its address.
function served(said = NEXT) {
  const asked = [];
  const pending = {};
  const prefetch = new Prefetch({
    ask: async (url) => {
      asked.push(url);
      if (said instanceof Error) throw said;
      return said;
    },
    get: (address) => {
      asked.push(address);
      return new Promise((resolve, reject) => {
        pending[address] = { resolve, reject };
      });
    },
  });
  const come = async (address, fault) => {
    await settled();
    if (fault) pending[address].reject(fault);
    else pending[address].resolve(`sound of ${address}`);
    await settled();
  };
  return { prefetch, asked, come };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("clips are fetched one after the other and kept by name", async () => {
  const { prefetch, asked, come } = served();
  prefetch.begin("/label/x/next/");
  await settled();
  assert.deepEqual(asked, ["/label/x/next/", "/listen/p"]);
  for (const address of Object.values(NEXT.clips)) await come(address);
  assert.deepEqual(asked.slice(1), Object.values(NEXT.clips));
  const clips = prefetch.take("uuid-2");
  assert.deepEqual(Object.keys(clips), ["0-1", "1-1", "2-1"]);
  assert.equal(await clips["1-1"], "sound of /listen/a");
});

test("nothing is asked without an address, and nothing twice", async () => {
  const { prefetch, asked } = served();
  for (const url of [undefined, "", "/next/", "/next/"]) prefetch.begin(url);
  await settled();
  assert.deepEqual(asked, ["/next/", "/listen/p"]);
});

test("clips of another assignment are dropped", async () => {
  const { prefetch, come } = served();
  prefetch.begin("/next/");
  await come("/listen/p");
  assert.deepEqual(prefetch.take("uuid-3"), {});
  assert.deepEqual(prefetch.take("uuid-2"), {});
});

test("a clip on its way when the unit comes is waited for, and no further one is fetched", async () => {
  const { prefetch, asked, come } = served();
  prefetch.begin("/next/");
  await come("/listen/p");
  const clips = prefetch.take("uuid-2");
  await come("/listen/a");
  assert.deepEqual(Object.keys(clips), ["0-1", "1-1"]);
  assert.equal(await clips["1-1"], "sound of /listen/a");
  assert.equal(asked.includes("/listen/b"), false);
});

test("a clip that does not come ends the fetching without a word", async () => {
  const { prefetch, asked, come } = served();
  const begun = prefetch.begin("/next/");
  await come("/listen/p", new Error("gone"));
  await begun;
  await assert.rejects(prefetch.take("uuid-2")["0-1"]);
  assert.equal(asked.includes("/listen/a"), false);
});

for (const [name, said] of [
  ["has nothing", null],
  ["cannot be reached", new TypeError("Failed to fetch")],
]) {
  test(`a server that ${name} leaves everything as it is`, async () => {
    const { prefetch } = served(said);
    await prefetch.begin("/next/");
    assert.deepEqual(prefetch.take("uuid-2"), {});
  });
}

test("after a unit was taken the next one can be fetched", async () => {
  const { prefetch, asked } = served();
  prefetch.begin("/next/");
  await settled();
  prefetch.take("uuid-2");
  prefetch.begin("/next/again/");
  await settled();
  assert.deepEqual(asked.slice(2), ["/next/again/", "/listen/p"]);
});
