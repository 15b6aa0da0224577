/** The checker of histories misses no broken promise, and reports none that was kept. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyHistory, isCorrect } from './histories.ts';
import { checkHistory, HistoryChecker } from './history/checker.ts';
import { type Circumstances, type Event, HistoryError, type KeyState, type Verdict } from './history/format.ts';
import { newKey } from './history/new-key.ts';
import { problemOf, type Violation } from './history/violation.ts';

const offset = 1_000_000;
const clock = { min: offset - 0.5, max: offset };
const [inside, outside] = ['192.0.2.7', '203.0.113.9'];

interface Change {
  readonly change: string;
  readonly requested: number;
  /** Null if there was no answer. */
  readonly answered: number | null;
  readonly after: KeyState;
  readonly rejected?: true;
}

function change(change: string, requested: number, answered: number | null, after: Partial<KeyState> = {}): Change {
  return { change, requested, answered, after: { ...newKey, name: 'a', env: 'live', ...after } };
}

type Call = readonly [
  started: number,
  ended: number,
  verdict: string | Verdict,
  circumstances?: Partial<Circumstances>,
];

/** At the same time, changes come before verifications. */
function eventsOf(changes: readonly Change[], calls: readonly Call[]): readonly Event[] {
  const ofChanges = changes.flatMap(({ change, requested, answered, after, ...rejected }, call): Event[] => [
    { at: requested, call, key: 'key', change, after },
    ...(answered === null ? [] : [{ at: answered, answer: call, ...rejected }]),
  ]);
  const ofCalls = calls.flatMap(([started, ended, verdict, circumstances = {}], i): Event[] => {
    const call = changes.length + i;
    const request = { secret: 0, scopes: [], env: null, source: null, signedWith: null, ...circumstances };
    return [
      { at: started, call, key: 'key', request, port: 'A' },
      { at: ended, answer: call, verdict: typeof verdict === 'string' ? { code: verdict } : verdict },
    ];
  });
  return [...ofChanges, ...ofCalls].sort((one, other) => one.at - other.at);
}

function findings(changes: readonly Change[], calls: readonly Call[], leaseMs = 0) {
  return checkHistory({ version: 1, clock, leaseMs }, eventsOf(changes, calls));
}

const creation = change('create', 0, 10);
const revoked = [creation, change('revoke', 100, 110, { revoked: true })];
const lost = [creation, change('revoke', 100, null, { revoked: true })];
const rejected = [creation, { ...change('revoke', 100, 110, { revoked: true }), rejected: true } as const];
const rotated = [creation, change('rotate', 100, 110, { secret: 1 })];
const disabled = [creation, change('disable', 100, 110, { disabled: true })];
const scoped = [creation, change('scope', 20, 30, { scopes: ['read'] }), change('scope', 100, 110)];
const read = { scopes: ['read'] };
const overlapped = [
  creation,
  change('rotate with overlap', 20, 30, { secret: 1, overlap: true }),
  change('end overlap', 100, 110, { secret: 1 }),
];
const several = [
  creation,
  change('tighten', 100, 110, { allowed: ['192.0.2.0/24'] }),
  change('loosen', 120, 130),
  change('revoke', 140, 150, { revoked: true }),
];
const renamed = [creation, change('rename', 100, 110, { name: 'b' })];
// Expires at 200 on the run's clock.
const expiring = [creation, change('expire', 100, 110, { expiresAt: offset + 200 })];
const renewed = [...expiring, change('renew', 300, 310)];
const named = (code: string, name: string, expiresAt: number | null = null) => ({ code, name, expiresAt });

const late = (change: string, ms: string) =>
  `decided on an old state: "${change}" had been answered ${ms} ms before it started`;

