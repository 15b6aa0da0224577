/** What the middleware does without `onVerifierError`. Uses web standards only. */
const pauseMs = 60_000;

/**
 * Returns a function that writes the reason of a request without a verdict to the console: the first one, and then at most
 * one per minute, with the number of requests in between. During an outage, the log must not grow with the load.
 */
export function logVerifierErrors(
  write: (line: string) => void = (line) => console.error(line),
  now: () => number = Date.now,
): (error: Error) => void {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let unwritten = 0;
  return ({ message }) => {
    const time = now();
    // A clock that is set back must not end the messages.
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
