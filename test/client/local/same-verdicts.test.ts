/** For every key and request, the local verdict equals the verdict of the service. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalVerifier, type LocalVerifier } from '../../../src/client/local-verifier.ts';
import { VerifierRejectedError } from '../../../src/client/verdict.ts';
import type { Verification } from '../../../src/client/verification.ts';
import { createVerifier, type Verifier } from '../../../src/client/verify.ts';
import { mintSecret } from '../../../src/domain/secret/secret.ts';
import { createKey } from '../../../src/manage/change/create-key.ts';
import { importKeys } from '../../../src/manage/change/import-keys.ts';
import { disableKey, enableKey, revokeKey } from '../../../src/manage/change/key-state.ts';
import { endOverlap, rotateKey } from '../../../src/manage/change/rotate-key.ts';
import { enableSigning } from '../../../src/manage/change/signing.ts';
import { updateKey } from '../../../src/manage/change/update-key.ts';
import { providers } from '../../support/databases.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { callerOf, importing } from '../../support/service.ts';

const sources = ['10.0.0.1', '10.255.0.1', '11.0.0.1', '::1', '2001:db8::5', '::ffff:10.0.0.1'];
const scopes = ['a', 'b', 'orders:read'];

const settings = fc.record({
  env: fc.constantFrom('live' as const, 'test' as const),
  name: fc.constantFrom('A key', 'Schlüssel', '鍵 "quoted" \\'),
  scopes: fc.subarray(scopes),
  externalId: fc.constantFrom(null, 'customer-42', 'Kundin 7'),
  metadata: fc.constantFrom(null, {}, { plan: 'pro', nested: { list: [1, null, 'ü'], __proto__: null } }),
  expiresAt: fc.constantFrom(null, 'past' as const, 'future' as const),
  allowedIps: fc.constantFrom(
    [],
    ['10.0.0.0/8 # office'],
    ['::1', '10.0.0.1'],
    ['2001:db8::/32', '::ffff:11.0.0.0/104'],
  ),
  rateLimit: fc.constantFrom(null, null, { limit: 1_000_000, windowSeconds: 86_400 }),
});
const change = fc.constantFrom('none', 'revoke', 'disable', 'enable', 'rotate', 'overlap', 'end', 'sign', 'sources');

const question = fc.record(
  {
    env: fc.constantFrom('live' as const, 'test' as const),
    sourceIp: fc.constantFrom(...sources),
    scopes: fc.subarray(scopes),
  },
  { requiredKeys: [] },
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', 'x', 'x'.repeat(1001), 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ0In0.c2ln', 'a "b"'),
);

describe.each(providers)('on %s', (provider) => {
  let gateway: RunningGateway;
  let local: LocalVerifier;
  let remote: Verifier;
  beforeAll(async () => {
    gateway = await startGateway(provider);
    local = createLocalVerifier({ url: gateway.url, timeoutMs: 20_000, cacheKeys: 20 });
    remote = createVerifier({ url: gateway.url, timeoutMs: 20_000 });
  });
  afterAll(async () => {
    remote?.close();
    await local?.close();
    await gateway?.stop();
  });
  const caller = (now?: Date) => callerOf({ [gateway.teamId]: importing }, now);

  async function issue({
    allowedIps,
    expiresAt,
    rateLimit,
    ...rest
  }: typeof settings extends fc.Arbitrary<infer S> ? S : never) {
    const { management } = gateway.running.service;
    const created = { ...rest, teamId: gateway.teamId, ...(rateLimit === null ? {} : { rateLimit }) };
    const { apiKey, secret } = await createKey(management, caller(), created);
    const hours = { past: [-2, -1], future: [0, 1] } as const;
    const [now, end] = hours[expiresAt ?? 'future'].map((hour) => new Date(Date.now() + hour * 3_600_000));
    const changes = { allowedIps, ...(expiresAt === null || end === undefined ? {} : { expiresAt: end }) };
    await updateKey(management, caller(now), apiKey.id, changes);
    return { id: apiKey.id, secret };
  }

  /** Returns the secrets of the key. */
  async function perform(what: string, { id, secret }: { readonly id: string; readonly secret: string }) {
    const { management } = gateway.running.service;
    if (what === 'revoke') await revokeKey(management, caller(), id);
    if (what === 'disable' || what === 'enable') await disableKey(management, caller(), id, 'a test');
    if (what === 'sign') await enableSigning(management, caller(), id);
    if (what === 'sources') await updateKey(management, caller(), id, { allowedIps: ['10.0.0.1'] });
    if (what === 'enable') {
      await local.verify({ key: secret });
      await enableKey(management, caller(), id, 'a test');
    }
    if (!['rotate', 'overlap', 'end'].includes(what)) return [secret];
    const rotated = await rotateKey(management, caller(), id, { overlapSeconds: what === 'rotate' ? 0 : 3600 });
    if (what === 'end') {
      await local.verify({ key: secret });
      await endOverlap(management, caller(), id);
    }
    return [secret, rotated.secret];
  }

  async function expectSame(verification: Verification): Promise<void> {
    const ask = ({ verify }: Verifier) =>
      verify(verification).catch((error: unknown) => {
        if (error instanceof VerifierRejectedError) return error.status;
        throw error;
      });
    const [here, there] = [await ask(local), await ask(remote)];
    // Each of the two verdicts counted.
    expect(withoutCount(here)).toEqual(withoutCount(there));
    if (typeof here === 'object' && here.valid) valid += 1;
  }
  let valid = 0;

  it('are the same for all keys and requests, before and after a change', async () => {
    const property = fc.asyncProperty(settings, change, fc.array(question, { minLength: 1, maxLength: 3 }), check);
    async function check(
      chosen: Parameters<typeof issue>[0],
      what: string,
      questions: readonly Partial<Verification>[],
    ) {
      const key = await issue(chosen);
      for (const asked of questions) await expectSame({ key: key.secret, ...asked });
      for (const secret of await perform(what, key)) {
        for (const asked of questions) await expectSame({ key: secret, ...asked });
      }
    }
    await fc.assert(property, { numRuns: 40 });
    expect(valid).toBeGreaterThan(0);
  });

  it('are the same for texts that are no keys', async () => {
    const presented = fc.oneof(
      text,
      fc.constant(0).map(() => mintSecret('lk', 'live', randomBytes).secret),
      fc.constant(0).map(() => `${mintSecret('lk', 'live', randomBytes).secret.slice(0, -1)}x`),
    );
    const check = (key: string, asked: Partial<Verification>) => expectSame({ key, ...asked });
    const property = fc.asyncProperty(presented, question, check);
    await fc.assert(property, { numRuns: 40 });
    // From now on, texts in a foreign format may be keys.
    const digest = `sha512:${hash('sha512', `old_${randomUUID()}`, 'hex')}`;
    const keys = [{ name: 'Imported', env: 'live' as const, digest }];
    await importKeys(gateway.running.service.management, caller(), { teamId: gateway.teamId, keys, dryRun: false });
    await fc.assert(property, { numRuns: 40 });
  });

  it.each([
    ['a key that is no text', { key: 1 }],
    ['another environment', { key: 'x', env: 'prod' }],
    ['a source that is no address', { key: 'x', sourceIp: '10.0.0.01' }],
    ['a scope that is no token', { key: 'x', scopes: ['a b'] }],
    ['too many scopes', { key: 'x', scopes: Array(51).fill('a') }],
  ])('reject %s as the service does', async (_, verification) => {
    for (const verifier of [local, remote]) {
      const error = await verifier.verify(verification as Verification).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(VerifierRejectedError);
      expect(error).toMatchObject({ status: 400 });
    }
  });
});

/** Both verifications count, so that the second has one more. */
function withoutCount(verdict: unknown): unknown {
  if (typeof verdict !== 'object' || verdict === null || !('rateLimit' in verdict)) return verdict;
  const { rateLimit, ...rest } = verdict;
  if (typeof rateLimit !== 'object' || rateLimit === null) return { ...rest, rateLimit };
  return { ...rest, rateLimit: { ...rateLimit, remaining: 0, resetSeconds: 0 } };
}