test.each<[what: string, problem: string, changes: readonly Change[], ...calls: Call[]]>([
  ['VALID after a revoke', late('revoke', '0.00'), revoked, [110, 111, 'VALID']],
  ['VALID long after a revoke', late('revoke', '4890.00'), revoked, [5000, 5001, 'VALID']],
  ['an earlier secret', late('rotate', '0.00'), rotated, [110, 111, 'VALID']],
  ['a disabled key', late('disable', '0.00'), disabled, [110, 111, 'VALID']],
  ['a removed scope', late('scope', '0.00'), scoped, [110, 111, 'VALID', read]],
  [
    'the previous secret as current',
    late('rotate with overlap', '20.00'),
    overlapped,
    [50, 51, { code: 'VALID', secret: 'current' }],
  ],
  ['the previous secret after its overlap', late('end overlap', '0.00'), overlapped, [110, 111, 'VALID']],
  ['the current secret as rotated', 'no state', overlapped, [110, 111, 'ROTATED', { secret: 1 }]],
  [
    'a state before the newest answered change',
    late('loosen', '1.00'),
    several,
    [131, 145, 'SOURCE_NOT_ALLOWED', { source: outside }],
  ],
  [
    'a state to come',
    'decided on a state to come: "revoke" was requested 1.00 ms after it ended',
    revoked,
    [90, 99, 'REVOKED'],
  ],
  ['an unknown key after its creation', 'no state', [creation], [10, 11, 'NOT_FOUND']],
  ['a former name', late('rename', '1.00'), renamed, [111, 112, named('VALID', 'a')]],
  ['another expiry', 'no state', renamed, [111, 112, named('VALID', 'b', 7)]],
  ['EXPIRED too early', 'no state', expiring, [190, 199, 'EXPIRED']],
  [
    'VALID after the expiry',
    'decided on a time gone by: the key had expired at least 2.00 ms before it started',
    expiring,
    [204.5, 205, named('VALID', 'a', offset + 200)],
  ],
  ['EXPIRED after the expiry was removed', late('renew', '1.00'), renewed, [311, 312, 'EXPIRED']],
  ['a lost change before it was requested', 'decided on a state to come', lost, [98, 99, 'REVOKED']],
  [
    'a lost change that disappears',
    '"revoke" had been shown by a verdict 1.00 ms before it started',
    lost,
    [211, 212, 'VALID'],
    [200, 210, 'REVOKED'],
  ],
  [
    'a change in progress that disappears',
    '"revoke" had been shown by a verdict 1.00 ms before it started',
    revoked,
    [101, 102, 'REVOKED'],
    [103, 104, 'VALID'],
  ],
  ['a change that was rejected', 'rejected: "revoke"', rejected, [101, 109, 'REVOKED']],
  ['a change after its rejection', 'no state', rejected, [111, 112, 'REVOKED']],
])('reports %s', (_, problem, changes, ...calls) => {
  expect(findings(changes, calls).violations.map(problemOf)).toEqual([expect.stringContaining(problem)]);
});

test('a process may miss a change without an answer until its lease ends', () => {
  const missedAt = (started: number) =>
    findings(
      lost,
      [
        [200, 210, 'REVOKED'],
        [started, started + 1, 'VALID'],
      ],
      50,
    ).violations.length;
  expect([missedAt(259), missedAt(261)]).toEqual([0, 1]);
});

test('a process may decide on a state that was in force when the request came, with the time when it is answered', () => {
  // It was stopped after it had read the state, until the key would have expired.
  expect(findings(renewed, [[120, 320, 'EXPIRED']]).violations).toEqual([]);
  expect(findings(renewed, [[120, 320, named('VALID', 'a', offset + 200)]]).violations).toEqual([]);
  const early = [creation, change('expire', 100, 110, { expiresAt: offset + 400 }), change('renew', 300, 310)];
  expect(findings(early, [[120, 320, 'EXPIRED']]).violations).toHaveLength(1);
  expect(findings(early, [[120, 420, 'EXPIRED']]).violations).toEqual([]);
});

test('a verifier that caches for ten seconds is found by a revoke, and by nothing else', () => {
  const answers = Array.from({ length: 120 }, (_, i): Call => {
    const started = 50 + 100 * i;
    return [started, started + 2, started < 10_050 ? 'VALID' : 'REVOKED'];
  });
  const { violations } = findings(revoked, answers);
  expect(violations).toHaveLength(99);
  expect(violations.map(problemOf).at(-1)).toBe(late('revoke', '9840.00'));
  expect(findings(renamed, answers.slice(0, 99)).violations).toEqual([]);
});

