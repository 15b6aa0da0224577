/** VERIFY_LEASE_MS: fewer questions to the store, and the strict promise all the same. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { keyRing } from '../../src/domain/secret/key-ring.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import type { FeedKey, KeyFeed, Snapshot } from '../../src/store/feed/key-feed.ts';
import type { CachedMatch } from '../../src/verify/cached-key.ts';
import { Confirmation } from '../../src/verify/confirmation.ts';
import { KeyCache } from '../../src/verify/key-cache.ts';
import { compose, type Service } from '../support/compose.ts';
import { listen, stopListening } from '../support/gateway.ts';
import { plainFeedKey } from '../support/plain-keys.ts';
import { both, type RunningService, rest, sessionToken, startService } from '../support/service.ts';

const stored: Omit<FeedKey, 'digest'> = {
  ...plainFeedKey,
  id: randomUUID(),
  teamId: randomUUID(),
  name: 'A key',
  env: 'live',
  prefix: 'lk_live_12345678',
};

const minted = () => mintSecret('lk', 'live', randomBytes).secret;
const [secret, one, another] = [minted(), minted(), minted()] as const;

/** A confirmation over a store that has every key, and says so with the lease that it grants. */
function confirmation(leaseMs: number, granted: number) {
  const askedAt: number[] = [];
  const feed: KeyFeed = {
    read: async (_, digests): Promise<Snapshot> => {
      askedAt.push(performance.now());
      const keys = digests.map((digest) => ({ ...stored, id: digest, digest }));
      return { epoch: 'one', revision: 1, overflow: false, imports: false, leaseMs: granted, keys };
    },
    close: async () => undefined,
  };
  const peppers = keyRing([{ id: 'p', bytes: randomBytes(32) }]);
  const tested = new Confirmation({ feed, cache: new KeyCache({ maxKeys: 10 }), peppers, pauseMs: 0, leaseMs });
  const ask = (secret: string) =>
    new Promise<CachedMatch | undefined>((decide, fail) => {
      tested.ask({ secret, presented: hash('sha256', secret, 'base64url'), decide, fail });
    });
  return { ask, askedAt };
}

describe('a lease', () => {
  it('serves keys that are cached without asking, until it has run out', async () => {
    const { ask, askedAt } = confirmation(700, 700);
    const first = await ask(secret);
    expect(first).toBeDefined();
    expect(await ask(secret)).toBe(first);
    expect(askedAt).toHaveLength(1);
    await expect.poll(async () => [await ask(secret), askedAt.length], { timeout: 5000 }).toEqual([first, 2]);
    expect((askedAt[1] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThanOrEqual(700);
  });

  it('does not apply to a key that is not cached: a new key works immediately', async () => {
    const { ask, askedAt } = confirmation(60_000, 60_000);
    await ask(one);
    expect(await ask(another)).toBeDefined();
    expect(askedAt).toHaveLength(2);
  });

  it.each([
    ['the store does not grant', 60_000, 0],
    ['the configuration does not allow', 0, 60_000],
  ])('that %s is not used: each verification asks the store', async (_, wanted, granted) => {
    const { ask, askedAt } = confirmation(wanted, granted);
    for (let i = 0; i < 3; i += 1) await ask(secret);
    expect(askedAt).toHaveLength(3);
  });
});

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

  it('a new key works immediately, and changes of one key keep their order', async () => {
    await startBoth();
    const { id, secret } = (await manage('POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live' })).body;
    expect(await codeOf(secret)).toBe('VALID');
    await manage('PATCH', `/v1/keys/${id}`, { allowedIps: ['192.0.2.1'] });
    expect(await codeOf(secret)).toBe('SOURCE_NOT_ALLOWED');
    await manage('PATCH', `/v1/keys/${id}`, { allowedIps: [] });
    expect(await codeOf(secret)).toBe('VALID');
  });
});
