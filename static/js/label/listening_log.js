// Collects what was played of every clip and reports it to the server every few seconds. What could not be sent is
// kept for the next report, and goes along with the answers at the latest.

import { csrfToken } from "./csrf.js";
import { asked, seconds } from "../player/ranges.js";

const EVERY = 3000;
const MISSING = 0.25;

export class ListeningLog {
  constructor(form) {
    this.form = form;
    this.unsent = {};
    this.heard = JSON.parse(form.dataset.heard);
    this.plays = {};
    this.switches = 0;
    this.hiddenSince = null;
    this.hidden = 0;
    this.last = null;
    this.timer = setInterval(() => this.send(), EVERY);
  }

  // A part of a clip was played; times are seconds in the clip.
  played(clip, start, end) {
    if (end <= start) return;
    const part = [round(start), round(end)];
    (this.unsent[clip] ??= []).push(part);
    (this.heard[clip] ??= []).push(part);
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

  // The report as text; what it holds counts as sent unless `putBack` is called with it.
  take() {
    const report = {
      number: Date.now(), // grows in every tab and after every reload
      ranges: this.unsent,
      plays: this.plays,
      switches: this.switches,
      hidden_s: round(this.hidden),
    };
    this.unsent = {};
    return report;
  }

  putBack(report) {
    for (const [clip, parts] of Object.entries(report.ranges)) {
      this.unsent[clip] = [...parts, ...(this.unsent[clip] ?? [])];
    }
  }

  async send() {
    if (!Object.keys(this.unsent).length) return;
    const report = this.take();
    const body = new FormData();
    body.set("csrfmiddlewaretoken", csrfToken());
    body.set("heard", JSON.stringify(report));
    try {
      const response = await fetch(this.form.dataset.heardUrl, { method: "POST", body, headers: { "HX-Request": "true" } });
      if (!response.ok && response.status !== 422) this.putBack(report);
    } catch {
      this.putBack(report);
    }
  }

  stop() {
    clearInterval(this.timer);
  }
}

function round(value) {
  return Math.round(value * 1000) / 1000;
}
