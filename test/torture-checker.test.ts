/** The checker of `npm run torture`: it must neither miss a broken promise nor see one that was kept. */
import { describe, expect, test } from 'vitest';
import { check } from './torture/checker.ts';
import type { Answer, Change, ChangeKind, Circumstances, KeyState, Verification } from './torture/history.ts';

const offset = 1_000_000;
const clock = { least: offset - 0.5, most: offset };

const created: KeyState = {
  name: 'a',
  env: 'live',
  revoked: false,
  secret: 0,
  overlap: false,
  disabled: false,
  scopes: [],
  expiresAt: null,
  allowed: [],
  signing: null,
};
const inside = '192.0.2.7';
const outside = '203.0.113.9';

function change(kind: ChangeKind, asked: number, answered: number | null, after: Partial<KeyState> = {}): Change {
  return { kind, asked, answered, after: { ...created, ...after } };
}

function asked(
  started: number,
  ended: number,
  answer: string | Answer,
  circumstances: Partial<Circumstances> = {},
): Verification {
  return {
    at: 'A',
    started,
    ended,
    circumstances: { secret: 0, scopes: [], env: null, source: null, signedWith: null, ...circumstances },
    answer: typeof answer === 'string' ? { code: answer } : answer,
  };
}

function findings(changes: readonly Change[], ...verifications: readonly Verification[]) {
  return check({ prefix: 'lk_live_1', changes, verifications }, clock);
}

function problems(changes: readonly Change[], ...verifications: readonly Verification[]): string[] {
  return findings(changes, ...verifications).violations.map(({ problem }) => problem);
}

const creation = change('create', 0, 10);
const revocation = change('revoke', 100, 110, { revoked: true });

describe('a change that was answered', () => {
  test('reports a VALID that started after the revoke was answered, however late', () => {
    expect(problems([creation, revocation], asked(110, 111, 'VALID'))).toEqual([
      'decided on an old state: "revoke" had been answered 0.00 ms before it started',
    ]);
    expect(problems([creation, revocation], asked(5000, 5001, 'VALID'))).toHaveLength(1);
    expect(problems([creation, revocation], asked(110, 111, 'REVOKED'))).toEqual([]);
  });

  test('reports a VALID of an earlier secret, of a disabled key and for a removed scope', () => {
    const rotated = change('rotate', 100, 110, { secret: 1 });
    expect(problems([creation, rotated], asked(110, 111, 'VALID'))).toHaveLength(1);
    expect(problems([creation, rotated], asked(110, 111, 'ROTATED'))).toEqual([]);
    expect(problems([creation, rotated], asked(110, 111, 'VALID', { secret: 1 }))).toEqual([]);
    const disabled = change('disable', 100, 110, { disabled: true });
    expect(problems([creation, disabled], asked(110, 111, 'VALID'))).toHaveLength(1);
    expect(problems([creation, disabled], asked(110, 111, 'DISABLED'))).toEqual([]);
    const scoped = change('scope', 20, 30, { scopes: ['read'] });
    const bare = change('scope', 100, 110);
    expect(problems([creation, scoped, bare], asked(110, 111, 'VALID', { scopes: ['read'] }))).toHaveLength(1);
    expect(problems([creation, scoped, bare], asked(50, 51, 'VALID', { scopes: ['read'] }))).toEqual([]);
  });

  test('accepts both secrets during an overlap, and only the current one after its end', () => {
    const changes = [
      creation,
      change('rotate with overlap', 20, 30, { secret: 1, overlap: true }),
      change('end overlap', 100, 110, { secret: 1 }),
    ];
    for (const secret of [0, 1]) expect(problems(changes, asked(50, 51, 'VALID', { secret }))).toEqual([]);
    expect(problems(changes, asked(50, 51, { code: 'VALID', secret: 'current' }, { secret: 0 }))).toHaveLength(1);
    expect(problems(changes, asked(110, 111, 'VALID', { secret: 0 }))).toHaveLength(1);
    expect(problems(changes, asked(110, 111, 'ROTATED', { secret: 0 }))).toEqual([]);
    expect(problems(changes, asked(110, 111, 'ROTATED', { secret: 1 }))).toHaveLength(1);
  });

  test('accepts a VALID that started before the revoke was answered, however late it ends', () => {
    expect(problems([creation, revocation], asked(109.9, 9000, 'VALID'))).toEqual([]);
    expect(problems([creation, revocation], asked(50, 60, 'VALID'))).toEqual([]);
  });

  test('of several, those before the newest one answered are old and those since are not', () => {
    const changes = [
      creation,
      change('tighten', 100, 110, { allowed: ['192.0.2.0/24'] }),
      change('loosen', 120, 130),
      change('revoke', 140, 150, { revoked: true }),
    ];
    const from = { source: outside };
    expect(problems(changes, asked(115, 145, 'SOURCE_NOT_ALLOWED', from))).toEqual([]);
    expect(problems(changes, asked(115, 145, 'VALID', from), asked(115, 145, 'REVOKED', from))).toEqual([]);
    expect(problems(changes, asked(131, 145, 'SOURCE_NOT_ALLOWED', from))).toEqual([
      'decided on an old state: "loosen" had been answered 1.00 ms before it started',
    ]);
  });
});

