// Fetches the clips of the next unit while this one is labelled, so that it can be played at once. Failures are silent:
// what is not here when it is wanted is loaded as usual.

import { fetchClip } from "../player/sound.js";
import { csrfToken } from "./csrf.js";

export class Prefetch {
  constructor({ ask = askServer, get = fetchAhead } = {}) {
    this.ask = ask;
    this.get = get;
    this.next = null;
  }

  // Asks what comes next and fetches it, one clip after the other. The server may have nothing to fetch ahead.
  async begin(url) {
    if (!url || this.next) return;
    const next = { assignment: null, clips: {} };
    this.next = next;
    try {
      const said = await this.ask(url);
      next.assignment = said?.assignment;
      for (const [clip, address] of Object.entries(said?.clips ?? {})) {
        if (this.next !== next) return;
        next.clips[clip] = this.get(address);
        await next.clips[clip];
      }
    } catch {
      // The unit will load what is missing.
    }
  }

  // The clips of this assignment as far as they are here or on their way, as promises; everything else is dropped.
  take(assignment) {
    const { next } = this;
    this.next = null;
    return next && next.assignment === assignment ? next.clips : {};
  }
}

async function askServer(url) {
  const headers = { "X-CSRFToken": csrfToken(), Accept: "application/json" };
  const response = await fetch(url, { method: "POST", credentials: "same-origin", headers });
  return response.status === 200 ? response.json() : null;
}

function fetchAhead(address) {
  return fetchClip(address, { priority: "low" });
}
