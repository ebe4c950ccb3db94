// Browsers let sound begin only after a gesture ("suspended"), and phones remove it for a call ("interrupted").

const TIMEOUT = 5000;

// Resolves to whether the audio context runs. While a call lasts, a phone leaves `resume` without an answer.
export async function awaken(context, timeout = TIMEOUT) {
  if (context.state === "running") return true;
  let timer = null;
  const givenUp = new Promise((resolve) => {
    timer = setTimeout(resolve, timeout);
  });
  await Promise.race([context.resume().catch(() => null), givenUp]);
  clearTimeout(timer);
  return context.state === "running";
}
