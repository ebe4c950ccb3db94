// Fetching a clip's bytes, and again when the network or the server falters. No DOM.

const PAUSES = [400, 800]; // milliseconds before the second and the third attempt

// The request was understood and refused; asking again would change nothing.
class Refused extends Error {}

// Resolves to all the bytes of a WAV file; rejects when they cannot be had.
export async function fetchWhole(url, { fetch = globalThis.fetch, wait = pause, priority = "auto" } = {}) {
  for (let attempt = 0; ; attempt++) {
    try {
      // What came in part or damaged may be in the browser's cache.
      const cache = attempt ? "reload" : "default";
      return await wholeBody(await fetch(url, { credentials: "same-origin", cache, priority }));
    } catch (error) {
      if (error instanceof Refused || attempt === PAUSES.length) throw error;
      await wait(PAUSES[attempt]);
    }
  }
}

async function wholeBody(response) {
  const refusal = `the server answered ${response.status}`;
  if (response.status >= 400 && response.status < 500 && response.status !== 429) throw new Refused(refusal);
  if (!response.ok) throw new Error(refusal);
  const bytes = await response.arrayBuffer();
  if (!isWhole(bytes)) throw new Error("the clip was cut off on its way");
  return bytes;
}

// A browser plays half a WAV file without a word; the file's header says how long it is.
export function isWhole(bytes) {
  if (bytes.byteLength < 12) return false;
  const header = new DataView(bytes);
  return header.getUint32(0) === 0x52494646 && header.getUint32(4, true) + 8 <= bytes.byteLength; // "RIFF"
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
