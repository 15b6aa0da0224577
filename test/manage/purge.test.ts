// SECURITY.md: Addresses of clients; A key
/** What is purged, when, and that no revoked key works again for it. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { importKeys } from '../../src/manage/change/import-keys.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { putKey } from '../../src/manage/change/put-key.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { purge, type Retention } from '../../src/manage/upkeep/purge.ts';
import { rowFromKey } from '../../src/store/rows/key-rows.ts';
import type { Service } from '../support/compose.ts';
import { providers } from '../support/databases.ts';
import { listen, type RunningGateway, startGateway, stopListening } from '../support/gateway.ts';
import { plainKey } from '../support/plain-keys.ts';
import { seedRows } from '../support/seeds.ts';
import { both, callerOf, rest, secondInstance, sessionToken } from '../support/service.ts';

const dayMs = 86_400_000;
const now = new Date();
const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
const retention: Retention = { usageDays: 90, auditDays: 365, revokedDays: 30 };

describe.each(providers)('on %s', (provider) => {
  let gateway: RunningGateway;
  let other: Service;
  let otherUrl: string;
  beforeAll(async () => {
    gateway = await startGateway(provider);
    other = await secondInstance(gateway.running);
    otherUrl = await listen(other.gateway);
  });
  afterAll(async () => {
    await stopListening(other.gateway);
    await other.close();
    await gateway.stop();
  });

  const management = () => gateway.running.service.management;
  const store = () => management().store;
  const callerAt = (at: Date, teamId = gateway.teamId) => callerOf({ [teamId]: both }, at);
  const revokeAt = (id: string, at: Date) => revokeKey(management(), callerAt(at), id);
  const codeOf = async (key: string, url: string) =>
    (await rest(url, null, 'POST', '/v1/verify', { key })).body.code as string;
  const row = (id: string) => store().keys.find(id);
  const importSecret = async (secret: string, teamId: string, at = now, algorithm = 'sha256') => {
    const digest = createHash(algorithm).update(secret).digest('hex');
    const keys = [{ digest, name: 'Imported', env: 'live' as const }];
    const { results } = await importKeys(management(), callerOf({ [teamId]: ['import_keys'] }, at), {
      teamId,
      keys,
      dryRun: false,
    });
    return results[0];
  };

  it('keeps everything but hourly counts and idempotency records for ever by default', async () => {
    const { id } = await gateway.issue({ now: daysAgo(1000) });
    await revokeAt(id, daysAgo(999));
    expect(await purge(store(), { usageDays: 90 }, now)).toEqual({ auditEntries: 0, revokedKeys: 0 });
    expect(await row(id)).not.toBeNull();
    expect(await store().auditLog.list({ teamId: gateway.teamId, keyId: id, limit: 10 })).toHaveLength(2);
  });

  it('an instance that has a key in its cache since before it was revoked rejects it after it was purged', async () => {
    const key = await gateway.issue();
    expect([await codeOf(key.secret, gateway.url), await codeOf(key.secret, otherUrl)]).toEqual(['VALID', 'VALID']);
    await revokeAt(key.id, daysAgo(32));
    // The other one is asked nothing meanwhile, so that it never reads the revoked row.
    await purge(store(), retention, now);
    expect(await row(key.id)).toBeNull();
    for (const url of [otherUrl, gateway.url])
      expect(['REVOKED', 'NOT_FOUND']).toContain(await codeOf(key.secret, url));
    const self = { authorization: `Bearer ${key.secret}` };
    expect((await rest(gateway.url, null, 'DELETE', '/v1/keys/self', undefined, self)).status).toBe(401);
  });

  it('keeps keys that were revoked within the retention, and those that are not revoked, however old they are', async () => {
    const recent = await gateway.issue({ now: daysAgo(400) });
    const expired = await gateway.issue({ now: daysAgo(400), expiresAt: daysAgo(399) });
    await revokeAt(recent.id, daysAgo(29));
    await purge(store(), retention, now);
    expect([await row(recent.id), await row(expired.id)]).not.toContain(null);
    expect(await codeOf(recent.secret, otherUrl)).toBe('REVOKED');
    expect(await codeOf(expired.secret, otherUrl)).toBe('EXPIRED');
  });

  it('keeps a revoked imported key, so that the same secret, imported by another team or digest, stays revoked', async () => {
    const secret = `sk-${randomBytes(24).toString('base64')}`;
    const imported = await importSecret(secret, gateway.teamId, daysAgo(50));
    const id = imported?.apiKey?.id ?? '';
    expect(await codeOf(secret, otherUrl)).toBe('VALID');
    await revokeAt(id, daysAgo(40));
    await purge(store(), retention, now);
    expect(await row(id)).not.toBeNull();
    expect((await importSecret(secret, gateway.teamId))?.outcome).toBe('EXISTED');
    expect((await importSecret(secret, randomUUID()))?.outcome).toBe('IN_USE');
    expect((await importSecret(secret, gateway.teamId, now, 'sha512'))?.outcome).toBe('IMPORTED');
    await purge(store(), retention, now);
    for (const url of [otherUrl, gateway.url]) expect(await codeOf(secret, url)).toBe('REVOKED');
  });

  it('keeps a revoked key that has or had a secret made by a client, so that no team can store its digest again', async () => {
    const key = { teamId: gateway.teamId, env: 'live' as const, externalId: `shop-${randomUUID()}`, name: 'Shop' };
    const made = () => {
      const { secret } = mintSecret('lk', 'live_c', randomBytes);
      return { secret, digest: `sha256:${createHash('sha256').update(secret).digest('hex')}` };
    };
    const [rotated, current] = [made(), made()];
    const caller = callerAt(daysAgo(50));
    const { apiKey } = await putKey(management(), caller, { ...key, digest: rotated.digest });
    const { apiKey: other } = await putKey(management(), caller, {
      ...key,
      externalId: `${key.externalId}-2`,
      digest: current.digest,
    });
    // A secret that Latchkey makes has a prefix of the usual form, which the key has from then on.
    await rotateKey(management(), caller, apiKey.id);
    for (const { id } of [apiKey, other]) await revokeAt(id, daysAgo(40));
    await purge(store(), retention, now);
    expect([await row(apiKey.id), await row(other.id)]).not.toContain(null);
    const elsewhere = { ...key, teamId: randomUUID() };
    for (const { secret, digest } of [rotated, current]) {
      const again = putKey(management(), callerAt(now, elsewhere.teamId), { ...elsewhere, digest });
      await expect(again).rejects.toMatchObject({ code: 'DIGEST_IN_USE' });
      expect(['REVOKED', 'ROTATED']).toContain(await codeOf(secret, gateway.url));
    }
  });

  it('deletes the usage of purged keys, keeps their audit entries, and treats them as unknown keys', async () => {
    const { id } = await gateway.issue();
    const hour = new Date(daysAgo(40).setUTCMinutes(0, 0, 0));
    const counts = [{ code: 'VALID' as const, count: 3 }];
    const usage = { keyId: id, teamId: gateway.teamId, hour, lastUsedAt: hour, counts };
    await store().usage.add([1, 2].map((version) => ({ ...usage, version })));
    const source = {
      keyId: id,
      teamId: gateway.teamId,
      version: 1,
      address: '192.0.2.1',
      firstAt: hour,
      lastAt: now,
      counts,
    };
    await store().observedSources.add([source], new Date());
    await revokeAt(id, daysAgo(39));
    await purge(store(), retention, now);
    expect(await store().usage.hourly(id, daysAgo(50), now)).toEqual([]);
    expect((await store().usage.daily([id], daysAgo(50))).get(id)).toEqual(new Map());
    expect(await store().usage.hourlyOfSecret(id, 2, daysAgo(50), now)).toEqual([]);
    expect(await store().usage.lastUsed([id])).toEqual(new Map());
    expect(await store().usage.lastUsedSecrets([{ id, secretVersion: 2 }])).toEqual(new Map());
    expect(await store().observedSources.list(id, 1)).toEqual({ listed: [], unlisted: [] });
    expect(await store().observedSources.ofAddress(gateway.teamId, '192.0.2.1')).toEqual([]);
    const actions = (await store().auditLog.list({ teamId: gateway.teamId, keyId: id, limit: 10 })).map(
      (e) => e.action,
    );
    expect(actions).toEqual(['KEY_REVOKED', 'KEY_CREATED']);
    const token = sessionToken({ [gateway.teamId]: both });
    const answer = await rest(gateway.running.url, token, 'PATCH', `/v1/keys/${id}`, { name: 'Another' });
    expect(answer.body.code).toBe('KEY_NOT_FOUND');
  });

  it('removes all that is old, more than one batch takes, and does so on one day only once', async () => {
    const teamId = randomUUID();
    const old = Array.from({ length: 1100 }, (_, i) => oldKey(teamId, i));
    const entries = Array.from({ length: 4100 }, (_, i) => oldEntry(teamId, i));
    await seedRows(gateway.running.database.url, 'ApiKey', old);
    await seedRows(gateway.running.database.url, 'AuditEntry', entries);
    const first = await purge(store(), retention, now);
    expect(first.revokedKeys).toBe(1100);
    expect(first.auditEntries).toBeGreaterThanOrEqual(4100);
    expect(await store().auditLog.list({ teamId, limit: 10 })).toEqual([]);
    // So that caches are emptied once a day, and not whenever another key comes of age.
    const { id } = await gateway.issue();
    await revokeAt(id, new Date(Math.floor(daysAgo(30).getTime() / dayMs) * dayMs));
    expect((await purge(store(), retention, now)).revokedKeys).toBe(0);
    expect((await purge(store(), retention, new Date(now.getTime() + dayMs))).revokedKeys).toBe(1);
  });

  it('forgets the addresses of a key in use with its hourly counts', async () => {
    const { id } = await gateway.issue();
    const seen = (address: string, at: Date) => ({
      keyId: id,
      teamId: gateway.teamId,
      version: 1,
      address,
      firstAt: at,
      lastAt: at,
    });
    const counts = [{ code: 'VALID' as const, count: 1 }];
    await store().observedSources.add(
      [
        { ...seen('192.0.2.1', daysAgo(91)), counts },
        { ...seen('192.0.2.2', daysAgo(89)), counts },
      ],
      now,
    );
    await purge(store(), retention, now);
    expect((await store().observedSources.list(id, 1)).listed.map(({ address }) => address)).toEqual(['192.0.2.2']);
  });

  it('removes audit entries by their age, and nothing else with them', async () => {
    const key = await gateway.issue({ now: daysAgo(366) });
    await revokeAt(key.id, daysAgo(10));
    await purge(store(), retention, now);
    const entries = await store().auditLog.list({ teamId: gateway.teamId, keyId: key.id, limit: 10 });
    expect(entries.map(({ action }) => action)).toEqual(['KEY_REVOKED']);
    expect(await row(key.id)).not.toBeNull();
  });
});

/** Revisions below zero: those of the service are not in the way. */
function oldKey(teamId: string, i: number) {
  const key = {
    ...plainKey,
    id: randomUUID(),
    teamId,
    name: `Old ${i}`,
    env: 'live' as const,
    prefix: `lk_live_${randomUUID()}`,
    digest: randomBytes(32).toString('base64url'),
    pepperId: 'p1',
    createdAt: daysAgo(400),
    revokedAt: daysAgo(399),
  };
  return rowFromKey(key, -1n - BigInt(i));
}

function oldEntry(teamId: string, i: number) {
  return {
    revision: -1n - BigInt(i),
    action: 'KEY_CREATED' as const,
    keyId: randomUUID(),
    teamId,
    actor: 'tester',
    requestId: randomUUID(),
    at: daysAgo(400),
    changes: [],
  };
}
