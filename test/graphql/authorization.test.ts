/** Who may do what: every operation of the schema, with every token that lacks what the schema says that it needs. */
import { randomUUID } from 'node:crypto';
import { buildSchema, getNamedType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { permissions as allPermissions, type Permission } from '../../src/domain/key/permission.ts';
import { typeDefs } from '../../src/graphql/type-defs.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { createWebhook } from '../../src/manage/webhooks/create-webhook.ts';
import { inTests } from '../support/in-tests.ts';
import { callerOf, graphql, sessionToken, startService } from '../support/service.ts';

interface Target {
  readonly team: string;
  readonly key: string;
  readonly webhook: string;
}

const when = 'from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z"';
const digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The arguments of each operation. A new operation needs an entry here. */
const calls: Readonly<Record<string, (target: Target) => string>> = {
  viewer: () => '',
  key: ({ key }) => `(id: "${key}")`,
  keys: ({ team }) => `(teamId: "${team}")`,
  usage: ({ key }) => `(keyId: "${key}", ${when})`,
  observedSources: ({ key }) => `(keyId: "${key}")`,
  unlistedSources: ({ key }) => `(keyId: "${key}")`,
  previewAllowedIps: ({ key }) => `(keyId: "${key}", allowedIps: [])`,
  teamUsage: ({ team }) => `(teamId: "${team}", ${when})`,
  rejectedKeys: ({ team }) => `(teamId: "${team}", ${when})`,
  keysOverview: ({ team }) => `(teamId: "${team}")`,
  explainVerification: ({ team }) => `(input: { teamId: "${team}", prefix: "lk_live_4fJx81Qz" })`,
  auditLog: ({ team, key }) => `(teamId: "${team}", keyId: "${key}")`,
  leakPolicy: ({ team }) => `(teamId: "${team}")`,
  setLeakPolicy: ({ team }) => `(teamId: "${team}", policy: REVOKE)`,
  events: ({ team }) => `(teamId: "${team}")`,
  webhooks: ({ team }) => `(teamId: "${team}")`,
  deliveries: ({ webhook }) => `(webhookId: "${webhook}")`,
  createWebhook: ({ team }) => `(input: { teamId: "${team}", url: "https://example.com" })`,
  updateWebhook: ({ webhook }) => `(id: "${webhook}", input: { url: "https://example.com/theirs" })`,
  deleteWebhook: ({ webhook }) => `(id: "${webhook}")`,
  rotateWebhookSecret: ({ webhook }) => `(id: "${webhook}")`,
  sendTestEvent: ({ webhook }) => `(id: "${webhook}")`,
  replayEvents: ({ webhook }) => `(webhookId: "${webhook}", from: "2026-01-01T00:00:00Z")`,
  createKey: ({ team }) => `(input: { teamId: "${team}", name: "Theirs", env: live })`,
  importKeys: ({ team }) => `(teamId: "${team}", keys: [{ digest: "${digest}", name: "Theirs", env: live }])`,
  updateKey: ({ key }) => `(id: "${key}", input: { name: "Theirs" })`,
  rotateKey: ({ key }) => `(id: "${key}")`,
  endOverlap: ({ key }) => `(id: "${key}")`,
  disableKey: ({ key }) => `(id: "${key}")`,
  enableKey: ({ key }) => `(id: "${key}")`,
  revokeKey: ({ key }) => `(id: "${key}")`,
  changeKeys: ({ team, key }) => `(teamId: "${team}", action: REVOKE, keys: [{ id: "${key}" }])`,
  revokeKeys: ({ team }) => `(teamId: "${team}", filter: {})`,
  enableSigning: ({ key }) => `(id: "${key}")`,
  rotateSigningSecret: ({ key }) => `(id: "${key}")`,
  disableSigning: ({ key }) => `(id: "${key}")`,
};

const schema = buildSchema(typeDefs);
const operations = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.values(type?.getFields() ?? {}).map(({ name, type: answer, description }) => ({
    name,
    operation: type === schema.getQueryType() ? 'query' : 'mutation',
    selection: isObjectType(getNamedType(answer)) ? '{ __typename }' : '',
    needs: allPermissions.filter((permission) => neededIn(description ?? '').includes(`\`${permission}\``)),
  })),
);

/** As a description says it: "Needs `view_team` on the key's team." */
function neededIn(description: string): string {
  const sentence = /Needs [^.]*\./.exec(description)?.[0];
  if (sentence === undefined) throw new Error(`it does not say what is needed: ${description}`);
  return sentence;
}

const running = inTests(() => startService('sqlite'));
const team = randomUUID();
let key: string;
let webhook: string;
beforeAll(async () => {
  const caller = callerOf({ [team]: allPermissions });
  const { management } = running.service;
  key = (await createKey(management, caller, { teamId: team, name: 'A key', env: 'live' })).apiKey.id;
  webhook = (await createWebhook(management, caller, { teamId: team, url: 'https://example.com/' })).webhook.id;
});

it('every operation is tried', () => {
  expect(operations.map(({ name }) => name).toSorted()).toEqual(Object.keys(calls).toSorted());
});

describe.each(operations)('$name', ({ name, operation, selection, needs }) => {
  const ask = async (token: string | null, target: Target) => {
    const { body } = await graphql(running.url, token, `${operation} { ${name}${calls[name]?.(target)} ${selection} }`);
    const { requestId: _, ...extensions } = body.errors?.[0].extensions ?? {};
    return { ...body.errors?.[0], extensions, code: extensions.code };
  };
  const changes = async () => (await running.service.management.store.auditLog.list({ teamId: team, limit: 9 })).length;

  it('is done for no one without a session token', async () => {
    expect((await ask(null, { team, key, webhook })).code).toBe('UNAUTHENTICATED');
  });

  it('is done only with all the permissions that it needs, and no other permission stands in for one', async () => {
    const before = await changes();
    for (const missing of needs) {
      const others = allPermissions.filter((permission) => permission !== missing);
      expect((await ask(sessionToken({ [team]: others }), { team, key, webhook })).code).toBe('FORBIDDEN');
    }
    expect(await changes()).toBe(before);
  });

  it('reveals nothing about a team and its keys to a caller of another team, not even that they exist', async () => {
    if (needs.length === 0) return;
    const elsewhere: Readonly<Record<string, readonly Permission[]>> = { [randomUUID()]: allPermissions };
    for (const teams of [elsewhere, { [team]: [] }]) {
      const before = await changes();
      const token = sessionToken(teams);
      const answer = await ask(token, { team, key, webhook });
      expect(answer.code).toMatch(/^(?:FORBIDDEN|KEY_NOT_FOUND|WEBHOOK_NOT_FOUND)$/);
      // Exactly what is answered where there is no such team and no such key.
      expect(answer).toEqual(await ask(token, { team: randomUUID(), key: randomUUID(), webhook: randomUUID() }));
      expect(await changes()).toBe(before);
    }
  });
});
