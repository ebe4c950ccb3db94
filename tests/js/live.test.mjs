import assert from "node:assert/strict";
import { test } from "node:test";

import { Channel, waitBefore } from "../../static/js/live/channel.js";
import { Freshness } from "../../static/js/live/freshness.js";

// A channel on sockets of paper: `sockets` has each that was opened, `waits` what it waits for.
function line() {
  const sockets = [];
  const news = [];
  const states = [];
  const waits = [];
  const channel = new Channel({
    open: () => {
      const socket = { sent: [], closed: false, send: (text) => socket.sent.push(JSON.parse(text)) };
      socket.close = () => {
        socket.closed = true;
      };
      sockets.push(socket);
      return socket;
    },
    onNews: (topic) => news.push(topic),
    onState: (state) => states.push(state),
    later: (call, ms) => waits.push({ call, ms }),
    cancel: () => waits.pop(),
    random: () => 1,
  });
  const say = (message) => sockets.at(-1).onmessage({ data: JSON.stringify(message) });
  return { channel, sockets, news, states, waits, say };
}

test("waiting doubles up to half a minute, and at least half of it is always waited", () => {
  assert.deepEqual(
    [0, 1, 2, 9].map((n) => waitBefore(n, () => 1)),
    [1000, 2000, 4000, 30_000],
  );
  assert.deepEqual(
    [0, 1, 2, 9].map((n) => waitBefore(n, () => 0)),
    [500, 1000, 2000, 15_000],
  );
});

test("topics are asked for once the socket is open, and again only when they change", () => {
  const { channel, sockets } = line();
  channel.watch(["campaign:x"]);
  assert.deepEqual(sockets[0].sent, []);
  sockets[0].onopen();
  channel.watch(["campaign:x"]);
  channel.watch(["campaign:x", "job:1"]);
  assert.deepEqual(sockets[0].sent, [{ watch: ["campaign:x"] }, { watch: ["campaign:x", "job:1"] }]);
  assert.equal(sockets.length, 1);
});

test("only a higher number is news, and being let in is news of what was missed", () => {
  const { channel, sockets, news, say } = line();
  channel.watch(["campaign:x"]);
  sockets[0].onopen();
  say({ watching: ["campaign:x"], refused: [] });
  for (const number of [5, 5, 4, 6]) say({ topic: "campaign:x", number });
  say({ topic: "campaign:other", number: 9 });
  assert.deepEqual(news, ["campaign:x", "campaign:x", "campaign:x"]);
});

test("a refused topic leaves the page polling", () => {
  const { channel, sockets, states, news, say } = line();
  channel.watch(["campaign:x", "job:1"]);
  sockets[0].onopen();
  say({ watching: ["job:1"], refused: ["campaign:x"] });
  assert.deepEqual([states, news], [[false], ["job:1"]]);
});

test("a lost socket is opened again, later each time until it holds", () => {
  const { channel, sockets, states, waits, say } = line();
  channel.watch(["job:1"]);
  for (const expected of [1000, 2000, 4000]) {
    sockets.at(-1).onclose();
    assert.equal(waits.at(-1).ms, expected);
    waits.pop().call();
  }
  sockets.at(-1).onopen();
  say({ watching: ["job:1"], refused: [] });
  sockets.at(-1).onclose();
  assert.equal(waits.at(-1).ms, 1000);
  assert.deepEqual(states, [false, false, false, true, false]);
});

test("while it waits to come back, watching again opens nothing", () => {
  const { channel, sockets } = line();
  channel.watch(["job:1"]);
  sockets[0].onclose();
  channel.watch(["job:1"]);
  assert.equal(sockets.length, 1);
});

test("with nothing to watch the socket closes and stays closed, and opens anew when there is", () => {
  const { channel, sockets, waits } = line();
  channel.watch(["job:1"]);
  channel.watch([]);
  sockets[0].onclose();
  assert.deepEqual([sockets[0].closed, waits, sockets.length], [true, [], 1]);
  channel.watch(["job:2"]);
  assert.equal(sockets.length, 2);
});

// A page with a clock that is set by hand.
function page({ every } = {}) {
  const clock = { ms: 0 };
  const fetched = [];
  const freshness = new Freshness({ fetch: (topic) => fetched.push([topic, clock.ms]), now: () => clock.ms });
  const until = (ms) => {
    for (; clock.ms <= ms; clock.ms += 250) freshness.tick(new Map([["t", every]]));
  };
  return { clock, fetched, freshness, until };
}

test("news is fetched at once, and more of it at most once a second", () => {
  const { clock, fetched, freshness, until } = page();
  freshness.isLive = true;
  clock.ms = 5000;
  for (let n = 0; n < 9; n += 1) freshness.news("t");
  assert.deepEqual(fetched, [["t", 5000]]);
  until(9000);
  assert.deepEqual(fetched, [
    ["t", 5000],
    ["t", 6000],
  ]);
});

test("without a socket the clock fetches every ten seconds", () => {
  const { fetched, until } = page();
  until(30_000);
  assert.deepEqual(fetched, [
    ["t", 10_000],
    ["t", 20_000],
    ["t", 30_000],
  ]);
});

test("with a socket it does so once a minute only, in case nobody is heard", () => {
  const { fetched, freshness, until } = page();
  freshness.isLive = true;
  until(119_000);
  assert.deepEqual(fetched, [["t", 60_000]]);
});

test("what asks for its own interval gets it, socket or not", () => {
  const { fetched, freshness, until } = page({ every: 2000 });
  freshness.isLive = true;
  until(4000);
  assert.deepEqual(fetched, [
    ["t", 2000],
    ["t", 4000],
  ]);
});

test("a hidden page fetches nothing, and catches up once when it is shown", () => {
  const { clock, fetched, freshness, until } = page();
  freshness.hide(true);
  freshness.news("t");
  until(60_000);
  assert.deepEqual(fetched, []);
  freshness.hide(false);
  assert.deepEqual(fetched, [["t", clock.ms]]);
});

test("news of what left the page is forgotten", () => {
  const { clock, fetched, freshness } = page();
  freshness.hide(true);
  freshness.news("gone");
  freshness.tick(new Map());
  freshness.hide(false);
  clock.ms = 1000;
  freshness.tick(new Map());
  assert.deepEqual(fetched, []);
});

test("timers are asked for as browsers want it: not as methods of the channel", () => {
  const { setTimeout: kept, clearTimeout: cancelled } = globalThis;
  const askers = [];
  globalThis.setTimeout = function () {
    askers.push(this);
    return 1;
  };
  globalThis.clearTimeout = function () {
    askers.push(this);
  };
  try {
    const sockets = [];
    const channel = new Channel({
      open() {
        sockets.push({ close() {}, send() {} });
        return sockets.at(-1);
      },
      onNews() {},
    });
    channel.watch(["a"]);
    sockets[0].onclose();
    channel.stop();
  } finally {
    Object.assign(globalThis, { setTimeout: kept, clearTimeout: cancelled });
  }
  assert.deepEqual(askers, [undefined, undefined]);
});
