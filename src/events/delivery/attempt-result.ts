/** What an attempt means for its delivery: the outcome, the next attempt, and what is kept of the answer. */
import type { Delivery, DeliveryOutcome } from '../../domain/webhook/delivery.ts';
import { nextAttempt } from '../../domain/webhook/retry-schedule.ts';
import type { PendingDelivery } from '../../store/rows/delivery-queue.ts';
import type { Attempt } from '../sender/attempt.ts';

/** Returns the delivery after an attempt; null stands for an event that has been purged from the log. */
export function deliveryAfter(
  attempt: Attempt | null,
  pending: PendingDelivery,
  now: Date,
  random: () => number,
): Delivery {
  const attempts = pending.attempts + 1;
  const isOver = attempt === null || attempt.ok;
  const retryAfterMs = attempt?.retryAfterMs ?? null;
  const next = isOver ? null : nextAttempt({ attempts, now, retryAfterMs, random });
  const outcome: DeliveryOutcome = attempt?.ok === true ? 'DELIVERED' : next === null ? 'FAILED' : 'PENDING';
  const result = attempt === null ? purged(now) : resultOf(attempt, now);
  return { ...pending, outcome, attempts, ...result, nextAttemptAt: next };
}

/** A team can have a million accepted deliveries in a day, and their answers say little. */
const acceptedBodyCharacters = 128;

/** Leaves out the last character if it is an emoji, for example, of which only half would be kept. */
function startOf(text: string): string {
  const isCut = /[\ud800-\udbff]/.test(text.charAt(acceptedBodyCharacters - 1));
  return text.slice(0, acceptedBodyCharacters - (isCut ? 1 : 0));
}

/** The columns of a delivery about its last attempt. */
export function resultOf({ ok, status, error, durationMs, responseBody }: Attempt, now: Date) {
  const reason = ok ? null : (error ?? `answered ${status}`);
  const kept = ok ? startOf(responseBody) : responseBody;
  return { status, error: reason, durationMs, responseBody: kept, attemptedAt: now };
}

function purged(now: Date) {
  return {
    status: null,
    error: 'the event is no longer in the log',
    durationMs: null,
    responseBody: null,
    attemptedAt: now,
  };
}
