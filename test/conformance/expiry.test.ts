/** The service, its lists and explanations, and the local verifier accept keys and secrets until the vectors' last moment. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLocalVerifier, type LocalVerifier } from '../../src/client/local-verifier.ts';
import { signRequest } from '../../src/client/sign.ts';
import { hasExpired } from '../../src/dashboard/key-form/expiry.ts';
import type { KeyState } from '../../src/domain/key/api-key.ts';
import { disableKey, revokeKey } from '../../src/manage/change/key-state.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { rotateSigningSecret } from '../../src/manage/change/signing.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { explainVerification } from '../../src/manage/read/explain-verification.ts';
import { listKeys } from '../../src/manage/read/read-keys.ts';
import { providers } from '../support/databases.ts';
import { sharedGateway, verifyAt } from '../support/gateway.ts';
import { graphql, sessionToken } from '../support/service.ts';
import { expiryVectors } from './vectors.ts';

const hourMs = 3_600_000;
const states: readonly KeyState[] = ['ACTIVE', 'EXPIRED', 'DISABLED', 'REVOKED'];
const keyQuery = `query ($id: UUID!) {
  key(id: $id) { state previousSecretExpiresAt previousSigningSecretExpiresAt secrets { current expiresAt } }
}`;

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

describe.each(providers)('on %s', (provider) => {
  const gateway = sharedGateway(provider);
  let local: LocalVerifier;
  beforeAll(() => {
    local = createLocalVerifier({ url: gateway.url, timeoutMs: 20_000 });
  });
  afterAll(() => local.close());

  it.each(expiryVectors)('$name', async ({ input, expected }) => {
    const { management, caller, issue, issueSigning, url } = gateway;
    const name = randomUUID();
    const rotatedAt = Date.parse(input.overlapEndsAt) - hourMs;
    vi.setSystemTime(rotatedAt);
    const expiry = input.expiryBefore ?? input.expiresAt;
    const settings = expiry === null ? {} : { expiresAt: new Date(expiry) };
    const before = rotatedAt - hourMs;
    const plain = await issue({ ...settings, now: new Date(before) });
    const signing = await issueSigning({ ...settings, now: new Date(before) });
    const { secret } = await rotateKey(management, caller(), plain.id, { overlapSeconds: hourMs / 1000 });
    await rotateSigningSecret(management, caller(), signing.id, hourMs / 1000);
    for (const { id } of [plain, signing]) {
      if (input.expiryBefore !== undefined) {
        const expiresAt = input.expiresAt === null ? null : new Date(input.expiresAt);
        await updateKey(management, caller(), id, { expiresAt });
      }
      await updateKey(management, caller(), id, { externalId: name });
      if (input.disabled) await disableKey(management, caller(), id);
      if (input.revoked) await revokeKey(management, caller(), id);
    }
    vi.setSystemTime(Date.parse(input.now));

    const isExpired = input.expiresAt !== null && input.now > input.expiresAt;
    expect(hasExpired({ expiresAt: input.expiresAt }, Date.now())).toBe(isExpired);
    const { current, previous, signedWithPrevious, previousAcceptedUntil } = expected;
    for (const [key, code] of [
      [secret, current],
      [plain.secret, previous],
    ] as const) {
      expect((await verifyAt(url, { key })).body.code).toBe(code);
      expect((await local.verify({ key })).code).toBe(code);
      const { checks, ...explained } = await explainVerification(management, caller(), {
        teamId: gateway.teamId,
        secret: key,
      });
      expect(explained.code).toBe(code);
      // Checks that come later are explained too, so that they can fail as well.
      const failed = checks.filter(({ outcome }) => outcome === 'FAILED').map(({ name }) => name);
      expect(failed.includes('ROTATION')).toBe(code === 'ROTATED');
      expect(failed.includes('EXPIRY')).toBe(isExpired);
    }

    const request = { method: 'GET', url: 'https://api.example.com/orders' };
    const signed = () => signRequest(request, { keyId: signing.id, signingSecret: signing.signingSecret });
    const headers = { ...signed() };
    const explained = await explainVerification(management, caller(), {
      teamId: gateway.teamId,
      secret: signing.secret,
      request: { ...request, headers: Object.entries(headers).map(([name, value]) => ({ name, value })) },
    });
    expect(explained.code).toBe(signedWithPrevious);
    const call = { key: signing.secret, request: { ...request, headers } };
    expect((await verifyAt(url, call)).body.code).toBe(signedWithPrevious);

    const token = sessionToken({ [gateway.teamId]: ['view_team'] });
    const read = async (id: string) =>
      (await graphql(gateway.running.url, token, keyQuery, { id })).body.data?.key as Record<string, unknown>;
    expect(await read(plain.id)).toEqual({
      state: expected.state,
      previousSecretExpiresAt: previousAcceptedUntil,
      previousSigningSecretExpiresAt: null,
      secrets: [
        { current: true, expiresAt: null },
        { current: false, expiresAt: previousAcceptedUntil },
      ],
    });
    expect(await read(signing.id)).toEqual({
      state: expected.state,
      previousSecretExpiresAt: null,
      previousSigningSecretExpiresAt: previousAcceptedUntil,
      secrets: [{ current: true, expiresAt: null }],
    });

    const listed = async (filter: { state: readonly KeyState[]; rotating?: boolean }) => {
      const page = await listKeys(management, caller(), {
        teamId: gateway.teamId,
        first: 10,
        filter: { ...filter, externalId: name },
      });
      return page.edges.map(({ node }) => node.id).sort();
    };
    const both = [plain.id, signing.id].sort();
    for (const state of states)
      expect(await listed({ state: [state] }), state).toEqual(state === expected.state ? both : []);
    expect(await listed({ state: states, rotating: true })).toEqual(expected.rotating ? both : []);
    expect(await listed({ state: states, rotating: false })).toEqual(expected.rotating ? [] : both);
  });
});
