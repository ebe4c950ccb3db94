// Fetching, decoding and playing clips with Web Audio. Clips are decoded whole, so that time is exact.

const RETRIES = 2;
const FADE = 0.005;
let context = null;

export function clock() {
  return audioContext().currentTime;
}

// Resolves to an AudioBuffer; rejects when the clip cannot be had or decoded.
export async function fetchClip(url, attempt = 0) {
  try {
    const response = await fetch(url, { credentials: "same-origin" });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return await audioContext().decodeAudioData(await response.arrayBuffer());
  } catch (error) {
    if (attempt >= RETRIES) throw error;
    await new Promise((resolve) => setTimeout(resolve, 400 * 2 ** attempt));
    return fetchClip(url, attempt + 1);
  }
}

// Starts at once from `position`; returns a function that stops it without a click.
export function playBuffer(buffer, position, onEnded) {
  const source = new AudioBufferSourceNode(audioContext(), { buffer });
  const gain = new GainNode(audioContext());
  source.connect(gain).connect(audioContext().destination);
  source.onended = onEnded;
  source.start(0, position);
  return () => {
    source.onended = null;
    gain.gain.setTargetAtTime(0, clock(), FADE / 3);
    source.stop(clock() + FADE);
  };
}

// Browsers let sound begin only after a gesture: called from the click or key that asks to play.
export async function wake() {
  if (audioContext().state === "suspended") await audioContext().resume();
}

function audioContext() {
  context ??= new AudioContext();
  return context;
}
