/** Re-wrapping while services run: no newer secret is lost, every cache learns of it, and nothing else changes. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { kekIdOf } from '../../src/domain/secret/sealed-secret.ts';
import { openSigningSecret } from '../../src/domain/secret/signing-secret.ts';
import { activeSecretsOf, verificationKeyOf } from '../../src/domain/webhook/signature.ts';
import { createManagementKey } from '../../src/manage/access/create-management-key.ts';
import { revokeManagementKey } from '../../src/manage/access/revoke-management-key.ts';
import { rotateManagementKey } from '../../src/manage/access/rotate-management-key.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { disableSigning, enableSigning, rotateSigningSecret } from '../../src/manage/change/signing.ts';
import { rewrapSigningSecrets } from '../../src/manage/upkeep/rewrap.ts';
import { createWebhook } from '../../src/manage/webhooks/create-webhook.ts';
import { rotateWebhookSecret } from '../../src/manage/webhooks/rotate-webhook-secret.ts';
import type { WebhookWithSecret } from '../../src/manage/webhooks/webhook-secret.ts';
import { Decision } from '../../src/store/changes/change.ts';
import { keyWithId } from '../../src/store/changes/key-state.ts';
import { openKeyFeed } from '../../src/store/feed/verification-store.ts';
import { compose, type Service } from '../support/compose.ts';
import { providers, temporaryDatabase } from '../support/databases.ts';
import { both, callerOf, jwtSecret } from '../support/service.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

const team = randomUUID();
const caller = callerOf({ [team]: [...both, 'manage_webhooks'] });
const kek = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [oldKek, newKek] = [kek('old'), kek('new')];
let database: TemporaryDatabase;
const services: Service[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
  await database.remove();
});

async function start(SIGNING_KEKS: string): Promise<Service> {
  const { url, directory } = database;
  const environment = { DATABASE_URL: url, DATA_DIR: directory, JWT_SECRET: jwtSecret, LOG_LEVEL: 'silent' };
  const service = await compose(readConfiguration({ ...environment, SIGNING_KEKS }));
  services.push(service);
  return service;
}

/** Keys that demand signed requests, with their secrets. */
async function makeKeys({ management }: Service, count: number): Promise<Map<string, string>> {
  const made = Array.from({ length: count }, async (): Promise<[string, string]> => {
    const { apiKey } = await createKey(management, caller, { teamId: team, name: 'A key', env: 'live' });
    return [apiKey.id, (await enableSigning(management, caller, apiKey.id)).signingSecret];
  });
  return new Map(await Promise.all(made));
}

const rewrap = ({ management: { store, signingKeks } }: Service) =>
  rewrapSigningSecrets({ store, signingKeks, randomBytes, onProgress: () => undefined });

