// SECURITY.md: A key
/** The strict promise in the caller's own process: once a change is answered, the next local verdict has it. */
import { hash, randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, type MockInstance, vi } from 'vitest';
import { createLocalVerifier, type LocalVerifier } from '../../../src/client/local-verifier.ts';
import { signRequest } from '../../../src/client/sign.ts';
import type { Verification } from '../../../src/client/verification.ts';
import { createVerifier } from '../../../src/client/verify.ts';
import type { DatabaseProvider } from '../../../src/lib/database-address.ts';
import { importKeys } from '../../../src/manage/change/import-keys.ts';
import { disableKey, enableKey, revokeKey } from '../../../src/manage/change/key-state.ts';
import { endOverlap, rotateKey } from '../../../src/manage/change/rotate-key.ts';
import { enableSigning } from '../../../src/manage/change/signing.ts';
import { updateKey } from '../../../src/manage/change/update-key.ts';
import { EdgeFeed } from '../../../src/verify/edge-feed.ts';
import { providers, theProvider } from '../../support/databases.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { stateOf } from '../../support/put-back.ts';
import { both, callerOf, importing, rest } from '../../support/service.ts';

let gateway: RunningGateway;
let local: LocalVerifier;
let asked: MockInstance<EdgeFeed['handle']>;
function serveOn(provider: DatabaseProvider, environment: NodeJS.ProcessEnv = {}): void {
  beforeAll(async () => {
    asked = vi.spyOn(EdgeFeed.prototype, 'handle');
    gateway = await startGateway(provider, environment);
    local = createLocalVerifier({ url: gateway.url, timeoutMs: 20_000 });
  });
  afterAll(async () => {
    asked.mockRestore();
    await local?.close();
    await gateway?.stop();
  });
}

const management = () => gateway.running.service.management;
const caller = () => callerOf({ [gateway.teamId]: both });
const update = (id: string, changes: Parameters<typeof updateKey>[3]) => updateKey(management(), caller(), id, changes);
const codeOf = async (key: string, more: Partial<Verification> = {}) => (await local.verify({ key, ...more })).code;
/** With the verdict of the service, which must be the same. */
async function codesOf(...questions: readonly Verification[]): Promise<string[]> {
  const remote = createVerifier({ url: gateway.url, timeoutMs: 20_000 });
  const verdicts = await Promise.all(questions.map((question) => local.verify(question)));
  expect(verdicts).toEqual(await Promise.all(questions.map((question) => remote.verify(question))));
  remote.close();
  return verdicts.map(({ code }) => code);
}

