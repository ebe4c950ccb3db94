// What was heard on this page, as players ask for it. Reviewers need not report what they heard, so nothing is sent.

import { merged, seconds } from "../player/ranges.js";

const MISSING = 0.25;

export class HeardHere {
  heard = {};

  played(clip, start, end) {
    this.heard[clip] = merged([...(this.heard[clip] ?? []), [start, end]]);
  }

  began() {}

  isHeard() {
    return true;
  }

  isMarked(clip, duration) {
    return duration > 0 && seconds(this.heard[clip] ?? []) >= duration - MISSING;
  }
}
