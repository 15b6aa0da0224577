/** The checker of `npm run torture` misses no broken promise. The runs show that it reports none that was kept. */
import { expect, test } from 'vitest';
import { check } from './torture/checker.ts';
import {
  type Answer,
  type Change,
  type ChangeKind,
  type Circumstances,
  type KeyState,
  newKey,
  type Verification,
} from './torture/history.ts';

const offset = 1_000_000;
const clock = { least: offset - 0.5, most: offset };
const [inside, outside] = ['192.0.2.7', '203.0.113.9'];
function change(kind: ChangeKind, requested: number, answered: number | null, after: Partial<KeyState> = {}): Change {
  return { kind, requested, answered, after: { ...newKey, name: 'a', env: 'live', ...after } };
}

type Call = readonly [started: number, ended: number, answer: string | Answer, circumstances?: Partial<Circumstances>];

function verification([started, ended, answer, circumstances = {}]: Call): Verification {
  return {
    at: 'A',
    started,
    ended,
    circumstances: { secret: 0, scopes: [], env: null, source: null, signedWith: null, ...circumstances },
    answer: typeof answer === 'string' ? { code: answer } : answer,
  };
}

function findings(changes: readonly Change[], calls: readonly Call[], leaseMs = 0) {
  return check({ prefix: 'lk_live_1', changes, verifications: calls.map(verification) }, clock, leaseMs);
}

const creation = change('create', 0, 10);
const revoked = [creation, change('revoke', 100, 110, { revoked: true })];
const lost = [creation, change('revoke', 100, null, { revoked: true })];
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

const late = (kind: ChangeKind, ms: string) =>
  `decided on an old state: "${kind}" had been answered ${ms} ms before it started`;

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
  ['EXPIRED too early', 'no state', expiring, [190, 198, 'EXPIRED']],
  [
    'VALID after the expiry',
    'decided on a time gone by: the key had expired 3.00 ms before it started',
    expiring,
    [203.5, 204, named('VALID', 'a', offset + 200)],
  ],
  ['EXPIRED after the expiry was removed', late('renew', '1.00'), renewed, [311, 312, 'EXPIRED']],
  ['a lost change before it was requested', 'decided on a state to come', lost, [98, 99, 'REVOKED']],
  ['a lost change that disappears', late('revoke', '1.00'), lost, [211, 212, 'VALID'], [200, 210, 'REVOKED']],
])('reports %s', (_, problem, changes, ...calls) => {
  expect(findings(changes, calls).violations).toEqual([
    expect.objectContaining({ problem: expect.stringContaining(problem) }),
  ]);
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

test('changes of one key that overlap are rejected: their order would be a guess', () => {
  for (const answered of [30, null]) {
    const changes = [creation, change('rename', 20, answered), change('rename', 29, 40)];
    expect(() => findings(changes, [])).toThrow('overlap');
  }
  expect(() => findings([creation], [[9, 20, 'VALID']])).toThrow('before its creation');
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
