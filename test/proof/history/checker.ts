/**
 * Judges histories: whether every verification was decided on a state at least as new as the moment when it started.
 *
 * **What is checked.** A history is *correct* if every change can be assigned a moment at which it took effect, between
 * its call and its answer, so that each verdict is explained. A verdict is *explained* by a state and a time if
 * 1. the state was in force at some moment between the call and the answer of the verification,
 * 2. the clock showed that time at some moment between them, and
 * 3. the rules give the verdict for this state, at this time, to this request.
 * A change without an answer took effect at any moment after its call, or never, and a rejected one never did. With a
 * lease, a state counts as in force for as long as the lease after the next change took effect, but not after that change
 * was answered. The checker reports no violation if and only if the history is correct.
 *
 * **How.** The changes of a key do not overlap, so its states s(0), s(1)… follow one another in a known order. Only the
 * moments t(i) at which they took effect are not known. Consider a verification from `start` to `end`.
 * - Let s(f) be the newest state that is *certainly* in force at `start`: its change was answered before, or an earlier
 *   verdict has shown it before (see below). It is recorded when the verification is called.
 * - Let s(l) be the last state whose change was called before `end`.
 * The verification is accepted if one of s(f)…s(l) gives the verdict, with a time from `start` to `end`.
 * If only the state of a change in progress gives it, the verdict has *shown* that state: the change took effect at the
 * latest at `end`, and from then on (plus a lease) the state is certainly in force.
 *
 * **Sound: a correct history is never rejected.** Take moments that explain all verdicts. By induction over the answers,
 * every state is in force at the latest when it is certainly in force: at the answer to its change by definition; and if
 * it was shown, none of the older states explains the verdict, so that the explaining moment is t(i) ≤ `end`. So a state
 * older than s(f) is not in force after `start`, and one newer than s(l) is not in force before `end`. The state that
 * explains the verdict is one of s(f)…s(l).
 *
 * **Complete: an accepted history is correct.** Assign t(i) = the moment when s(i) was shown, or else the answer to its
 * change (or never, if there is none). Both are between its call and its answer. Then s(i) is in force until t(i+1), and
 * `start` < t(i+1) for all i ≥ f, for otherwise s(i+1) would be certainly in force at `start`. Also t(i) ≤ `end` for all
 * i ≤ l, except if s(l) is not answered at `end` and not shown before. If s(l) then explains the verdict alone, the
 * verification shows it, and t(l) ≤ `end`. So the accepted state is in force at some moment of the verification. If a
 * change is rejected after it was shown, the verification that showed it is reported.
 *
 * **Expiry.** The offset between the clock of the events and the system clock is only known within bounds, and several
 * machines may have several clocks. So a state that expires at e can count as expired if `end` ≥ e - (maximum offset),
 * and as not expired if `start` < e - (minimum offset). One verdict says nothing about the clock of the next. A process may have
 * read a state before it was replaced and decide after it expired, so both verdicts of a replaced state remain possible.
 *
 * **Cost.** Linear time, and memory for the changes and for the verifications under way:
 * - The last state and the change in progress are compared directly: up to 4 evaluations of the rules each, with those
 *   for `telling`.
 * - A verification during which states were replaced looks up those states in a {@link VerdictTable}. Verifications under
 *   way with the same key and circumstances share it, and it ends with the last of them. So a state is evaluated again
 *   only for each kind of request under way when it was replaced: at most once per connection of the clients.
 * - A violation looks up its state in {@link Lateness}. A state is evaluated again for at most 20 kinds of violations.
 */
import {
  type ChangeAnswer,
  type ChangeCall,
  type Event,
  formatVersion,
  type Header,
  HistoryError,
  type VerifyAnswer,
  type VerifyCall,
} from './format.ts';
import { type CalledVerification, KeyHistory, type ReportedViolation } from './key-history.ts';
import type { Moment } from './states.ts';
import type { Violation } from './violation.ts';

export interface Result {
  /** The first ones, as many as the checker keeps. */
  readonly violations: readonly Violation[];
  readonly violationCount: number;
  /** How long before a violating verification started its state had been replaced, at most. See {@link Lateness}. */
  readonly maxLateMs: number;
  /** Answered changes. */
  readonly changes: number;
  readonly unansweredChanges: number;
  /** Those with a verdict. */
  readonly verifications: number;
  readonly unansweredVerifications: number;
  /** Verifications that overlap a change or started within 5 ms after one was answered. */
  readonly close: number;
  /** Those of them that the state before the change would have answered otherwise. */
  readonly telling: number;
  /** How often the rules were evaluated. */
  readonly evaluations: number;
}

