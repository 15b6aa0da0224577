/** VERIFY_LEASE_MS: fewer reads of the store, and the strict promise all the same. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { compose, type Service } from '../support/compose.ts';
import { listen, stopListening } from '../support/gateway.ts';
import { both, type RunningService, rest, sessionToken, startService } from '../support/service.ts';

describe('with a lease on PostgreSQL', () => {
  const leaseMs = 400;
  const team = randomUUID();
  const token = sessionToken({ [team]: both });
  let plain: RunningService;
  let leasing: Service;
  let verifyUrl: string;

  afterEach(async () => {
    await stopListening(leasing.gateway);
    await leasing.close();
    await plain.stop();
  });

  /** One instance that without a lease, and one with a lease, on the same store. */
  async function startBoth(): Promise<void> {
    plain = await startService('postgresql');
    leasing = await compose(
      readConfiguration({
        DATABASE_URL: plain.database.url,
        DATA_DIR: plain.database.directory,
        LOG_LEVEL: 'silent',
        VERIFY_LEASE_MS: String(leaseMs),
      }),
    );
    verifyUrl = await listen(leasing.gateway);
  }
  const manage = (method: string, path: string, body?: unknown) => rest(plain.url, token, method, path, body);
  const codeOf = async (key: string) => (await rest(verifyUrl, null, 'POST', '/v1/verify', { key })).body.code;

  it('no instance answers VALID for a key once a revoke of it has been answered by any instance', async () => {
    await startBoth();
    const { id, secret } = (await manage('POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live' })).body;
    // The lease of the other instance begins now, with the key in its cache.
    expect(await codeOf(secret)).toBe('VALID');
    const startedAt = performance.now();
    const revoke = async () => {
      expect((await manage('DELETE', `/v1/keys/${id}`)).body).toEqual({ ok: true });
      return { tookMs: performance.now() - startedAt, code: await codeOf(secret) };
    };
    const first = revoke();
    // The second finds the key revoked, though the first has not been answered yet.
    await expect
      .poll(async () => (await plain.service.management.store.keys.find(id))?.revokedAt, { interval: 5 })
      .not.toBeNull();
    for (const { tookMs, code } of await Promise.all([first, revoke()])) {
      expect(code).toBe('REVOKED');
      expect(tookMs).toBeGreaterThanOrEqual(leaseMs);
    }
  });
});
