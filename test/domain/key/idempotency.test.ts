import { expect, test } from 'vitest';
import {
  fingerprintsOf,
  idempotencyId,
  idempotencyRetentionMs,
  isSameRequest,
  parseIdempotencyKey,
  type RequestedKey,
} from '../../../src/domain/key/idempotency.ts';
import { noSettings, settingNames } from '../../../src/domain/key/settings.ts';
import { fullSettings } from '../../support/plain-keys.ts';

const plain = { ...noSettings, name: 'A key' };

test('an idempotency key is 1 to 255 printable ASCII characters', () => {
  for (const text of [' ', '~', 'x'.repeat(255)]) expect(parseIdempotencyKey(text)).toEqual({ ok: true, value: text });
  for (const text of ['', 'x'.repeat(256), 'a\n', 'é', '\x1fa', 'a\x7f']) {
    expect(parseIdempotencyKey(text)).toEqual({
      ok: false,
      problem: 'must have 1 to 255 printable ASCII characters',
    });
  }
});

test('what is stored is a digest of the team, the caller and the key, which must never change', () => {
  // Computed with Python's hashlib from the text ["team-1","ada","key-1"].
  expect(idempotencyId('team-1', 'ada', 'key-1')).toBe('BYwDthCt3fHsivEj5ICxy1wCpwRq04XJZjZu2JWYEuc');
  expect(idempotencyRetentionMs).toBe(86_400_000);
});

test('a fingerprint is a digest of the settings that have no default, which must never change', () => {
  // Computed with Python's hashlib from the text ["live",true,["name","A key"],["scopes",["write","read"]]] and from the
  // same text with sorted scopes.
  const request = { ...plain, env: 'live', name: ' A key', scopes: ['write', 'read'], signing: true } as const;
  expect(fingerprintsOf(request)).toEqual({
    fingerprint: 'MUn5hKKSNTJgB2ALkA8yUyBBfSSZlIaauYoMMSAwSRk',
    canonicalFingerprint: '_AcL0GROPBAi5ZTCjSy_4Up-uOiBV3VcpXip0ZxXV6w',
  });
});

const fingerprintOf = (request: Partial<RequestedKey>) => fingerprintsOf({ env: 'live', ...request });

test('the fingerprints of a create depend on everything that was asked for', () => {
  const lacking = settingNames.map((name) => ({ ...fullSettings, [name]: { ...noSettings, name: 'Other' }[name] }));
  const requests = [fullSettings, ...lacking, { ...fullSettings, env: 'test' } as const];
  const fingerprints = [...requests, { ...fullSettings, signing: true }].map(fingerprintOf);
  expect(new Set(fingerprints.map(({ fingerprint }) => fingerprint)).size).toBe(settingNames.length + 3);
  const canonical = fingerprints.map(({ canonicalFingerprint }) => canonicalFingerprint);
  expect(new Set(canonical).size).toBe(settingNames.length + 3);
});

const sameRequests: readonly (readonly [string, Partial<RequestedKey>, Partial<RequestedKey>])[] = [
  [
    'the members of metadata',
    { metadata: { a: 1, b: { c: 2, d: [{ e: 3, f: 4 }] } } },
    { metadata: { b: { d: [{ f: 4, e: 3 }], c: 2 }, a: 1 } },
  ],
  [
    'the members of a rate limit',
    { rateLimit: { limit: 1, windowSeconds: 2 } },
    { rateLimit: { windowSeconds: 2, limit: 1 } },
  ],
  ['the order of tags', { tags: ['b', 'a'] }, { tags: [' a', 'b '] }],
  ['the order of scopes', { scopes: ['b', 'a'] }, { scopes: ['a', 'b'] }],
  [
    'the order of sources, and sources twice',
    { allowedIps: ['10.0.0.1', 'host.example'] },
    { allowedIps: ['host.example', '10.0.0.1', '10.0.0.1'] },
  ],
  [
    'the spelling of a source',
    { allowedIps: ['2001:db8::1 # office', '::ffff:10.0.0.0/104', 'Host.Example.'] },
    { allowedIps: [' 2001:DB8:0:0::0001   #  office ', '10.0.0.0/8', 'host.example'] },
  ],
  [
    'several entries for one source, of which the first with a comment is stored',
    { allowedIps: ['10.0.0.1 # office'] },
    { allowedIps: ['10.0.0.1/32', '10.0.0.1 # office', '10.0.0.1 # other'] },
  ],
  [
    'a text in NFC and in NFD, and white space around it',
    { name: 'Cafe\u0301', tags: ['\u00e9'] },
    { name: ' Caf\u00e9 ', tags: ['e\u0301'] },
  ],
  [
    'the kind of a space',
    { name: 'A key', tags: ['a\u00a0b'], allowedIps: ['10.0.0.1 # the office'] },
    { name: 'A\u3000key', tags: ['a b'], allowedIps: ['10.0.0.1 # the\u00a0office'] },
  ],
  [
    'a default that is sent',
    { name: 'A' },
    { name: 'A', description: null, tags: [], metadata: null, rateLimit: null, signing: false },
  ],
  ['numbers', { metadata: { a: -0, b: 1e2 } }, { metadata: { a: 0, b: 100 } }],
];
test.each(sameRequests)('%s do not change what is asked for', (_, one, other) => {
  expect(isSameRequest(fingerprintOf(one), { env: 'live', ...other })).toBe(true);
});

