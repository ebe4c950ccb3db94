// Collects what was played of every clip and reports it to the server every ten seconds. A report has a number, so
// that the server counts it once however often it arrives; until it has arrived it is kept in this browser, and goes
// along with the answers at the latest.

import { asked, merged, seconds } from "../player/ranges.js";
import { csrfToken } from "./csrf.js";

const EVERY = 10_000;
const MISSING = 0.25;
const PREFIX = "earshot.heard.";

export class ListeningLog {
  constructor(form) {
    this.form = form;
    this.heard = JSON.parse(form.dataset.heard);
    this.switches = 0;
    this.hiddenSince = null;
    this.hidden = 0;
    this.last = null;
    this.key = PREFIX + form.dataset.heardUrl;
    this.restore();
    this.timer = setInterval(() => this.send(), EVERY);
  }

  // A part of a clip was played; times are seconds in the clip.
  played(clip, start, end) {
    const part = [round(start), round(end)];
    if (part[1] <= part[0]) return;
    this.unsent[clip] = [...(this.unsent[clip] ?? []), part];
    this.heard[clip] = merged([...(this.heard[clip] ?? []), part]);
    this.keep();
  }

  began(clip) {
    this.plays[clip] = (this.plays[clip] ?? 0) + 1;
    if (this.last && this.last !== clip) this.switches += 1;
    this.last = clip;
  }

  visibility(hidden, now = performance.now()) {
    if (hidden) this.hiddenSince ??= now;
    else if (this.hiddenSince !== null) {
      this.hidden += (now - this.hiddenSince) / 1000;
      this.hiddenSince = null;
    }
  }

  isHeard(clip, duration) {
    return seconds(this.heard[clip] ?? []) >= asked(this.form.dataset, duration) - MISSING;
  }

  // A clip gets its mark when it was heard as far as the rule asks, and in full where the rule asks nothing.
  isMarked(clip, duration) {
    const rule = this.form.dataset.rule === "none" ? { rule: "full" } : this.form.dataset;
    return duration > 0 && seconds(this.heard[clip] ?? []) >= asked(rule, duration) - MISSING;
  }

  // Every report that has not arrived for certain, as text. `arrived` is called with it when it has.
  reports() {
    if (Object.keys(this.unsent).length) {
      const number = Math.max(Date.now(), (this.waiting.at(-1)?.number ?? 0) + 1);
      const totals = { plays: { ...this.plays }, switches: this.switches, hidden_s: round(this.hidden) };
      this.waiting.push({ number, ranges: this.unsent, ...totals });
      this.unsent = {};
      this.keep();
    }
    return JSON.stringify(this.waiting);
  }

  arrived(reports) {
    const last = JSON.parse(reports).at(-1)?.number ?? 0;
    this.waiting = this.waiting.filter((report) => report.number > last);
    this.keep();
  }

  async send() {
    const reports = this.reports();
    if (!this.waiting.length) return;
    const body = new FormData();
    body.set("csrfmiddlewaretoken", csrfToken());
    body.set("heard", reports);
    try {
      const response = await fetch(this.form.dataset.heardUrl, {
        method: "POST",
        body,
        headers: { "HX-Request": "true" },
      });
      if (response.ok || response.status === 400 || response.status === 422) this.arrived(reports);
    } catch {
      // They wait for the next time.
    }
  }

  keep() {
    if (this.forgotten) return;
    const { heard, unsent, waiting, plays, switches, hidden } = this;
    localStorage.setItem(this.key, JSON.stringify({ heard, unsent, waiting, plays, switches, hidden }));
  }

  // After a reload: what was played and has not arrived, and how often clips were begun. What was heard is kept whole,
  // because a report may be on its way while the server writes the page that follows.
  restore() {
    const kept = JSON.parse(localStorage.getItem(this.key) ?? "{}");
    const { heard = {}, unsent = {}, waiting = [], plays = {}, switches = 0, hidden = 0 } = kept;
    Object.assign(this, { unsent, waiting, plays, switches, hidden });
    for (const [clip, parts] of Object.entries(heard))
      this.heard[clip] = merged([...(this.heard[clip] ?? []), ...parts]);
  }

  forget() {
    this.forgotten = true;
    localStorage.removeItem(this.key);
  }

  stop() {
    clearInterval(this.timer);
  }
}

function round(value) {
  return Math.round(value * 1000) / 1000;
}
