/** Random small histories, and what makes them correct: a search over all moments at which changes can take effect. */
import fc from 'fast-check';
import type { Circumstances, Event, Header, KeyState, Verdict } from './history/format.ts';
import { newKey } from './history/new-key.ts';
import { partsOf, textOf, verdictOf } from './history/rules.ts';

const grainMs = 1;

const anyState: fc.Arbitrary<KeyState> = fc.record({
  ...Object.fromEntries(Object.entries(newKey).map(([name, value]) => [name, fc.constant(value)])),
  env: fc.constant('live'),
  name: fc.constantFrom('a', 'b'),
  disabled: fc.boolean(),
  expiresAt: fc.option(fc.integer({ min: 0, max: 30 }), { freq: 2 }),
}) as fc.Arbitrary<KeyState>;

const anyRequest: fc.Arbitrary<Circumstances> = fc.record({
  secret: fc.constant(0),
  scopes: fc.constant([]),
  env: fc.constantFrom(null, 'test'),
  source: fc.constant(null),
  signedWith: fc.constant(null),
});

const anyParts = fc.constantFrom<readonly (keyof Verdict)[]>(['accepted'], ['code'], ['code'], ['code', 'name']);

/** What happens next, if it can happen. A verdict is that of one of the last states, or a failure. */
const anyStep = fc.record({
  afterMs: fc.integer({ min: 0, max: 3 }),
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('change', 'verify', 'answer') },
    { weight: 1, arbitrary: fc.constantFrom('answer change', 'answer change', 'reject change', 'fail') },
  ),
  state: anyState,
  request: anyRequest,
  which: fc.nat(),
  back: fc.constantFrom(0, 0, 0, 1, 1, 2, 3),
  expired: fc.boolean(),
  parts: anyParts,
});
type Step = Parameters<Parameters<typeof anyStep.map>[0]>[0];

const anyHeader: fc.Arbitrary<Header> = fc.record({
  version: fc.constant(1),
  clock: fc.constantFrom({ min: 0, max: 0 }, { min: -2, max: 1 }),
  leaseMs: fc.constantFrom(0, 0, 3),
});

export const anyHistory = fc
  .record({ header: anyHeader, first: anyState, steps: fc.array(anyStep, { minLength: 4, maxLength: 18 }) })
  .map(({ header, first, steps }) => ({ header, events: eventsOf(first, steps) }));

function eventsOf(first: KeyState, steps: readonly Step[]): readonly Event[] {
  const events: Event[] = [
    { at: 0, call: 0, key: 'key', change: 'create', after: first },
    { at: 0, answer: 0 },
  ];
  const states = [first];
  const open: { readonly call: number; readonly request: Circumstances }[] = [];
  let changing: number | null = null;
  let at = 0;
  for (const [i, { afterMs, what, state, request, which, back, expired, parts }] of steps.entries()) {
    at += afterMs;
    const call = i + 1;
    if (what === 'change' && changing === null) {
      changing = call;
      states.push(state);
      events.push({ at, call, key: 'key', change: 'change', after: state });
    } else if (/change/.test(what) && changing !== null) {
      events.push({ at, answer: changing, ...(what === 'reject change' ? { rejected: true } : {}) });
      changing = null;
    } else if (what === 'verify') {
      open.push({ call, request });
      events.push({ at, call, key: 'key', request });
    } else if (open.length > 0) {
      const [one] = open.splice(which % open.length, 1);
      const source = states.at(-1 - back) ?? first;
      if (one === undefined) continue;
      const all = verdictOf(source, one.request, expired);
      const verdict = Object.fromEntries(parts.map((part) => [part, all[part]]));
      events.push({ at, answer: one.call, ...(what === 'fail' ? {} : { verdict }) });
    }
  }
  return events;
}

/** A change takes effect just before the event of this index; one after the last event is none at all. */
type Effect = number;

interface TriedChange {
  readonly after: KeyState;
  readonly called: number;
  /** The index of the answer; behind the last event if there is none. */
  readonly answered: number;
}

interface TriedVerification {
  readonly request: Circumstances;
  readonly called: number;
  readonly answered: number;
  readonly verdict: Verdict;
}

/** Tries all moments for all changes. */
export function isCorrect(header: Header, events: readonly Event[]): boolean {
  const answerTo = (call: number) => {
    const index = events.findIndex((event) => 'answer' in event && event.answer === call);
    return index < 0 ? events.length : index;
  };
  const changes: TriedChange[] = [];
  const verifications: TriedVerification[] = [];
  for (const [called, event] of events.entries()) {
    if ('answer' in event) continue;
    const answered = answerTo(event.call);
    const answer = events[answered];
    if ('change' in event) {
      if (answer === undefined || !('rejected' in answer)) changes.push({ after: event.after, called, answered });
    } else if (answer !== undefined && 'verdict' in answer && answer.verdict !== undefined) {
      verifications.push({ request: event.request, called, answered, verdict: answer.verdict });
    }
  }
  const isExplained = (effects: readonly Effect[]) =>
    verifications.every((one) => changes.some((_, i) => explains(header, events, changes, effects, i, one)));
  return assignments(changes).some(isExplained);
}

/** All combinations of moments, each between the call and the answer of its change. */
function assignments(changes: readonly TriedChange[]): readonly (readonly Effect[])[] {
  return changes.reduce<readonly (readonly Effect[])[]>(
    (all, { called, answered }) =>
      all.flatMap((effects) => Array.from({ length: answered - called }, (_, i) => [...effects, called + 1 + i])),
    [[]],
  );
}

function explains(
  { clock, leaseMs = 0 }: Header,
  events: readonly Event[],
  changes: readonly TriedChange[],
  effects: readonly Effect[],
  index: number,
  { request, called, answered, verdict }: TriedVerification,
): boolean {
  const [change, next] = [changes[index], changes[index + 1]];
  const [started, ended] = [timeOf(events, called), timeOf(events, answered)];
  if (change === undefined || effects[index] === undefined || effects[index] > answered) return false;
  if (next !== undefined) {
    const effect = effects[index + 1] ?? events.length;
    const isLeased = called < next.answered && started < timeOf(events, effect) + leaseMs;
    if (called >= effect && !isLeased) return false;
  }
  const { after } = change;
  const parts = partsOf(verdict);
  const gives = (expired: boolean) => textOf(verdictOf(after, request, expired), parts) === textOf(verdict, parts);
  // Clock times during the verification: from started + min to ended + max.
  // The key is accepted during the millisecond `expiresAt`.
  const expiredAt = after.expiresAt === null ? null : after.expiresAt + 1;
  const canBeUnexpired = expiredAt === null || started + clock.min - grainMs < expiredAt;
  const canBeExpired = expiredAt !== null && expiredAt <= ended + clock.max + grainMs;
  return (canBeUnexpired && gives(false)) || (canBeExpired && gives(true));
}

function timeOf(events: readonly Event[], index: number): number {
  return events[index]?.at ?? Number.POSITIVE_INFINITY;
}
