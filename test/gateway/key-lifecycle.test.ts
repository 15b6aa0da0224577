/** Rotation, disabling and scopes: a change counts for every instance once it was answered. */
import { hash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { importKeys } from '../../src/manage/change/import-keys.ts';
import { disableKey, enableKey, revokeKey } from '../../src/manage/change/key-state.ts';
import { endOverlap, type RotateKeyInput, rotateKey } from '../../src/manage/change/rotate-key.ts';
import { enableSigning, rotateSigningSecret } from '../../src/manage/change/signing.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { explainVerification } from '../../src/manage/read/explain-verification.ts';
import { providers } from '../support/databases.ts';
import { sharedGateway, sharedSecondInstance, verifyAt } from '../support/gateway.ts';
import { callerOf, importing } from '../support/service.ts';

describe.each(providers)('on %s', (provider) => {
  const gateway = sharedGateway(provider);
  const other = sharedSecondInstance(gateway);
  const management = () => gateway.management;
  const { caller } = gateway;
  const rotate = (id: string, input?: RotateKeyInput, now?: Date) => rotateKey(management(), caller(now), id, input);
  /** The verdict of both instances, which must be the same. */
  async function verdictOf(key: string) {
    const [first, second] = await Promise.all([verifyAt(gateway.url, { key }), verifyAt(other(), { key })]);
    expect(second.body).toEqual(first.body);
    return first.body;
  }
  const codesOf = async (...keys: string[]) => (await Promise.all(keys.map(verdictOf))).map(({ code }) => code);
  const codeOf = async (key: string) => (await verdictOf(key)).code;
  const audit = (keyId: string) => management().store.auditLog.list({ teamId: gateway.teamId, keyId, limit: 10 });

  describe('rotation', () => {
    it('without an overlap ends the previous secret at once, at every instance that has it in its cache', async () => {
      const { id, secret } = await gateway.issue();
      expect(await codeOf(secret)).toBe('VALID');
      const rotated = await rotate(id);
      expect(await codesOf(secret, rotated.secret)).toEqual(['ROTATED', 'VALID']);
      expect(rotated.apiKey.id).toBe(id);
      expect(await verdictOf(rotated.secret)).toMatchObject({ keyId: id, secret: 'current' });
      expect(await verdictOf(secret)).toMatchObject({ keyId: id, secret: 'previous' });
    });

    it('with an overlap accepts both secrets, until it is ended', async () => {
      const { id, secret } = await gateway.issue();
      const rotated = await rotate(id, { overlapSeconds: 3600 });
      for (let i = 0; i < 2; i += 1) expect(await codesOf(secret, rotated.secret)).toEqual(['VALID', 'VALID']);
      expect(await verdictOf(secret)).toMatchObject({ keyId: id, secret: 'previous' });
      await endOverlap(management(), caller(), id);
      expect(await codesOf(secret, rotated.secret)).toEqual(['ROTATED', 'VALID']);
      const [ended] = await audit(id);
      expect(ended?.action).toBe('OVERLAP_ENDED');
      const again = await endOverlap(management(), caller(), id);
      expect([again.previousExpiresAt, (await audit(id)).length]).toEqual([null, 3]);
    });

    it('ends the previous secret when its overlap has passed', async () => {
      const { id, secret } = await gateway.issue();
      const rotated = await rotate(id, { overlapSeconds: 60 }, new Date(Date.now() - 60_000));
      expect(await codesOf(secret, rotated.secret)).toEqual(['ROTATED', 'VALID']);
    });

    it('during an overlap ends the older secret at once, and a key has at most two', async () => {
      const { id, secret } = await gateway.issue();
      const second = await rotate(id, { overlapSeconds: 3600 });
      expect(await codesOf(secret, second.secret)).toEqual(['VALID', 'VALID']);
      const third = await rotate(id, { overlapSeconds: 3600 });
      expect(await codesOf(secret, second.secret, third.secret)).toEqual(['ROTATED', 'VALID', 'VALID']);
      const fourth = await rotate(id);
      const four = [secret, second.secret, third.secret, fourth.secret];
      expect(await codesOf(...four)).toEqual(['ROTATED', 'ROTATED', 'ROTATED', 'VALID']);
    });

    it('that is repeated by ifRevision changes nothing, so that no secret in use ends', async () => {
      const { id, secret } = await gateway.issue();
      const key = await management().store.keys.find(id);
      const ifRevision = [management().revisions.encode(key?.revision ?? 0n)];
      await rotate(id, { overlapSeconds: 3600, ifRevision });
      const repeated = rotate(id, { overlapSeconds: 3600, ifRevision });
      await expect(repeated).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
      expect(await codeOf(secret)).toBe('VALID');
    });
  });

  describe('a rotated key', () => {
    it('of a disabled key ends all secrets before, and the key stays disabled until it is enabled', async () => {
      const { id, secret } = await gateway.issue();
      const { secret: second } = await rotate(id, { overlapSeconds: 3600 });
      await disableKey(management(), caller(), id);
      const { apiKey, secret: third } = await rotate(id);
      expect(apiKey).toMatchObject({ disabledAt: expect.any(Date), previousExpiresAt: null });
      expect(await codesOf(secret, second, third)).toEqual(['ROTATED', 'ROTATED', 'DISABLED']);
      await enableKey(management(), caller(), id);
      expect(await codesOf(secret, second, third)).toEqual(['ROTATED', 'ROTATED', 'VALID']);
    });

    it('of a disabled key with an overlap is rejected: the previous secret would work again once it is enabled', async () => {
      const { id, secret } = await gateway.issue();
      await disableKey(management(), caller(), id);
      await expect(rotate(id, { overlapSeconds: 1 })).rejects.toMatchObject({ code: 'KEY_DISABLED' });
      await enableKey(management(), caller(), id);
      expect(await codeOf(secret)).toBe('VALID');
    });

    it('of a revoked key is rejected, and revoking ends both secrets', async () => {
      const { id, secret } = await gateway.issue();
      const { secret: current } = await rotate(id, { overlapSeconds: 3600 });
      await revokeKey(management(), caller(), id);
      await expect(rotate(id)).rejects.toMatchObject({ code: 'KEY_REVOKED' });
      expect(await codesOf(secret, current)).toEqual(['REVOKED', 'REVOKED']);
    });

    it('keeps the settings, and the audit trail names no secret', async () => {
      const settings = { name: 'Shop', allowedIps: ['10.0.0.0/8'], scopes: ['orders:read'], tags: ['shop'] };
      const input = { teamId: gateway.teamId, env: 'live' as const, ...settings };
      const { apiKey, secret } = await createKey(management(), caller(), input);
      const rotated = await rotate(apiKey.id, { overlapSeconds: 10 });
      expect(rotated.apiKey).toMatchObject({ ...settings, previousPrefix: apiKey.prefix });
      const entries = await audit(apiKey.id);
      const text = JSON.stringify(entries.map(({ changes }) => changes));
      for (const hidden of [secret, rotated.secret]) expect(text).not.toContain(hidden.slice(-40));
      expect(entries[0]?.action).toBe('KEY_ROTATED');
    });

    it('of an imported key ends the imported secret, and no import restores it', async () => {
      const secret = `sk-${randomBytes(24).toString('hex')}`;
      const importAs = async (algorithm: 'sha256' | 'sha512') => {
        const keys = [{ digest: hash(algorithm, secret), name: 'Imported', env: 'live' as const }];
        const importer = callerOf({ [gateway.teamId]: importing });
        const { results } = await importKeys(management(), importer, { teamId: gateway.teamId, keys, dryRun: false });
        return results[0];
      };
      const id = (await importAs('sha256'))?.apiKey?.id ?? '';
      expect(await codeOf(secret)).toBe('VALID');
      const rotated = await rotate(id);
      expect(await codesOf(secret, rotated.secret)).toEqual(['ROTATED', 'VALID']);
      expect(await importAs('sha256')).toMatchObject({ outcome: 'EXISTED', apiKey: { id } });
      expect((await importAs('sha512'))?.outcome).toBe('IMPORTED');
      expect(await codesOf(secret, rotated.secret)).toEqual(['ROTATED', 'VALID']);
    });

    it('is explained: which secret was presented, and until when it is accepted', async () => {
      const { id, secret } = await gateway.issue();
      const { apiKey } = await rotate(id, { overlapSeconds: 60 });
      const explain = async () => {
        const explanation = await explainVerification(management(), caller(), { teamId: gateway.teamId, secret });
        return [explanation.code, explanation.checks.find(({ name }) => name === 'ROTATION')?.explanation];
      };
      expect(await explain()).toEqual([
        'VALID',
        `The secret was rotated at ${apiKey.rotatedAt?.toISOString()}, and is accepted until ${apiKey.previousExpiresAt?.toISOString()}.`,
      ]);
      await endOverlap(management(), caller(), id);
      expect((await explain())[0]).toBe('ROTATED');
    });
  });

  describe('disabling', () => {
    it('rejects a key at once at every instance, and enabling accepts it again', async () => {
      const { id, secret } = await gateway.issue();
      expect(await codeOf(secret)).toBe('VALID');
      for (let i = 0; i < 3; i += 1) {
        await disableKey(management(), caller(), id, 'leaked in a log');
        expect(await codeOf(secret)).toBe('DISABLED');
        await enableKey(management(), caller(), id);
        expect(await codeOf(secret)).toBe('VALID');
      }
    });

    it('records the reason, and changes nothing the second time', async () => {
      const { id } = await gateway.issue();
      const first = await disableKey(management(), caller(), id, ' leaked in a log ');
      expect(await disableKey(management(), caller(), id, 'again')).toEqual(first);
      const entries = await audit(id);
      expect(entries).toHaveLength(2);
      expect(entries[0]?.changes).toContainEqual({ field: 'reason', before: null, after: 'leaked in a log' });
      const enabled = await enableKey(management(), caller(), id);
      expect(await enableKey(management(), caller(), id)).toEqual(enabled);
    });

    it('of a revoked key is rejected, and so is a reason that is too long', async () => {
      const { id } = await gateway.issue();
      const tooLong = disableKey(management(), caller(), id, 'x'.repeat(201));
      await expect(tooLong).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
      await revokeKey(management(), caller(), id);
      for (const change of [disableKey, enableKey])
        await expect(change(management(), caller(), id)).rejects.toMatchObject({ code: 'KEY_REVOKED' });
    });
  });

  describe('a verdict', () => {
    it('a verdict has the scopes, the external id and the metadata of the key as they are now', async () => {
      const metadata = { plan: 'pro', limits: { seats: 3 } };
      const shown = { scopes: ['orders:read', 'orders:write'], externalId: 'customer 42', metadata };
      const input = { teamId: gateway.teamId, name: 'A key', env: 'live' as const, ...shown };
      const { apiKey, secret } = await createKey(management(), caller(), input);
      expect(await verdictOf(secret)).toMatchObject({ code: 'VALID', ...shown });
      const none = { scopes: [], externalId: null, metadata: null };
      await updateKey(management(), caller(), apiKey.id, none);
      expect(await verdictOf(secret)).toMatchObject(none);
    });

    it('a previous signing secret is accepted during its overlap, and not afterwards', async () => {
      const { id, secret } = await gateway.issue();
      const first = await enableSigning(management(), caller(), id);
      const second = await rotateSigningSecret(management(), caller(), id, 3600);
      const request = { method: 'GET', url: 'http://api.example/a' };
      const sign = (signingSecret: string) => ({
        ...request,
        headers: signRequest(request, { keyId: id, signingSecret }),
      });
      const codeAt = async (url: string, signingSecret: string) => {
        // On a busy machine, it can take too long to open a connection to PostgreSQL for nonces. Then there is no verdict.
        for (;;) {
          // Each signature is accepted once, so every call gets its own.
          const { code } = (await verifyAt(url, { key: secret, request: sign(signingSecret) })).body;
          if (code !== 'UNAVAILABLE') return code;
        }
      };
      const codes = async ({ signingSecret }: { readonly signingSecret: string }) => [
        await codeAt(gateway.url, signingSecret),
        await codeAt(other(), signingSecret),
      ];
      for (const issued of [first, second]) expect(await codes(issued)).toEqual(['VALID', 'VALID']);
      await endOverlap(management(), caller(), id);
      expect(await codes(first)).toEqual(['SIGNATURE_INVALID', 'SIGNATURE_INVALID']);
      await rotateSigningSecret(management(), caller(), id);
      expect(await codes(second)).toEqual(['SIGNATURE_INVALID', 'SIGNATURE_INVALID']);
    });
  });
});