describe('a history with impossible events is an error', () => {
  const request = { secret: 0, scopes: [], env: null, source: null, signedWith: null };
  const { after } = creation;
  const made: readonly Event[] = [
    { at: 0, call: 0, key: 'key', change: 'create', after },
    { at: 1, answer: 0 },
  ];
  const rename = (at: number, call: number) => ({ at, call, key: 'key', change: 'rename', after });
  const verify = (at: number, call: number) => ({ at, call, key: 'key', request });

  test.each<[problem: string, ...events: Event[]]>([
    ['"rename" of key overlaps: "rename" is not answered', ...made, rename(2, 1), rename(3, 2)],
    ['key is verified before its creation is answered', verify(0, 1)],
    ['key is verified before its creation is answered', made[0] as Event, verify(1, 1)],
    ['the event is 1 ms too early', ...made, verify(2, 1), { at: 1, answer: 1, verdict: {} }],
    ['call 7 is answered, but was not made', ...made, { at: 2, answer: 7 }],
    ['call 0 is answered, but was not made', ...made, { at: 2, answer: 0 }],
    ['call 1 is not answered yet, and is made again', ...made, verify(2, 1), verify(3, 1)],
    ['call 1 is a change, and is answered by a verdict', ...made, rename(2, 1), { at: 3, answer: 1, verdict: {} }],
    ['call 1 is a verification, and cannot be rejected', ...made, verify(2, 1), { at: 3, answer: 1, rejected: true }],
  ])('%s', (problem, ...events) => {
    expect(() => checkHistory({ version: 1, clock }, events)).toThrow(new HistoryError(problem));
  });
});

/** From its description, which a search over all states finds. */
function lateMs(violation: Violation): number {
  return Number(/^decided on an old state: .* (\S+) ms before it started$/.exec(problemOf(violation))?.[1] ?? 0);
}

test('the checker finds exactly the histories for which changes can take effect at no moments that explain all verdicts', () => {
  let violated = 0;
  fc.assert(
    fc.property(anyHistory, ({ header, events }) => {
      const { violations, violationCount, maxLateMs } = checkHistory(header, events);
      const isKept = violations.length === 0;
      expect(violationCount).toBe(violations.length);
      if (!events.some((event) => 'rejected' in event)) expect(maxLateMs).toBe(Math.max(0, ...violations.map(lateMs)));
      if (!isKept) violated += 1;
      expect(isKept).toBe(isCorrect(header, events));
    }),
    { numRuns: 5000 },
  );
  expect(violated).toBeGreaterThan(500);
  expect(violated).toBeLessThan(4500);
});

describe('the cost is linear', () => {
  const request = { secret: 0, scopes: [], env: null, source: null, signedWith: null };
  const states = 1000;

  /** Each verification starts before all changes, and ends after them. */
  function longHistory(verifications: number, kinds: number): readonly Event[] {
    const calls = Array.from({ length: verifications }, (_, i) => i);
    const verify = (call: number) => ({
      at: 2,
      call,
      key: 'key',
      request: { ...request, scopes: [`${call % kinds}`] },
    });
    const changes = Array.from({ length: states }, (_, i): Event[] => [
      { at: 3, call: -1, key: 'key', change: 'rename', after: { ...creation.after, name: `${i}` } },
      { at: 3, answer: -1 },
    ]);
    return [
      { at: 0, call: -1, key: 'key', change: 'create', after: creation.after },
      { at: 1, answer: -1 },
      ...calls.map(verify),
      ...changes.flat(),
      ...calls.map((answer) => ({
        at: 4,
        answer,
        verdict: { code: 'INSUFFICIENT_SCOPE', name: `${answer % states}` },
      })),
    ];
  }

  test.each([
    [1000, 1],
    [1000, 10],
    [100, 100],
  ])('for %i verifications of %i kinds during 1000 changes', (verifications, kinds) => {
    const { violations, evaluations } = checkHistory({ version: 1, clock }, longHistory(verifications, kinds));
    expect(violations).toEqual([]);
    expect(evaluations).toBeLessThanOrEqual(states * kinds + 6 * verifications);
  });

  test('for verifications one after the other, however many changes and kinds there were', () => {
    const turns = Array.from({ length: states }, (_, i): Event[] => [
      { at: i, call: 0, key: 'key', change: 'rename', after: { ...creation.after, name: `${i}` } },
      { at: i, answer: 0 },
      { at: i, call: 1, key: 'key', request: { ...request, source: `${i}` } },
      { at: i, answer: 1, verdict: { code: 'VALID', name: `${i}` } },
    ]);
    const { violations, evaluations } = checkHistory({ version: 1, clock }, turns.flat());
    expect(violations).toEqual([]);
    expect(evaluations).toBeLessThanOrEqual(6 * states);
  });
});