describe.each(providers)('on %s', (provider) => {
  it('while secrets are rotated and disabled, the last one issued is the one that opens, and is newly wrapped', async () => {
    database = await temporaryDatabase(provider);
    const before = await start(`${oldKek},${newKek}`);
    const secrets: Map<string, string | null> = await makeKeys(before, 150);
    const after = await start(`${newKek},${oldKek}`);
    const { management } = after;
    let changes = 0;
    let over = false;
    const change = async (ids: readonly string[]) => {
      for (let i = 0; !over || i < ids.length; i += 1) {
        const id = ids[i % ids.length] ?? '';
        changes += 1;
        if (secrets.get(id) === null) secrets.set(id, (await enableSigning(management, caller, id)).signingSecret);
        else if (i % 3 > 0) secrets.set(id, (await rotateSigningSecret(management, caller, id)).signingSecret);
        else {
          await disableSigning(management, caller, id);
          secrets.set(id, null);
        }
      }
    };
    // From both ends of what is re-wrapped, so that they meet it.
    const ids = [...secrets.keys()].sort();
    const changing = Promise.all([change(ids.slice(0, 40)), change(ids.slice(40, 90)), change(ids.slice(90, 120))]);
    const { rewrapped, problems } = await rewrap(after);
    over = true;
    await changing;
    expect(problems).toEqual([]);
    expect(rewrapped).toBeGreaterThanOrEqual(30);
    for (const [keyId, secret] of secrets) {
      const key = await management.store.keys.find(keyId);
      if (secret === null) expect(key?.signingEnvelope).toBeNull();
      else {
        expect(kekIdOf(key?.signingEnvelope ?? '')).toBe('new');
        const owner = { keyId, version: key?.signingVersion ?? 0 };
        const opened = openSigningSecret(key?.signingEnvelope ?? '', owner, management.signingKeks);
        expect(opened.toString('hex')).toBe(secret);
      }
    }
    expect(await management.store.ringUse('signing-kek')).toEqual(
      new Map([['new', [...secrets.values()].filter(Boolean).length]]),
    );
    // The trail has what people did, and nothing of this.
    const entries = await management.store.auditLog.list({ teamId: team, limit: 100_000 });
    expect(entries).toHaveLength(300 + changes);
    expect((await rewrap(after)).rewrapped).toBe(0);
  });

  it('the current and the previous secret of each webhook are re-wrapped, and sign as before', async () => {
    database = await temporaryDatabase(provider);
    const { management: old } = await start(`${oldKek},${newKek}`);
    const input = { teamId: team, url: 'https://example.com/' };
    const [rotated, plain] = [await createWebhook(old, caller, input), await createWebhook(old, caller, input)];
    const { secret } = await rotateWebhookSecret(old, caller, rotated.webhook.id, 60);
    expect(await old.store.ringUse('signing-kek')).toEqual(new Map([['old', 2]]));
    const after = await start(`${newKek},${oldKek}`);
    const { store, signingKeks } = after.management;
    const versions = async () => (await store.webhooks.list(team)).map(({ id, version }) => ({ id, version }));
    const versionsBefore = await versions();
    expect(await rewrap(after)).toEqual({ rewrapped: 2, problems: [] });
    // An endpoint that fails is disabled only if nobody has changed it since it was loaded.
    expect(await versions()).toEqual(versionsBefore);
    expect(await store.ringUse('signing-kek')).toEqual(new Map([['new', 2]]));
    const signing = async ({ webhook: { id } }: WebhookWithSecret) => {
      const webhook = await store.webhooks.find(id);
      if (webhook === null) throw new Error('there is no webhook');
      return activeSecretsOf(webhook, signingKeks, caller.now).map(verificationKeyOf);
    };
    expect(await signing(rotated)).toEqual([secret, rotated.secret]);
    expect(await signing(plain)).toEqual([plain.secret]);
    expect(await store.auditLog.list({ teamId: team, limit: 10 })).toHaveLength(3);
    expect((await rewrap(after)).rewrapped).toBe(0);
  });

  it('a key-encryption key that only a webhook needs must not be missing', async () => {
    database = await temporaryDatabase(provider);
    const { management: old } = await start(`${oldKek},${newKek}`);
    await createWebhook(old, caller, { teamId: team, url: 'https://example.com/' });
    await start(`${newKek},${oldKek}`);
    await expect(start(newKek)).rejects.toThrow(
      'old is missing, and keys, management keys or webhooks in the database still need it',
    );
  });

  it('a management key needs its pepper, and signs after its secret was re-wrapped as before', async () => {
    database = await temporaryDatabase(provider);
    const { management: old } = await start(`${oldKek},${newKek}`);
    const ada = callerOf({ [team]: [...both, 'manage_access'] });
    const expiresAt = new Date(Date.now() + 86_400_000);
    const input = { teamId: team, name: 'Shop', permissions: both, expiresAt, signing: true };
    const { managementKey, signingSecret } = await createManagementKey(old, ada, input);
    const { id } = managementKey;
    expect(await old.store.ringUse('signing-kek')).toEqual(new Map([['old', 1]]));
    const after = await start(`${newKek},${oldKek}`);
    expect(await rewrap(after)).toEqual({ rewrapped: 1, problems: [] });
    expect(await after.management.store.ringUse('signing-kek')).toEqual(new Map([['new', 1]]));
    const { management } = await start(newKek);
    const { signingEnvelope, signingVersion: version } = (await management.store.managementKeys.find(id)) ?? {};
    const owner = { keyId: id, version: version ?? 0 };
    expect(openSigningSecret(signingEnvelope ?? '', owner, management.signingKeks).toString('hex')).toBe(signingSecret);
    // The previous secret is accepted during the overlap, under the pepper that it was made with.
    const [first, second] = [management.peppers.current.id, 'p2'];
    const current = { id: second, bytes: randomBytes(32) };
    const peppers = { current, byId: new Map([...management.peppers.byId, [second, current]]) };
    await rotateManagementKey({ ...management, peppers }, ada, id, 60);
    expect(await management.store.ringUse('pepper')).toEqual(
      new Map([
        [first, 1],
        [second, 1],
      ]),
    );
    await revokeManagementKey(management, ada, id);
    for (const purpose of ['pepper', 'signing-kek'] as const)
      expect(await management.store.ringUse(purpose)).toEqual(new Map());
  });

  it('a reader of the changes gets each new envelope', async () => {
    database = await temporaryDatabase(provider);
    const before = await start(`${oldKek},${newKek}`);
    const keys = await makeKeys(before, 3);
    const feed = openKeyFeed(readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL);
    const { revision } = await feed.read(null, []);
    await rewrap(await start(`${newKek},${oldKek}`));
    const round = await feed.read(revision, []);
    await feed.close();
    expect(round.overflow).toBe(false);
    expect(round.keys.map(({ id }) => id).sort()).toEqual([...keys.keys()].sort());
    expect(round.keys.map(({ signingEnvelope }) => kekIdOf(signingEnvelope ?? ''))).toEqual(['new', 'new', 'new']);
  });

  it('a secret that does not open is reported with its key and not changed; the others are re-wrapped', async () => {
    database = await temporaryDatabase(provider);
    const before = await start(`${oldKek},${newKek}`);
    const [spoilt = ''] = (await makeKeys(before, 5)).keys();
    const { store } = before.management;
    const signingEnvelope = `old.${'A'.repeat(80)}`;
    await store.changes.submit({
      queueKey: 'operator',
      load: keyWithId(spoilt),
      decide: (key) => new Decision(null, key === null ? {} : { key: { ...key, signingEnvelope } }),
    });
    const { rewrapped, problems } = await rewrap(await start(`${newKek},${oldKek}`));
    expect(rewrapped).toBe(4);
    expect(problems).toEqual([expect.stringContaining(`${spoilt}: `)]);
    expect((await store.keys.find(spoilt))?.signingEnvelope).toBe(signingEnvelope);
    expect(await store.ringUse('signing-kek')).toEqual(
      new Map([
        ['new', 4],
        ['old', 1],
      ]),
    );
  });
});
