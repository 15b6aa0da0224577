/** The default of the middleware's option `onVerifierError`. Uses web standards only. */
const pauseMs = 60_000;

/**
 * Returns a function that logs why a request got no verdict: for the first such request, then at most once per minute,
 * with the number of requests in between. During an outage, the log must not grow with the load.
 */
export function logVerifierErrors(
  write: (line: string) => void = (line) => console.error(line),
  now: () => number = Date.now,
): (error: Error) => void {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let unwritten = 0;
  return ({ message }) => {
    const time = now();
    // Without `abs`, messages would stop for a long time after the clock is set back.
    if (Math.abs(time - writtenAt) < pauseMs) {
      unwritten += 1;
      return;
    }
    const others = unwritten === 0 ? '' : ` (and ${unwritten} others since the last message)`;
    writtenAt = time;
    unwritten = 0;
    write(`@latchkey/client: a request got 503${others}, because its key could not be verified. ${message}`);
  };
}
