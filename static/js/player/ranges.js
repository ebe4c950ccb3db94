// Parts of a clip as sorted, disjoint [start, end] pairs in seconds. No DOM.

// Only ranges that touch or overlap become one, as on the server: between two that are close nothing was played.
export function merged(ranges) {
  const result = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

export function seconds(ranges) {
  return merged(ranges).reduce((sum, [start, end]) => sum + end - start, 0);
}

// How many seconds of a clip a rule asks to be heard.
export function asked({ rule, ruleSeconds }, duration) {
  if (rule === "none") return 0;
  return rule === "full" ? duration : Math.min(Number(ruleSeconds), duration);
}
