/** Verdicts that break the promise, described for people. */
import type { Circumstances, Verdict } from './format.ts';
import { partsOf, textOf, verdictOf } from './rules.ts';
import { isBefore, type Moment, type State } from './states.ts';

/** A request that presents a key. */
export interface Verification {
  readonly port: string;
  readonly request: Circumstances;
  readonly started: Moment;
}

export interface AnsweredVerification extends Verification {
  readonly ended: number;
  readonly verdict: Verdict;
}

export interface Violation {
  readonly key: string;
  readonly verification: AnsweredVerification;
  /** All states that the key had, also later. */
  readonly states: readonly State[];
  /** The state of a rejected change that the verdict is based on. */
  readonly rejected: State | null;
}

/** Returns the state that the verdict is based on, if there was such a state. */
export function problemOf({ verification, states, rejected }: Violation): string {
  if (rejected !== null) return `decided on a change that was rejected: "${rejected.change}"`;
  const old = oldStateOf(verification, states);
  if (old !== null) {
    const { replacement, lateMs, isAnswered } = old;
    const how = isAnswered ? 'answered' : 'shown by a verdict';
    return `decided on an old state: "${replacement.change}" had been ${how} ${lateMs.toFixed(2)} ms before it started`;
  }
  const { started, ended } = verification;
  const [first, last] = admissible(verification, states);
  const future = states.slice(last + 1).find((state) => explains(state, verification));
  if (future !== undefined) {
    const earlyMs = future.requested - ended;
    return `decided on a state to come: "${future.change}" was requested ${earlyMs.toFixed(2)} ms after it ended`;
  }
  const expired = states.slice(first, last + 1).find((state) => gives(state, verification, false));
  if (expired !== undefined) {
    const lateMs = started.at - expired.mustExpireAt;
    return `decided on a time gone by: the key had expired at least ${lateMs.toFixed(2)} ms before it started`;
  }
  return 'no state that the key ever had gives this verdict';
}

/** The newest of the replaced states that give the verdict. */
function oldStateOf(verification: AnsweredVerification, states: readonly State[]) {
  const [first] = admissible(verification, states);
  const old = states.slice(0, first).findLastIndex((state) => explains(state, verification));
  const [source, replacement] = [states[old], states[old + 1]];
  if (source === undefined || replacement === undefined) return null;
  const lateMs = verification.started.at - source.replaced.at;
  return { replacement, lateMs, isAnswered: source.replaced.at === replacement.answered };
}

const shownStates = 5;

export function describe(violation: Violation): string {
  const { key, verification, states } = violation;
  const { port, started, ended, request, verdict } = verification;
  const [first, last] = admissible(verification, states);
  const possible = states.slice(Math.max(first, last + 1 - shownStates), last + 1);
  return [
    `${key}${port === '' ? '' : ` at ${port}`}: ${problemOf(violation)}`,
    `  verified  ${started.at.toFixed(2)} to ${ended.toFixed(2)} with ${JSON.stringify(request)}`,
    `  answered  ${JSON.stringify(verdict)}`,
    ...possible.map((state) => `  possible  ${line(state)}`),
  ].join('\n');
}

function line({ change, requested, answered, after }: State): string {
  return `"${change}" ${requested.toFixed(2)} to ${answered?.toFixed(2) ?? 'never'}: ${JSON.stringify(after)}`;
}

/** The indexes of the first and last state on which it could have been decided. */
function admissible({ started, ended }: AnsweredVerification, states: readonly State[]) {
  const first = states.findIndex(({ replaced }) => isBefore(started, replaced));
  const last = states.findLastIndex(({ requested }) => requested <= ended);
  return [first, last] as const;
}

/** Whether the state gives the verdict at a time between the call and the answer. */
function explains(state: State, verification: AnsweredVerification): boolean {
  const { started, ended } = verification;
  return (
    (started.at < state.mustExpireAt && gives(state, verification, false)) ||
    (ended >= state.mayExpireAt && gives(state, verification, true))
  );
}

function gives({ after }: State, { request, verdict }: AnsweredVerification, expired: boolean): boolean {
  const parts = partsOf(verdict);
  return textOf(verdict, parts) === textOf(verdictOf(after, request, expired), parts);
}
