/** The promise, checked: every verification is decided on a state at least as new as the moment it arrived. */
import type { Change, ClockOffset, KeyHistory, Verification } from './history.ts';
import { explains } from './model.ts';

export interface Violation {
  readonly prefix: string;
  readonly verification: Verification;
  /** The changes whose result would be correct: the last one answered before, and those in progress. */
  readonly admissible: readonly Change[];
  readonly problem: string;
}

const closeMs = 5;

/**
 * Counts verifications `close` to a change: they overlap it, or started within 5 ms after its answer. They are `telling`
 * if the state before the change would have been answered otherwise. `leaseMs`: VERIFY_LEASE_MS of the instances.
 */
export function check(history: KeyHistory, clock: ClockOffset, leaseMs = 0) {
  assertOneAfterTheOther(history.changes);
  const { prefix, verifications } = history;
  const changes = settled(history, clock, leaseMs);
  const violations: Violation[] = [];
  let close = 0;
  let telling = 0;
  for (const verification of verifications) {
    const { started, ended } = verification;
    const first = lastIndex(changes, ({ answered }) => answered !== null && answered <= started);
    const last = lastIndex(changes, ({ requested }) => requested <= ended);
    const newest = changes[first];
    if (newest === undefined) throw new Error('A key was verified before its creation was answered');
    const admissible = changes.slice(first, last + 1);
    if (!admissible.some(({ after }) => explains(after, verification, clock))) {
      const problem = problemOf(changes, first, last, verification, clock);
      violations.push({ prefix, verification, admissible, problem });
    }
    if (last > first || started - (newest.answered ?? 0) <= closeMs) {
      close += 1;
      const before = changes[last > first ? first : first - 1];
      if (before !== undefined && !explains(before.after, verification, clock)) telling += 1;
    }
  }
  return { violations, close, telling };
}

/**
 * A change without an answer may have been made or not. Once a verification has shown its result, later verifications
 * must show it too: with a lease, once the leases that other processes had then have ended.
 */
function settled({ changes, verifications }: KeyHistory, clock: ClockOffset, leaseMs: number): readonly Change[] {
  const [before, last] = changes.slice(-2);
  if (before === undefined || last === undefined || last.answered !== null) return changes;
  const proofs = verifications.filter(
    (one) =>
      one.started >= (before.answered ?? last.requested) &&
      one.ended >= last.requested &&
      explains(last.after, one, clock) &&
      !explains(before.after, one, clock),
  );
  if (proofs.length === 0) return changes;
  const seen = proofs.reduce((least, { ended }) => Math.min(least, ended), Number.POSITIVE_INFINITY);
  return [...changes.slice(0, -1), { ...last, answered: seen + leaseMs }];
}

/** Returns the state that the answer is based on, if there was such a state. */
function problemOf(
  changes: readonly Change[],
  first: number,
  last: number,
  verification: Verification,
  clock: ClockOffset,
) {
  const old = changes.slice(0, first).findLastIndex(({ after }) => explains(after, verification, clock));
  const replacement = old < 0 ? undefined : changes[old + 1];
  if (replacement !== undefined) {
    const lateMs = verification.started - (replacement.answered ?? verification.started);
    return `decided on an old state: "${replacement.kind}" had been answered ${lateMs.toFixed(2)} ms before it started`;
  }
  const future = changes.slice(last + 1).find(({ after }) => explains(after, verification, clock));
  if (future !== undefined) {
    const earlyMs = future.requested - verification.ended;
    return `decided on a state to come: "${future.kind}" was requested ${earlyMs.toFixed(2)} ms after it ended`;
  }
  const expired = changes[last]?.after.expiresAt ?? null;
  if (
    changes.slice(first, last + 1).some(({ after }) => explains(after, { ...verification, started: 0 }, clock)) &&
    expired !== null
  ) {
    const lateMs = verification.started + clock.least - expired;
    return `decided on a time gone by: the key had expired ${lateMs.toFixed(2)} ms before it started`;
  }
  return 'no state that the key ever had gives this answer';
}

/** Returns the last index with the property, which all indexes before it have too; -1 if none has it. */
function lastIndex(changes: readonly Change[], has: (change: Change) => boolean): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const change = changes[middle];
    if (change !== undefined && has(change)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function assertOneAfterTheOther(changes: readonly Change[]): void {
  for (const [i, { requested, answered }] of changes.entries()) {
    const next = changes[i + 1];
    if ((answered ?? requested) < requested) throw new Error('A change was answered before it was requested');
    if (next !== undefined && (answered === null || answered > next.requested)) throw new Error('Two changes overlap');
  }
}
