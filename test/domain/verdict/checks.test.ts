// SECURITY.md: Hostile tenant
import { describe, expect, it, test } from 'vitest';
import type { ApiKey } from '../../../src/domain/key/api-key.ts';
import { sessionTokenHint } from '../../../src/domain/secret/other-credentials.ts';
import type { SignatureExplanation } from '../../../src/domain/signature/signature-checks.ts';
import {
  type KeyCheckName,
  keyChecks,
  keyVerdictCount,
  lookupChecks,
  rejections,
} from '../../../src/domain/verdict/checks.ts';
import {
  type ExplainedRequest,
  explainChecks,
  type LookupInput,
  type LookupResult,
} from '../../../src/domain/verdict/explanations.ts';
import { verdictCodes } from '../../../src/domain/verdict/verdict-code.ts';
import { plainKey } from '../../support/plain-keys.ts';

const key: ApiKey = {
  ...plainKey,
  id: 'id',
  teamId: 'team',
  name: 'Billing',
  env: 'live',
  prefix: 'lk_live_4fJx81Qz',
  digest: 'the digest',
  pepperId: 'main',
  createdAt: new Date('2026-01-01T00:00:00Z'),
};
const moment = new Date('2026-06-01T12:00:00Z');
const earlier = new Date(moment.getTime() - 1);
const later = new Date(moment.getTime() + 1);
const request: ExplainedRequest = {
  now: moment,
  env: 'live',
  source: { kind: 'unrestricted' },
  scopes: [],
  secretExpiresAt: null,
  fences: [],
  signature: null,
};
const bySecret: LookupInput = { by: 'secret', format: 'valid' };
const signed = { signingEnvelope: 'the envelope' };
const ofSignature: SignatureExplanation = { outcome: 'VALID', failedCheck: null, reason: null, signatureBase: null };
const hundred = Array.from({ length: 100 }, (_, i) => `s${i}`);

/** The outcomes and explanations, by the name of the check. */
function explained(input: LookupInput, result: LookupResult): Record<string, string> {
  return Object.fromEntries(
    explainChecks(input, result).map(({ name, outcome, explanation }) => [name, `${outcome} ${explanation}`]),
  );
}

// document-tables.test.ts compares the order and the statuses with docs/reference/verification.md.
test('each verdict has what middleware tells the client', () => {
  expect(verdictCodes).toEqual([...Object.keys(rejections), 'VALID']);
  expect(keyVerdictCount).toBe(14);
  for (const { title, detail } of Object.values(rejections)) {
    expect(title).toMatch(/^(?:The|A|Too) .+[a-z]$/);
    expect(detail).toMatch(/^[A-Z].+\.$/);
  }
});

describe('if no key matches', () => {
  const wrongShape = 'FAILED It does not have the format of a key: characters are missing, added or not allowed.';
  const notImported = 'FAILED It is not an imported key of the team either.';
  const notLookedUp = 'SKIPPED Text without the format of a key is not looked up.';

  it.each<[LookupInput, form: string, existence: string]>([
    [
      { by: 'prefix' },
      'SKIPPED A prefix was given, and only a complete key has a format to check.',
      'FAILED The team has no key with this prefix.',
    ],
    [
      bySecret,
      'PASSED It has the format of a key, and its checksum is correct.',
      'FAILED The team has no key with this secret.',
    ],
    [{ by: 'secret', format: 'wrong shape' }, wrongShape, notLookedUp],
    [
      { by: 'secret', format: 'wrong checksum' },
      'FAILED It looks like a key, but its checksum is wrong: at least one character differs.',
      notLookedUp,
    ],
    [{ by: 'secret', format: 'foreign' }, wrongShape, notImported],
    [{ by: 'secret', format: 'session token' }, `FAILED ${sessionTokenHint}`, notImported],
  ])('explains the format and the lookup of %j, and skips all other checks', (input, form, existence) => {
    const { FORM, EXISTENCE, ...others } = explained(input, 'none');
    expect([FORM, EXISTENCE]).toEqual([form, existence]);
    expect(Object.values(others)).toEqual(Array(10).fill('SKIPPED There is no key to check.'));
  });
});