describe.each(providers)('on %s, a local verifier', (provider) => {
  serveOn(provider);

  it('rejects a key from the moment on when its revocation is answered, however long it was cached', async () => {
    const { id, secret } = await gateway.issue();
    for (let i = 0; i < 3; i += 1) expect(await codeOf(secret)).toBe('VALID');
    await gateway.revoke(id);
    expect(await codesOf({ key: secret })).toEqual(['REVOKED']);
  });

  it('sees that a key is disabled and enabled, each rotation, and the end of an overlap', async () => {
    const { id, secret } = await gateway.issue();
    expect(await codeOf(secret)).toBe('VALID');
    await disableKey(management(), caller(), id, 'a test');
    expect(await codesOf({ key: secret })).toEqual(['DISABLED']);
    await enableKey(management(), caller(), id, 'a test');
    expect(await codesOf({ key: secret })).toEqual(['VALID']);
    const second = (await rotateKey(management(), caller(), id, { overlapSeconds: 60 })).secret;
    expect(await codesOf({ key: secret }, { key: second })).toEqual(['VALID', 'VALID']);
    await endOverlap(management(), caller(), id);
    expect(await codesOf({ key: secret }, { key: second })).toEqual(['ROTATED', 'VALID']);
    const third = (await rotateKey(management(), caller(), id)).secret;
    expect(await codesOf({ key: second }, { key: third })).toEqual(['ROTATED', 'VALID']);
  });

  it('sees changes of the sources, the scopes and the expiry', async () => {
    const { id, secret } = await gateway.issue();
    const question = { key: secret, sourceIp: '10.0.0.1', scopes: ['orders:read'] };
    expect(await codesOf(question)).toEqual(['INSUFFICIENT_SCOPE']);
    await update(id, { scopes: ['orders:read'] });
    expect(await codesOf(question)).toEqual(['VALID']);
    await update(id, { allowedIps: ['10.0.0.0/8 # the office', '2001:db8::/32'] });
    const elsewhere = { ...question, sourceIp: '2001:db9::1' };
    expect(await codesOf(question, elsewhere, { key: secret })).toEqual([
      'VALID',
      'SOURCE_NOT_ALLOWED',
      'SOURCE_NOT_ALLOWED',
    ]);
    await update(id, { allowedIps: [], expiresAt: new Date(Date.now() + 10_000) });
    expect(await codesOf(elsewhere)).toEqual(['VALID']);
    await expect.poll(() => codeOf(secret)).toBe('EXPIRED');
    await update(id, { expiresAt: null });
    expect(await codesOf(elsewhere)).toEqual(['VALID']);
  });

  it('lets the service decide where requests must be signed, and counts each nonce once', async () => {
    const { id, secret: key } = await gateway.issue();
    expect(await codeOf(key)).toBe('VALID');
    const { signingSecret } = await enableSigning(management(), caller(), id);
    expect(await codesOf({ key })).toEqual(['SIGNATURE_REQUIRED']);
    const request = { method: 'GET', url: 'http://api.example/a' };
    const headers = { ...signRequest(request, { keyId: id, signingSecret }) };
    const signed = { key, request: { ...request, headers } };
    expect(await codeOf(key, signed)).toBe('VALID');
    expect(await codesOf(signed)).toEqual(['SIGNATURE_REPLAYED']);
  });

  it('lets the service resolve host names', async () => {
    const { secret } = await gateway.issue({ allowedIps: ['a.name.invalid', '10.0.0.1'] });
    expect(await codesOf({ key: secret, sourceIp: '10.0.0.1' }, { key: secret, sourceIp: '10.0.0.2' })).toEqual([
      'VALID',
      'SOURCE_NOT_ALLOWED',
    ]);
  });

  it('sees changes that an operator makes in SQL', async () => {
    const [revoked, deleted] = [await gateway.issue(), await gateway.issue()];
    const keys = [{ key: revoked.secret }, { key: deleted.secret }];
    expect(await codesOf(...keys)).toEqual(['VALID', 'VALID']);
    await perform(gateway, `UPDATE "ApiKey" SET "revokedAt" = ${now(gateway)} WHERE "id" = '${revoked.id}'`);
    expect(await codesOf(...keys)).toEqual(['REVOKED', 'VALID']);
    await perform(gateway, `DELETE FROM "ApiKey" WHERE "id" = '${deleted.id}'`);
    expect(await codesOf(...keys)).toEqual(['REVOKED', 'NOT_FOUND']);
  });

  it('never accepts a key that was revoked before the call, while thousands of verifications and changes run', async () => {
    const keys = await Promise.all(Array.from({ length: 150 }, () => gateway.issue()));
    const revokedAt = new Map<string, number>();
    const wrong: string[] = [];
    let isOver = false;
    const verifying = Array.from({ length: 20 }, async (_, i) => {
      for (let n = i; !isOver; n += 7) {
        const key = keys[n % keys.length];
        if (key === undefined) return;
        const revoked = revokedAt.has(key.id);
        const code = await codeOf(key.secret);
        if (revoked && code !== 'REVOKED') wrong.push(`${key.id} ${code}`);
      }
    });
    for (const key of keys.slice(0, 100)) {
      await gateway.revoke(key.id);
      revokedAt.set(key.id, performance.now());
    }
    isOver = true;
    await Promise.all(verifying);
    expect(wrong).toEqual([]);
  });
});