describe('a change that was not asked for yet', () => {
  test('reports a REVOKED that ended before the revoke started', () => {
    expect(problems([creation, revocation], asked(90, 99, 'REVOKED'))).toEqual([
      'decided on a state to come: "revoke" was asked for 1.00 ms after it ended',
    ]);
  });

  test('accepts a REVOKED that ended after the revoke was requested', () => {
    expect(problems([creation, revocation], asked(90, 100.1, 'REVOKED'))).toEqual([]);
  });
});

test('a new key is never unknown once its creation was answered', () => {
  expect(problems([creation], asked(10, 11, 'NOT_FOUND'))).toEqual([
    'no state that the key ever had gives this answer',
  ]);
});

test('changes of one key that overlap are rejected: their order would be a guess', () => {
  expect(() => findings([creation, change('rename', 20, 30), change('rename', 29, 40)])).toThrow('overlap');
  expect(() => findings([creation, change('rename', 20, null), change('rename', 50, 60)])).toThrow('overlap');
  expect(() => findings([creation], asked(9, 20, 'VALID'))).toThrow('before its creation');
});

test('the fields and the code of a verdict must describe the same state of the key', () => {
  const changes = [creation, change('rename', 100, 110, { name: 'b' }), revocation].slice(0, 2);
  expect(problems(changes, asked(111, 112, { code: 'VALID', name: 'b', expiresAt: null }))).toEqual([]);
  expect(problems(changes, asked(111, 112, { code: 'VALID', name: 'a', expiresAt: null }))).toHaveLength(1);
  expect(problems(changes, asked(111, 112, { code: 'VALID', name: 'b', expiresAt: 7 }))).toHaveLength(1);
});

describe('expiry', () => {
  // Runs out at 200 on the run's clock.
  const changes = [creation, change('expire', 100, 110, { expiresAt: offset + 200 })];

  test('reports a VALID that started after the expiry, and an EXPIRED that ended before it', () => {
    expect(problems(changes, asked(190, 198, 'VALID'), asked(202, 203, 'EXPIRED'))).toEqual([]);
    expect(problems(changes, asked(190, 198, 'EXPIRED'))).toHaveLength(1);
    expect(problems(changes, asked(203.5, 204, { code: 'VALID', name: 'a', expiresAt: offset + 200 }))).toEqual([
      'decided on a time gone by: the key had expired 3.00 ms before it started',
    ]);
  });

  test('around the moment either is right, by the grain of the clock', () => {
    for (const code of ['VALID', 'EXPIRED']) expect(problems(changes, asked(199, 201, code))).toEqual([]);
    expect(problems(changes, asked(200.9, 210, 'VALID'), asked(190, 199.1, 'EXPIRED'))).toEqual([]);
  });

  test('removed after it ran out, the key is never rejected again', () => {
    const renewed = [...changes, change('renew', 300, 310)];
    expect(problems(renewed, asked(305, 306, 'EXPIRED'), asked(305, 306, 'VALID'))).toEqual([]);
    expect(problems(renewed, asked(311, 312, 'EXPIRED'))).toEqual([
      'decided on an old state: "renew" had been answered 1.00 ms before it started',
    ]);
  });
});

