// What a waveform shows of a clip. No DOM.

// The highest magnitude in each of `count` equal parts of the clip, from 0 to 1, over all its channels.
export function peaks(channels, count) {
  const result = new Float32Array(count);
  for (const samples of channels) {
    for (let part = 0; part < count; part++) {
      const end = Math.ceil(((part + 1) * samples.length) / count);
      for (let n = Math.floor((part * samples.length) / count); n < end; n++) {
        result[part] = Math.max(result[part], Math.abs(samples[n]));
      }
    }
  }
  return result.map((peak) => Math.min(peak, 1));
}

// The share of the full height that a peak gets: the same for every clip, so that none looks louder than it is, and
// lifted, because speech stays far below full scale.
export function height(peak) {
  return Math.sqrt(peak);
}