describe.each(providers)('on %s, with imported keys, a local verifier', (provider) => {
  serveOn(provider);

  const imported = async (team: string, secrets: readonly string[], algorithm: 'sha256' | 'sha512' = 'sha256') => {
    const digests = secrets.map((secret) => `${algorithm}:${hash(algorithm, secret, 'hex')}`);
    const keys = digests.map((digest) => ({ name: 'Imported', env: 'live' as const, digest }));
    const given = { teamId: team, keys, dryRun: false };
    const { results } = await importKeys(management(), callerOf({ [team]: importing }), given);
    return results.map(({ apiKey }) => apiKey?.id ?? '');
  };
  const codesOfAll = async (secrets: readonly string[]) =>
    (await local.verifyAll(secrets.map((key) => ({ key })))).map(({ code }) => code);
  const keysAsked = () => asked.mock.calls.splice(0).flatMap(([{ keys }]) => keys);

  it('accepts a key from its import on, whatever another team imports or revokes later', async () => {
    const key = `old_${randomUUID()}`;
    expect(await codesOf({ key })).toEqual(['MALFORMED']);
    const [id = ''] = await imported(gateway.teamId, [key]);
    for (let i = 0; i < 2; i += 1) expect(await codesOf({ key })).toEqual(['VALID']);
    const other = randomUUID();
    const [later = ''] = await imported(other, [key], 'sha512');
    await revokeKey(management(), callerOf({ [other]: both }), later);
    expect(await codesOf({ key })).toEqual(['VALID']);
    await revokeKey(management(), callerOf({ [gateway.teamId]: both }), id);
    expect(await codesOf({ key })).toEqual(['REVOKED']);
  });

  it('a change of an imported key, and an import, drop no keys of other teams', async () => {
    const [team, other] = [randomUUID(), randomUUID()];
    const theirs = Array.from({ length: 50 }, () => `old_${randomUUID()}`);
    const ours = `old_${randomUUID()}`;
    const [id = ''] = await imported(team, [ours]);
    await imported(other, theirs);
    expect(await codesOfAll([ours, ...theirs])).toEqual(Array(51).fill('VALID'));
    keysAsked();
    await disableKey(management(), callerOf({ [team]: both }), id);
    expect(await codesOfAll([ours, ...theirs])).toEqual(['DISABLED', ...Array(50).fill('VALID')]);
    expect(keysAsked()).toEqual([ours]);
    await enableKey(management(), callerOf({ [team]: both }), id);
    await imported(team, [`old_${randomUUID()}`]);
    expect(await codesOfAll([ours, ...theirs])).toEqual(Array(51).fill('VALID'));
    expect(keysAsked()).toEqual([ours]);
  });

  it('a later import of the same key, by its other digest, changes nothing, whatever becomes of it', async () => {
    const [team, other] = [randomUUID(), randomUUID()];
    for (const importer of [team, other]) {
      const secret = `old_${randomUUID()}`;
      await imported(team, [secret]);
      expect(await codesOfAll([secret])).toEqual(['VALID']);
      const [later = ''] = await imported(importer, [secret], 'sha512');
      for (const change of [rotateKey, revokeKey]) {
        await change(management(), callerOf({ [importer]: both }), later);
        expect(await codesOfAll([secret])).toEqual(['VALID']);
        const { body } = await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret });
        expect(body.code).toBe('VALID');
      }
    }
  });
});

const leaseMs = 400;

if (theProvider === 'postgresql') {
  describe('with a lease on PostgreSQL', () => {
    serveOn('postgresql', { VERIFY_LEASE_MS: String(leaseMs) });

    it('a local verifier sends one request per lease, however many verifications there are', async () => {
      const { secret } = await gateway.issue();
      await local.verify({ key: secret });
      const [before, startedAt] = [asked.mock.calls.length, performance.now()];
      const questions = () => asked.mock.calls.length - before;
      let verifications = 0;
      // For two leases, however many verifications that are on this machine.
      while (questions() < 2) {
        expect((await local.verify({ key: secret })).code).toBe('VALID');
        verifications += 1;
      }
      expect(questions()).toBeLessThanOrEqual(Math.ceil((performance.now() - startedAt) / leaseMs) + 1);
      expect(verifications).toBeGreaterThan(questions());
    });

    it('rejects a key once its revocation is answered, and accepts a new one at once', async () => {
      for (let i = 0; i < 5; i += 1) {
        const { id, secret } = await gateway.issue();
        expect((await local.verify({ key: secret })).code).toBe('VALID');
        const codes: string[] = [];
        let isOver = false;
        const verifying = (async () => {
          while (!isOver) codes.push((await local.verify({ key: secret })).code);
        })();
        const startedAt = performance.now();
        await gateway.revoke(id);
        const tookMs = performance.now() - startedAt;
        // From here on, no verdict may be older than the revocation.
        expect((await local.verify({ key: secret })).code).toBe('REVOKED');
        isOver = true;
        await verifying;
        expect(tookMs).toBeGreaterThanOrEqual(leaseMs);
        expect(codes.join(' ')).toMatch(/^(VALID )*(REVOKED ?)*$/);
      }
    });
  });
}

describe.each(providers)('on %s, when the database is put back to an earlier state, a local verifier', (provider) => {
  serveOn(provider);

  it.each([0, 5])('has the verdicts of that state, after %d further changes', async (changes) => {
    const kept = await gateway.issue();
    const putBack = await stateOf(gateway.running);
    const later = await gateway.issue();
    await disableKey(management(), caller(), kept.id, 'a test');
    expect(await codesOf({ key: kept.secret }, { key: later.secret })).toEqual(['DISABLED', 'VALID']);
    await putBack();
    for (let i = 0; i < changes; i += 1) await gateway.issue();
    expect(await codesOf({ key: kept.secret }, { key: later.secret })).toEqual(['VALID', 'NOT_FOUND']);
  });
});

const now = ({ running }: RunningGateway) =>
  running.database.url.startsWith('file:') ? `strftime('%Y-%m-%dT%H:%M:%fZ')` : 'now()';

async function perform({ running }: RunningGateway, sql: string): Promise<void> {
  const { url } = running.database;
  if (url.startsWith('file:')) {
    // It blocks this process, also the transaction that it would wait for.
    await running.service.management.store.changes.idle();
    const sqlite = new Sqlite(url.slice('file:'.length));
    sqlite.exec(sql);
    sqlite.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
