// Keeps every element with data-live-topic fresh: `live` is triggered on it, and htmx fetches its fragment again.
// data-live-every asks for a fetch every so many seconds in any case; data-live-off is shown while there is no socket.

import { Channel } from "./channel.js";
import { Freshness } from "./freshness.js";

const TICK_MS = 250;
// Only after this long without a socket is it worth a word.
const NOTICE_MS = 3000;

const watched = () => [...document.querySelectorAll("[data-live-topic]")];

const freshness = new Freshness({
  fetch: (topic) => {
    for (const element of watched()) {
      if (element.dataset.liveTopic === topic) window.htmx.trigger(element, "live");
    }
  },
});

let offSince = Date.now();
const channel = new Channel({
  open: () => new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live/`),
  onNews: (topic) => freshness.news(topic),
  onState: (isLive) => {
    freshness.isLive = isLive;
    if (!isLive && offSince === null) offSince = Date.now();
    if (isLive) offSince = null;
  },
});

function tick() {
  const topics = new Map();
  for (const { dataset } of watched()) {
    topics.set(dataset.liveTopic, dataset.liveEvery ? Number(dataset.liveEvery) * 1000 : undefined);
  }
  if (!document.hidden) channel.watch(topics.keys());
  freshness.tick(topics);
  const off = topics.size > 0 && offSince !== null && Date.now() - offSince > NOTICE_MS;
  for (const element of document.querySelectorAll("[data-live-off]")) element.hidden = !off;
}

function look() {
  freshness.hide(document.hidden);
  if (document.hidden) channel.watch([]);
  else tick();
}

document.addEventListener("visibilitychange", look);
setInterval(tick, TICK_MS);
look();