test('counts all violations and measures the latest in linear time, and keeps only the first ones', () => {
  const request = { secret: 0, scopes: [], env: null, source: null, signedWith: null };
  /** Verifications after each change, which show the name that they give. */
  const history = (nameAfter: (change: number) => string) =>
    Array.from({ length: 8000 }, (_, i): Event[] => [
      { at: 10 * i, call: 0, key: 'key', change: 'rename', after: { ...creation.after, name: `${i}` } },
      { at: 10 * i, answer: 0 },
      ...Array.from({ length: 20 }, (_): Event[] => [
        { at: 10 * i, call: 1, key: 'key', request },
        { at: 10 * i, answer: 1, verdict: { code: 'VALID', name: nameAfter(i) } },
      ]).flat(),
    ]).flat();
  const check = (events: readonly Event[]) => {
    const checker = new HistoryChecker({ version: 1, clock }, 10);
    const started = process.cpuUsage();
    for (const event of events) checker.add(event);
    return { ...checker.finish(), processorTime: process.cpuUsage(started).user };
  };
  const correct = check(history((i) => `${i}`));
  expect(correct.violationCount).toBe(0);
  const { violations, violationCount, maxLateMs, processorTime } = check(history(() => '0'));
  expect(violations).toHaveLength(10);
  expect(violationCount).toBe(7999 * 20);
  expect(maxLateMs).toBe(79_980);
  // A search over all states for each violation takes more than 40 times as long.
  expect(processorTime / correct.processorTime).toBeLessThan(20);
});

const restricted = { allowed: ['192.0.2.0/24', '198.51.100.7'], signing: 1 };
const wrong = { env: 'test', source: outside, signedWith: 0 } as const;
test.each<[code: string, state: Partial<KeyState>, circumstances: Partial<Circumstances>]>([
  ['REVOKED', { ...restricted, revoked: true, expiresAt: offset + 20 }, wrong],
  ['EXPIRED', { ...restricted, expiresAt: offset + 20 }, wrong],
  ['WRONG_ENVIRONMENT', restricted, wrong],
  ['SOURCE_NOT_ALLOWED', restricted, { ...wrong, env: 'live' }],
  ['SOURCE_NOT_ALLOWED', restricted, { ...wrong, env: null, source: null }],
  ['SIGNATURE_REQUIRED', restricted, { source: inside }],
  ['SIGNATURE_INVALID', restricted, { source: inside, signedWith: 0 }],
  ['SIGNATURE_INVALID', restricted, { source: inside, signedWith: -1 }],
  ['VALID', restricted, { source: '198.51.100.7', signedWith: 1 }],
  ['VALID', {}, {}],
])('the first rule that applies gives %s, and no other code', (code, state, circumstances) => {
  const codes = ['REVOKED', 'EXPIRED', 'WRONG_ENVIRONMENT', 'SOURCE_NOT_ALLOWED', 'SIGNATURE_REQUIRED'];
  const accepted = [...codes, 'SIGNATURE_INVALID', 'VALID'].filter(
    (one) => findings([change('create', 0, 10, state)], [[50, 51, one, circumstances]]).violations.length === 0,
  );
  expect(accepted).toEqual([code]);
});

test('counts the verifications close to a change, and those whose answer on the old state would be different', () => {
  const { close, telling } = findings(several.slice(0, 2), [
    [50, 60, 'VALID', { source: outside }],
    [95, 100.1, 'VALID', { source: outside }],
    [105, 106, 'SOURCE_NOT_ALLOWED', { source: outside }],
    [111, 112, 'SOURCE_NOT_ALLOWED', { source: outside }],
    [115, 116, 'VALID', { source: inside }],
    [116, 117, 'SOURCE_NOT_ALLOWED', { source: outside }],
  ]);
  expect({ close, telling }).toEqual({ close: 4, telling: 2 });
});
