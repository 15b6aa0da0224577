/** The states of one key, in their order, and the verifications that are decided on them. See checker.ts. */
import { type Circumstances, type Header, HistoryError, type KeyState, type Verdict } from './format.ts';
import { Lateness } from './lateness.ts';
import { partsOf, textOf, type VerdictPart, verdictOf } from './rules.ts';
import { endOfUnexpired, isBefore, type Moment, never, newState, type State } from './states.ts';
import { VerdictTable } from './verdict-table.ts';
import type { AnsweredVerification, Verification, Violation } from './violation.ts';

/** Verifications under way with the same circumstances. */
interface Kind {
  /** The index of the last answered state when the first of them was called. */
  readonly first: number;
  underWay: number;
  /** By the observed parts of the verdict. */
  readonly tables: Map<string, VerdictTable>;
}

/** A verification with what it is compared with. */
export interface CalledVerification extends Verification {
  readonly kind: string;
  /** The newest state that was certainly in force, and the one before. */
  readonly newest: State;
  readonly previous: State | null;
}

export interface ReportedViolation {
  readonly violation: Violation;
  /** See {@link Lateness}. */
  readonly lateMs: number;
}

const closeMs = 5;

export class KeyHistory {
  close = 0;
  telling = 0;
  evaluations = 0;
  readonly #name: string;
  readonly #header: Header;
  /** All states; the last one may be that of a change in progress. */
  readonly #states: State[] = [];
  readonly #kinds = new Map<string, Kind>();
  readonly #lateness = new Lateness();
  #isChanging = false;
  /** The first verification that has shown the state of the change in progress. */
  #shownBy: AnsweredVerification | null = null;

  constructor(name: string, header: Header) {
    this.#name = name;
    this.#header = header;
  }

  callChange(change: string, after: KeyState, { at }: Moment): void {
    if (this.#isChanging) {
      const before = this.#states.at(-1)?.change;
      throw new HistoryError(`"${change}" of ${this.#name} overlaps: "${before}" is not answered`);
    }
    this.#isChanging = true;
    this.#states.push(newState(change, after, at, this.#header.clock));
  }

