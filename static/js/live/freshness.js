// When to fetch which topic again: on news, at most once a second each, never while the page is hidden; by the clock
// while there is no socket. Knows no DOM.

const PAUSE_MS = 1000;
const POLL_MS = 10_000;
// A socket may be open without receiving messages: the sender may be cut off from it.
const DOUBT_MS = 60_000;

export class Freshness {
  // `fetch` is called with a topic. `tick` is to be called often, with the topics on the page and the intervals (in
  // milliseconds) of those that want to be fetched by the clock in any case.
  constructor({ fetch, now = () => Date.now() }) {
    Object.assign(this, { fetch, now });
    this.isLive = false;
    this.isHidden = false;
    this.stale = new Set();
    this.fetched = new Map();
  }

  news(topic) {
    this.stale.add(topic);
    this.flush();
  }

  hide(isHidden) {
    this.isHidden = isHidden;
    this.flush();
  }

  tick(topics) {
    const now = this.now();
    for (const [topic, every] of topics) {
      if (!this.fetched.has(topic)) this.fetched.set(topic, now);
      const due = every ?? (this.isLive ? DOUBT_MS : POLL_MS);
      if (now - this.fetched.get(topic) >= due) this.stale.add(topic);
    }
    for (const topic of this.stale) if (!topics.has(topic)) this.stale.delete(topic);
    this.flush();
  }

  flush() {
    if (this.isHidden) return;
    const now = this.now();
    for (const topic of [...this.stale]) {
      if (now - (this.fetched.get(topic) ?? -Infinity) < PAUSE_MS) continue;
      this.stale.delete(topic);
      this.fetched.set(topic, now);
      this.fetch(topic);
    }
  }
}