describe('the rules, apart from the service', () => {
  test('the first that applies', () => {
    const all = { revoked: true, expiresAt: offset + 20, allowed: ['192.0.2.0/24', '198.51.100.7'], signing: 1 };
    const wrong = { env: 'test', source: outside, signedWith: 0 } as const;
    const verdict = (after: Partial<KeyState>, circumstances: Partial<Circumstances>) =>
      [
        'REVOKED',
        'EXPIRED',
        'WRONG_ENVIRONMENT',
        'SOURCE_NOT_ALLOWED',
        'SIGNATURE_REQUIRED',
        'SIGNATURE_INVALID',
        'VALID',
      ].filter((code) => problems([change('create', 0, 10, after)], asked(50, 51, code, circumstances)).length === 0);
    expect(verdict(all, wrong)).toEqual(['REVOKED']);
    expect(verdict({ ...all, revoked: false }, wrong)).toEqual(['EXPIRED']);
    const current = { ...all, revoked: false, expiresAt: null };
    expect(verdict(current, wrong)).toEqual(['WRONG_ENVIRONMENT']);
    expect(verdict(current, { ...wrong, env: 'live' })).toEqual(['SOURCE_NOT_ALLOWED']);
    expect(verdict(current, { ...wrong, env: null, source: null })).toEqual(['SOURCE_NOT_ALLOWED']);
    expect(verdict(current, { source: inside })).toEqual(['SIGNATURE_REQUIRED']);
    expect(verdict(current, { source: inside, signedWith: 0 })).toEqual(['SIGNATURE_INVALID']);
    expect(verdict(current, { source: inside, signedWith: -1 })).toEqual(['SIGNATURE_INVALID']);
    expect(verdict(current, { source: '198.51.100.7', signedWith: 1 })).toEqual(['VALID']);
    expect(verdict({ ...current, signing: null, allowed: [] }, {})).toEqual(['VALID']);
  });
});

test('it counts what was close to a change, and what an answer on the old state would have betrayed', () => {
  const { close, telling } = findings(
    [creation, change('tighten', 100, 110, { allowed: ['192.0.2.0/24'] })],
    asked(50, 60, 'VALID', { source: outside }),
    asked(95, 100.1, 'VALID', { source: outside }),
    asked(105, 106, 'SOURCE_NOT_ALLOWED', { source: outside }),
    asked(111, 112, 'SOURCE_NOT_ALLOWED', { source: outside }),
    asked(115, 116, 'VALID', { source: inside }),
    asked(116, 117, 'SOURCE_NOT_ALLOWED', { source: outside }),
  );
  expect({ close, telling }).toEqual({ close: 4, telling: 2 });
});

describe('a change whose answer was lost', () => {
  const changes = [creation, change('revoke', 100, null, { revoked: true })];

  test('may have been done or not, at any moment', () => {
    expect(problems(changes, asked(101, 102, 'REVOKED'), asked(500, 501, 'REVOKED'))).toEqual([]);
    expect(problems(changes, asked(101, 102, 'VALID'), asked(500, 501, 'VALID'), asked(900, 901, 'REVOKED'))).toEqual(
      [],
    );
    expect(problems(changes, asked(98, 99, 'REVOKED'))).toHaveLength(1);
  });

  test('after one verdict has seen a change, no later verdict may miss it', () => {
    const seen = asked(200, 210, 'REVOKED');
    expect(problems(changes, seen, asked(205, 300, 'VALID'))).toEqual([]);
    expect(problems(changes, asked(211, 212, 'VALID'), seen)).toEqual([
      'decided on an old state: "revoke" had been answered 1.00 ms before it started',
    ]);
    const missedAt = (started: number) => ({
      prefix: 'lk_live_1',
      changes,
      verifications: [seen, asked(started, started + 1, 'VALID')],
    });
    // A process that has not seen the change may rely on the state before it until its lease ends.
    expect(check(missedAt(259), clock, 50).violations).toHaveLength(0);
    expect(check(missedAt(261), clock, 50).violations).toHaveLength(1);
    // What both states explain proves nothing.
    const renamed = [creation, change('rename', 100, null, { name: 'b' })];
    expect(problems(renamed, asked(200, 210, 'VALID'), asked(211, 212, { code: 'VALID', name: 'a' }))).toEqual([]);
    expect(
      problems(renamed, asked(200, 210, { code: 'VALID', name: 'b' }), asked(211, 212, { code: 'VALID', name: 'a' })),
    ).toHaveLength(1);
  });
});