  answerChange(now: Moment): void {
    const [state, before] = [this.#states.at(-1), this.#states.at(-2)];
    if (state !== undefined) state.answered = now.at;
    if (before !== undefined) replace(before, now);
    this.#isChanging = false;
    this.#shownBy = null;
  }

  /** Returns the verification that was decided on the rejected change, if there was one. */
  rejectChange(): ReportedViolation | null {
    const rejected = this.#states.pop() ?? null;
    const before = this.#states.at(-1);
    if (before !== undefined) before.replaced = never;
    const verification = this.#shownBy;
    this.#isChanging = false;
    this.#shownBy = null;
    if (verification === null) return null;
    return { violation: { key: this.#name, verification, states: this.#states, rejected }, lateMs: 0 };
  }

  callVerification(request: Circumstances, port: string, now: Moment): CalledVerification {
    const answered = this.#answered;
    const last = this.#states[answered];
    if (last === undefined) throw new HistoryError(`${this.#name} is verified before its creation is answered`);
    this.#replaceShown(last, now);
    const next = isBefore(now, last.replaced) ? undefined : this.#states[answered + 1];
    const kind = JSON.stringify(request);
    this.#kind(kind, answered).underWay += 1;
    const [newest, previous] = next === undefined ? [last, this.#states[answered - 1] ?? null] : [next, last];
    return { port, request, started: now, kind, newest, previous };
  }

  /** Returns the violation, if no state explains the verdict. Without a verdict, none is needed. */
  answerVerification(
    called: CalledVerification,
    verdict: Verdict | undefined,
    ended: number,
  ): ReportedViolation | null {
    const kind = this.#kind(called.kind, this.#answered);
    kind.underWay -= 1;
    if (kind.underWay === 0) this.#kinds.delete(called.kind);
    return verdict === undefined ? null : this.#judge({ ...called, ended, verdict }, called, kind);
  }

  /** Replaces the last answered state, if the next one has been shown early enough. */
  #replaceShown(last: State, now: Moment): void {
    if (this.#shownBy === null) return;
    const at = this.#shownBy.ended + (this.#header.leaseMs ?? 0);
    // No verification was called since then, so that the number of this event is as good as that of the first one.
    if (at <= now.at) replace(last, { at, event: now.event });
  }

  #judge(
    verification: AnsweredVerification,
    { newest, previous }: CalledVerification,
    kind: Kind,
  ): ReportedViolation | null {
    const observed = new ObservedVerdict(verification);
    const isExplained = this.#isExplained(observed, kind);
    this.evaluations += observed.evaluations;
    this.#compare(observed, newest, previous);
    if (isExplained) return null;
    const lateMs = this.#lateness.lateMsOf(verification, this.#states);
    return { violation: { key: this.#name, verification, states: this.#states, rejected: null }, lateMs };
  }

  #isExplained(observed: ObservedVerdict, kind: Kind): boolean {
    const answered = this.#answered;
    const [last, before] = [this.#states[answered], this.#states[answered - 1]];
    if (last !== undefined && observed.isExplainedBy(last)) return true;
    const { started } = observed.verification;
    if (before !== undefined && isBefore(started, before.replaced) && this.#isInTable(observed, kind)) return true;
    const pending = this.#states[answered + 1];
    if (pending === undefined || !observed.isExplainedBy(pending)) return false;
    this.#shownBy ??= observed.verification;
    return true;
  }

  #isInTable(observed: ObservedVerdict, { first, tables }: Kind): boolean {
    const parts = observed.parts.join();
    const table = tables.get(parts) ?? new VerdictTable(first);
    tables.set(parts, table);
    table.add(this.#states, this.#answered, (state, expired) => observed.verdictOf(state, expired));
    return table.explains(observed.text, observed.verification.started, observed.verification.ended);
  }

  #compare(observed: ObservedVerdict, newest: State, previous: State | null): void {
    const { started } = observed.verification;
    const isOverlapped = newest !== this.#states.at(-1);
    const since = previous === null ? newest.answered : previous.replaced.at;
    if (!isOverlapped && started.at - (since ?? started.at) > closeMs) return;
    this.close += 1;
    const before = isOverlapped ? newest : previous;
    const evaluated = observed.evaluations;
    if (before !== null && !observed.isExplainedBy({ ...before, replaced: never })) this.telling += 1;
    this.evaluations += observed.evaluations - evaluated;
  }

  /** The index of the last answered state. */
  get #answered(): number {
    return this.#states.length - (this.#isChanging ? 2 : 1);
  }

  #kind(name: string, first: number): Kind {
    const kind = this.#kinds.get(name) ?? { first, underWay: 0, tables: new Map() };
    this.#kinds.set(name, kind);
    return kind;
  }
}

function replace(state: State, now: Moment): void {
  if (isBefore(now, state.replaced)) state.replaced = now;
}

/** A verdict that a caller got, to be compared with what the states of the key give. */
class ObservedVerdict {
  readonly verification: AnsweredVerification;
  readonly parts: readonly VerdictPart[];
  readonly text: string;
  evaluations = 0;

  constructor(verification: AnsweredVerification) {
    this.verification = verification;
    this.parts = partsOf(verification.verdict);
    this.text = textOf(verification.verdict, this.parts);
  }

  isExplainedBy(state: State): boolean {
    const { started, ended } = this.verification;
    if (isBefore(started, endOfUnexpired(state)) && this.verdictOf(state, false) === this.text) return true;
    const mayBeExpired = state.mayExpireAt <= ended && isBefore(started, state.replaced);
    return mayBeExpired && this.verdictOf(state, true) === this.text;
  }

  verdictOf(state: State, expired: boolean): string {
    this.evaluations += 1;
    return textOf(verdictOf(state.after, this.verification.request, expired), this.parts);
  }
}