it('explains that the import of another team decides, or neither', () => {
  const { FORM, EXISTENCE, ...others } = explained({ by: 'secret', format: 'foreign' }, 'shared import');
  expect([FORM, EXISTENCE]).toEqual([
    'PASSED It was imported, so it has another format than the keys created here.',
    'FAILED The team has imported this key, and another team has imported it by its other digest. The earlier import decides: ask the operator whose key it is. If both were made before version 0.2, neither decides, and the holder needs a new key.',
  ]);
  expect(Object.values(others)).toEqual(Array(10).fill('SKIPPED The key that decides is not one of the team.'));
});

describe('with a key', () => {
  it('names the checks in their order, and the key, but nothing secret of it', () => {
    const all = explainChecks(bySecret, { key: { ...key, ...signed }, request });
    expect(all.map(({ name }) => name)).toEqual([...lookupChecks, ...keyChecks].map(({ name }) => name));
    expect(all[1]).toEqual({
      name: 'EXISTENCE',
      outcome: 'PASSED',
      explanation: 'It is the team\'s key "Billing", created at 2026-01-01T00:00:00.000Z.',
    });
    expect(JSON.stringify(all)).not.toMatch(/the digest|the envelope/);
  });

  it.each<[KeyCheckName, Partial<ApiKey>, Partial<ExplainedRequest>, string]>([
    ['REVOCATION', {}, {}, 'PASSED It has not been revoked.'],
    ['REVOCATION', { revokedAt: moment }, {}, 'FAILED It was revoked at 2026-06-01T12:00:00.000Z, permanently.'],
    ['ROTATION', { rotatedAt: moment }, {}, 'PASSED It is the current secret of the key.'],
    [
      'ROTATION',
      { rotatedAt: moment },
      { secretExpiresAt: earlier.getTime() },
      'FAILED The secret was rotated at 2026-06-01T12:00:00.000Z, and is not accepted anymore. Use the current secret of the key.',
    ],
    [
      'ROTATION',
      { previousExpiresAt: moment },
      { secretExpiresAt: moment.getTime() },
      'PASSED The secret was rotated, and is accepted until 2026-06-01T12:00:00.000Z.',
    ],
    [
      'ROTATION',
      { previousExpiresAt: later, expiresAt: moment },
      { secretExpiresAt: later.getTime() },
      'PASSED The secret was rotated, and is accepted until 2026-06-01T12:00:00.000Z.',
    ],
    [
      'ROTATION',
      { previousExpiresAt: later, expiresAt: earlier },
      { secretExpiresAt: later.getTime() },
      'PASSED The secret was rotated, and was accepted until 2026-06-01T11:59:59.999Z.',
    ],
    [
      'ROTATION',
      { previousExpiresAt: later, revokedAt: moment },
      { secretExpiresAt: later.getTime() },
      'PASSED The secret was rotated, and its overlap ended with the key.',
    ],
    ['ENABLEMENT', {}, {}, 'PASSED It is enabled.'],
    ['ENABLEMENT', { disabledAt: moment }, {}, 'FAILED It was disabled at 2026-06-01T12:00:00.000Z.'],
    ['EXPIRY', {}, {}, 'PASSED It never expires.'],
    ['EXPIRY', { expiresAt: earlier }, {}, 'FAILED It expired at 2026-06-01T11:59:59.999Z.'],
    ['EXPIRY', { expiresAt: moment }, {}, 'PASSED It expires at 2026-06-01T12:00:00.000Z.'],
    ['ENVIRONMENT', {}, { env: undefined }, 'SKIPPED It is for live, and the request names no environment.'],
    ['ENVIRONMENT', {}, { env: 'live' }, 'PASSED It is for live, the requested environment.'],
    ['ENVIRONMENT', {}, { env: 'test' }, 'FAILED It is for live, and the request is for test.'],
    ['SOURCE', {}, {}, 'PASSED It has no allow-list, so it can be used from any address.'],
    [
      'SOURCE',
      { allowedIps: ['10.0.0.0/8'] },
      { source: { kind: 'unknown' } },
      'FAILED It has an allow-list of 1 entry, and the source is not known. Behind a gateway, SOURCE_HEADER must name a header with the IP address of the client; a middleware must trust its proxies.',
    ],
    [
      'SOURCE',
      {},
      { source: { kind: 'listed', address: '10.1.2.3', entry: '10.0.0.0/8 # office' } },
      'PASSED 10.1.2.3 is allowed by the entry "10.0.0.0/8 # office".',
    ],
    [
      'SOURCE',
      { allowedIps: ['10.0.0.0/8', '::1'] },
      { source: { kind: 'unlisted', address: '192.0.2.1', hosts: [] } },
      'FAILED 192.0.2.1 is not on its allow-list of 2 entries. Add the address itself, a range that contains it, or a host name that resolves to it.',
    ],
    ['SCOPES', {}, {}, 'SKIPPED No scopes are required.'],
    ['SCOPES', { scopes: ['a', 'b', 'c'] }, { scopes: ['c', 'a'] }, 'PASSED It has all required scopes.'],
    ['SCOPES', { scopes: ['a'] }, { scopes: ['b', 'a', 'c'] }, 'FAILED It lacks required scopes: b, c.'],
    ['SCOPES', {}, { scopes: hundred.slice(0, 5) }, 'FAILED It lacks required scopes: s0, s1, s2, s3, s4.'],
    ['SCOPES', {}, { scopes: hundred.slice(0, 6) }, 'FAILED It lacks required scopes: s0, s1, s2, s3, s4, 1 more.'],
    ['SIGNATURE', {}, {}, 'PASSED Its requests do not need a signature.'],
    ['SIGNATURE', signed, {}, 'FAILED Its requests must be signed, and no request was given to check.'],
    ['SIGNATURE', signed, { signature: ofSignature }, 'PASSED The signature is valid, and it has not been used yet.'],
    [
      'SIGNATURE',
      signed,
      { signature: { ...ofSignature, outcome: 'SIGNATURE_INVALID', failedCheck: 'MAC', reason: 'it must be right' } },
      'FAILED The check MAC of the signature failed: it must be right.',
    ],
    ['RATE_LIMIT', {}, {}, 'PASSED It has no rate limit.'],
    [
      'RATE_LIMIT',
      { rateLimit: { limit: 5, windowSeconds: 60 } },
      {},
      'SKIPPED It has a limit of 5 per 60 s, which only verification counts.',
    ],
  ])('explains the check %s', (name, settings, circumstances, expected) => {
    const result = { key: { ...key, ...settings }, request: { ...request, ...circumstances } };
    expect(explained(bySecret, result)[name]).toBe(expected);
  });

  it('names a few of a hundred hosts, and of each whether it has addresses, or too many of them', () => {
    const found = ['none', 'too many'] as const;
    const hosts = hundred.map((host, i) => ({ host, found: found[i] ?? ('others' as const) }));
    const source = { kind: 'unlisted', address: '192.0.2.1', hosts } as const;
    expect(explained(bySecret, { key: { ...key, allowedIps: hundred }, request: { ...request, source } }).SOURCE).toBe(
      'FAILED 192.0.2.1 is not on its allow-list of 100 entries (s0 has no address in DNS; s1 has more than 64 addresses, so none of them is allowed; s2 has other addresses; s3 has other addresses; s4 has other addresses; 95 more). Add the address itself, a range that contains it, or a host name that resolves to it.',
    );
  });
});
