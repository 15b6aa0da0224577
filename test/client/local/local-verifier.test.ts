/** The strict promise in the caller's own process: once a change is answered, the next local verdict has it. */
import { hash, randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalVerifier, type LocalVerifier } from '../../../src/client/local-verifier.ts';
import { signRequest } from '../../../src/client/sign.ts';
import type { Verification } from '../../../src/client/verification.ts';
import { createVerifier } from '../../../src/client/verify.ts';
import { importKeys } from '../../../src/manage/change/import-keys.ts';
import { disableKey, revokeKey } from '../../../src/manage/change/key-state.ts';
import { enableSigning } from '../../../src/manage/change/signing.ts';
import { updateKey } from '../../../src/manage/change/update-key.ts';
import { type Provider, providers } from '../../support/databases.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { stateOf } from '../../support/put-back.ts';
import { both, callerOf, importing } from '../../support/service.ts';

let gateway: RunningGateway;
let local: LocalVerifier;
function serveOn(provider: Provider): void {
  beforeAll(async () => {
    gateway = await startGateway(provider);
    local = createLocalVerifier({ url: gateway.url, timeoutMs: 20_000 });
  });
  afterAll(async () => {
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
    await update(id, { allowedIps: [], expiresAt: new Date(Date.now() + 3000) });
    expect(await codesOf(elsewhere)).toEqual(['VALID']);
    await expect.poll(() => codeOf(secret), { timeout: 10_000 }).toBe('EXPIRED');
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

  const imported = (team: string, secret: string) =>
    importKeys(management(), callerOf({ [team]: importing }), {
      teamId: team,
      keys: [{ name: 'Imported', env: 'live', digest: `sha256:${hash('sha256', secret, 'hex')}` }],
      dryRun: false,
    });

  it('accepts a key from its import on, and rejects it once another team has imported it', async () => {
    const key = `old_${randomUUID()}`;
    expect(await codesOf({ key })).toEqual(['MALFORMED']);
    const { results } = await imported(gateway.teamId, key);
    expect(results.map(({ outcome }) => outcome)).toEqual(['IMPORTED']);
    for (let i = 0; i < 2; i += 1) expect(await codesOf({ key })).toEqual(['VALID']);
    const other = randomUUID();
    const [conflicting] = (await imported(other, key)).results;
    expect(await codesOf({ key })).toEqual(['NOT_FOUND']);
    await revokeKey(management(), callerOf({ [other]: both }), conflicting?.apiKey?.id ?? '');
    expect(await codesOf({ key })).toEqual(['REVOKED']);
  });
});

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
