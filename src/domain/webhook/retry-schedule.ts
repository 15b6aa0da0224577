const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000];

/** How long after the previous attempt each attempt is made: the schedule of the Standard Webhooks specification. */
const delaysMs = [
  0,
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const;

export const maxAttempts = delaysMs.length;
export const maxRetryAfterMs = 24 * hourMs;

/** The share by which a delay varies, so that the events of an outage are not all sent again at the same moment. */
const jitter = 0.1;

export interface AttemptsSoFar {
  readonly attempts: number;
  /** When the last attempt ended. */
  readonly now: Date;
  /** How long the receiver asked to wait; null if it did not. */
  readonly retryAfterMs: number | null;
  /** Returns a number from 0 to 1, like `Math.random`. */
  readonly random: () => number;
}

/** Returns when the next attempt is due; null after the last one. Never earlier than the receiver asked for. */
export function nextAttempt({ attempts, now, retryAfterMs, random }: AttemptsSoFar): Date | null {
  const delayMs = delaysMs[attempts];
  if (delayMs === undefined) return null;
  const variedMs = delayMs * (1 - jitter + 2 * jitter * random());
  return new Date(now.getTime() + Math.round(Math.max(variedMs, retryAfterMs ?? 0)));
}

/** Returns about when the last attempt is, if all fail: `attempts` were made, and the next one is at `next`. */
export function lastAttemptAt(attempts: number, next: Date): Date {
  return new Date(delaysMs.slice(attempts + 1).reduce<number>((ms, delayMs) => ms + delayMs, next.getTime()));
}

/** An endpoint that asks for fewer requests, with `Retry-After`. */
const busyStatuses: readonly (number | null)[] = [429, 503];

export function isBusy(status: number | null): boolean {
  return busyStatuses.includes(status);
}

/**
 * Parses the value of `Retry-After` (RFC 9110, section 10.2.3), seconds or a date, into milliseconds from now, at most 24
 * hours. Returns null if it is invalid.
 */
export function parseRetryAfter(text: string, now: Date): number | null {
  if (/^\d+$/.test(text)) return Math.min(Number(text) * secondMs, maxRetryAfterMs);
  const date = httpDate(text);
  return date === null ? null : Math.min(Math.max(date - now.getTime(), 0), maxRetryAfterMs);
}

/** Parses the three formats of RFC 9110, section 5.6.7. The last one has no time zone, and is in GMT as well. */
function httpDate(text: string): number | null {
  const time = String.raw`\d\d:\d\d:\d\d`;
  const formats = new RegExp(
    `^(?:\\w{3}, \\d\\d \\w{3} \\d{4} ${time} GMT|\\w{6,9}, \\d\\d-\\w{3}-\\d\\d ${time} GMT|\\w{3} \\w{3} [ \\d]\\d ${time} \\d{4})$`,
  );
  if (!formats.test(text)) return null;
  const ms = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(ms) ? null : ms;
}