test('a text with more marks on a character than are accepted is not normalized, which can take a second', () => {
  for (const [count, expected] of [
    [30, true],
    [31, false],
  ] as const) {
    const text = `a${'\u0315\u0300'.repeat(16).slice(0, count)}`;
    const texts = [text, text.normalize('NFC')] as const;
    for (const [one, other] of [
      texts.map((name) => ({ name })),
      texts.map((tag) => ({ tags: [tag] })),
      texts.map((comment) => ({ allowedIps: [`10.0.0.1 # ${comment}`] })),
    ] as const) {
      expect(isSameRequest(fingerprintOf({ ...one }), { env: 'live', ...other })).toBe(expected);
    }
  }
});
test.each<[string, Partial<RequestedKey>, Partial<RequestedKey>]>([
  ['the order of a list in metadata', { metadata: { a: [1, 2] } }, { metadata: { a: [2, 1] } }],
  ['text in metadata', { metadata: { a: '\u00e9' } }, { metadata: { a: 'e\u0301' } }],
  ['a text and a number', { metadata: { a: '1' } }, { metadata: { a: 1 } }],
  ['the comment of a source', { allowedIps: ['10.0.0.1 # a'] }, { allowedIps: ['10.0.0.1 # b'] }],
  ['the case of a scope', { scopes: ['a'] }, { scopes: ['A'] }],
  ['empty metadata', { metadata: {} }, { metadata: null }],
])('%s changes what is asked for', (_, one, other) => {
  expect(isSameRequest(fingerprintOf(one), { env: 'live', ...other })).toBe(false);
});

test('a record of an earlier version is matched by its fingerprint, and metadata that no version accepts matches none', () => {
  const { fingerprint } = fingerprintOf(fullSettings);
  const record = { fingerprint, canonicalFingerprint: null };
  expect(isSameRequest(record, { env: 'live', ...fullSettings })).toBe(true);
  expect(isSameRequest(record, { env: 'live', name: 'Other' })).toBe(false);
  const deep = JSON.parse(`${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`);
  expect(isSameRequest(record, { env: 'live', metadata: deep })).toBe(false);
});

test('a record of 0.1.0 is matched by what its creates had: a name, an environment and an expiry', () => {
  // Computed with Python's hashlib from ["A key","live",null] and ["A key","test","2030-01-31T12:00:00.000Z"].
  const unlimited = { fingerprint: 'nuJG-lLa8aSz15Do4QGdQ0Ou_cfAoZrv2w7SwAxQfec', canonicalFingerprint: null };
  const limited = { fingerprint: 'GpBy70-H9RrVsA_zsLqLdhiwZRGhUubR5Yb9c99JMwg', canonicalFingerprint: null };
  const expiresAt = new Date('2030-01-31T12:00:00Z');
  expect(isSameRequest(unlimited, { env: 'live', name: ' A key', tags: [], expiresAt: null })).toBe(true);
  expect(isSameRequest(limited, { env: 'test', name: 'A key', expiresAt })).toBe(true);
  expect(isSameRequest(unlimited, { env: 'live', name: 'A key', tags: ['a'] })).toBe(false);
  expect(isSameRequest(unlimited, { env: 'live', name: 'A key', signing: true })).toBe(false);
  expect(isSameRequest(unlimited, { env: 'test', name: 'A key' })).toBe(false);
});