interface Open {
  readonly key: KeyHistory;
  /** Null for a change. */
  readonly verification: CalledVerification | null;
}

export class HistoryChecker {
  readonly #header: Header;
  readonly #keys = new Map<string, KeyHistory>();
  /** The calls without an answer. */
  readonly #open = new Map<number, Open>();
  readonly #maxViolations: number;
  readonly #violations: Violation[] = [];
  #violationCount = 0;
  #maxLateMs = 0;
  #now: Moment = { at: Number.NEGATIVE_INFINITY, event: 0 };
  #changes = 0;
  #verifications = 0;
  #failed = 0;

  /** Counts all violations, and keeps up to `maxViolations` of them. */
  constructor(header: Header, maxViolations = Number.POSITIVE_INFINITY) {
    const { version, clock, leaseMs = 0 } = header;
    if (version !== formatVersion) throw new HistoryError(`the version is ${version}; expected is ${formatVersion}`);
    if (!(clock.min <= clock.max)) throw new HistoryError('the minimum clock offset is greater than the maximum');
    if (!(leaseMs >= 0)) throw new HistoryError('leaseMs is negative');
    this.#header = header;
    this.#maxViolations = maxViolations;
  }

  /** Throws a HistoryError if the event cannot follow the ones before. */
  add(event: Event): void {
    if (!(event.at >= this.#now.at)) throw new HistoryError(`the event is ${this.#now.at - event.at} ms too early`);
    this.#now = { at: event.at, event: this.#now.event + 1 };
    if ('answer' in event) this.#answer(event);
    else this.#call(event);
  }

  finish(): Result {
    const keys = [...this.#keys.values()];
    const sum = (count: (key: KeyHistory) => number) => keys.reduce((total, key) => total + count(key), 0);
    const openVerifications = [...this.#open.values()].filter(({ verification }) => verification !== null).length;
    return {
      violations: this.#violations,
      violationCount: this.#violationCount,
      maxLateMs: this.#maxLateMs,
      changes: this.#changes,
      unansweredChanges: this.#open.size - openVerifications,
      verifications: this.#verifications,
      unansweredVerifications: this.#failed + openVerifications,
      close: sum(({ close }) => close),
      telling: sum(({ telling }) => telling),
      evaluations: sum(({ evaluations }) => evaluations),
    };
  }

  #call(event: ChangeCall | VerifyCall): void {
    if (this.#open.has(event.call)) throw new HistoryError(`call ${event.call} is not answered yet, and is made again`);
    const key = this.#key(event.key);
    if ('change' in event) key.callChange(event.change, event.after, this.#now);
    const verification = 'change' in event ? null : key.callVerification(event.request, event.port ?? '', this.#now);
    this.#open.set(event.call, { key, verification });
  }

  #key(name: string): KeyHistory {
    const key = this.#keys.get(name) ?? new KeyHistory(name, this.#header);
    this.#keys.set(name, key);
    return key;
  }

  #answer(event: ChangeAnswer | VerifyAnswer): void {
    const open = this.#open.get(event.answer);
    if (open === undefined) throw new HistoryError(`call ${event.answer} is answered, but was not made`);
    this.#open.delete(event.answer);
    const { key, verification } = open;
    if (verification === null) this.#answerChange(key, event);
    else this.#answerVerification(key, verification, event);
  }

  #answerChange(key: KeyHistory, answer: ChangeAnswer | VerifyAnswer): void {
    if ('verdict' in answer) throw new HistoryError(`call ${answer.answer} is a change, and is answered by a verdict`);
    if ('rejected' in answer) {
      this.#report(key.rejectChange());
    } else {
      key.answerChange(this.#now);
      this.#changes += 1;
    }
  }

  #answerVerification(key: KeyHistory, called: CalledVerification, answer: ChangeAnswer | VerifyAnswer): void {
    if ('rejected' in answer) throw new HistoryError(`call ${answer.answer} is a verification, and cannot be rejected`);
    const verdict = 'verdict' in answer ? answer.verdict : undefined;
    if (verdict === undefined) this.#failed += 1;
    else this.#verifications += 1;
    this.#report(key.answerVerification(called, verdict, answer.at));
  }

  #report(reported: ReportedViolation | null): void {
    if (reported === null) return;
    this.#violationCount += 1;
    this.#maxLateMs = Math.max(this.#maxLateMs, reported.lateMs);
    if (this.#violations.length < this.#maxViolations) this.#violations.push(reported.violation);
  }
}

/** Judges a history that is in memory, and keeps all violations. */
export function checkHistory(header: Header, events: Iterable<Event>): Result {
  const checker = new HistoryChecker(header);
  for (const event of events) checker.add(event);
  return checker.finish();
}
