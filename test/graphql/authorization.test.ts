// SECURITY.md: Who may do what
/** Who may do what: every operation of the schema, with every token that lacks what the schema says that it needs. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { permissions as allPermissions, type Permission } from '../../src/domain/key/permission.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { createWebhook } from '../../src/manage/webhooks/create-webhook.ts';
import { inTests } from '../support/in-tests.ts';
import { operationCalls, operations, type Target } from '../support/operations.ts';
import { callerOf, graphql, sessionToken, startService } from '../support/service.ts';

const described = operations.map((operation) => ({
  ...operation,
  needs: allPermissions.filter((permission) => neededIn(operation.description).includes(`\`${permission}\``)),
}));

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
  expect(operations.map(({ name }) => name).toSorted()).toEqual(Object.keys(operationCalls).toSorted());
});

describe.each(described)('$name', ({ document, needs }) => {
  const ask = async (token: string | null, target: Target) => {
    const { body } = await graphql(running.url, token, document(target));
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
