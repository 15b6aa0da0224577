// SECURITY.md: Who may do what; A management key
/** Who may do what: every operation of the schema, with every token that lacks what the schema says that it needs. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type GrantablePermission, grantablePermissions } from '../../src/domain/access/management-key.ts';
import { permissions as allPermissions, type Permission } from '../../src/domain/key/permission.ts';
import { createManagementKey } from '../../src/manage/access/create-management-key.ts';
import { createTrustRule } from '../../src/manage/access/trust-rules.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { freezeKeys } from '../../src/manage/fences/freeze-keys.ts';
import { createWebhook } from '../../src/manage/webhooks/create-webhook.ts';
import { inTests } from '../support/in-tests.ts';
import { operationCalls, operations, type Target, trustedIssuer } from '../support/operations.ts';
import { callerOf, graphql, sessionToken, startService } from '../support/service.ts';

const described = operations.map((operation) => ({
  ...operation,
  needs: allPermissions.filter((permission) => neededIn(operation.description).includes(`\`${permission}\``)),
  isForPeople: neededIn(operation.description).includes('and a session'),
}));

/** As a description says it: "Needs `view_team` on the key's team." */
function neededIn(description: string): string {
  const sentence = /Needs [^.]*\./.exec(description)?.[0];
  if (sentence === undefined) throw new Error(`it does not say what is needed: ${description}`);
  return sentence;
}

const running = inTests(() => startService('sqlite', { TRUSTED_ISSUERS: trustedIssuer }));
const team = randomUUID();
let target: Target;
/** The secret of a program with all that one can get, and of those that lack one permission. */
let programs: Readonly<Record<GrantablePermission | 'all', string>>;

async function newTarget(teamId: string): Promise<Target> {
  const caller = callerOf({ [teamId]: allPermissions });
  const { management } = running.service;
  const key = { teamId, name: 'A key', env: 'live', externalId: 'customer-1' } as const;
  const claims = { repository_id: '74231' };
  const rule = { teamId, name: 'A rule', issuer: trustedIssuer, audience: 'latchkey', claims };
  const { fence, revision } = await freezeKeys(management, caller, { teamId, reason: 'A test', externalId: 'nobody' });
  return {
    fence: fence?.id ?? '',
    revision: revision ?? '',
    team: teamId,
    key: (await createKey(management, caller, key)).apiKey.id,
    webhook: (await createWebhook(management, caller, { teamId, url: 'https://example.com/' })).webhook.id,
    managementKey: (await programWith(teamId, ['view_team'])).managementKey.id,
    trustRule: (await createTrustRule(management, caller, { ...rule, permissions: ['view_team'] })).id,
  };
}

async function programWith(teamId: string, permissions: readonly GrantablePermission[]) {
  const input = { teamId, name: 'A program', permissions, expiresAt: new Date(Date.now() + 86_400_000) };
  return await createManagementKey(running.service.management, callerOf({ [teamId]: allPermissions }), input);
}

beforeAll(async () => {
  target = await newTarget(team);
  const without = async (missing?: GrantablePermission) =>
    (
      await programWith(
        team,
        grantablePermissions.filter((one) => one !== missing),
      )
    ).secret;
  programs = {
    all: await without(),
    view_team: await without('view_team'),
    manage_keys: await without('manage_keys'),
    manage_webhooks: await without('manage_webhooks'),
  };
});

const elsewhereTarget = (): Target => ({
  ...{ team: randomUUID(), key: randomUUID(), webhook: randomUUID() },
  ...{ managementKey: randomUUID(), trustRule: randomUUID(), fence: randomUUID() },
  revision: 'a'.repeat(22),
});

it('every operation is tried', () => {
  expect(operations.map(({ name }) => name).toSorted()).toEqual(Object.keys(operationCalls).toSorted());
});

describe.each(described)('$name', ({ document, needs, isForPeople }) => {
  const ask = async (token: string | null, of: Target) => {
    const { body } = await graphql(running.url, token, document(of));
    const { requestId: _, ...extensions } = body.errors?.[0].extensions ?? {};
    return { ...body.errors?.[0], extensions, code: extensions.code };
  };
  const newest = async () =>
    (await running.service.management.store.auditLog.list({ teamId: team, limit: 1 })).at(0)?.revision;

  it('is done for no one without a session token', async () => {
    expect((await ask(null, target)).code).toBe('UNAUTHENTICATED');
  });

  it('is done only with all the permissions that it needs, and no other permission stands in for one', async () => {
    const before = await newest();
    for (const missing of needs) {
      const others = allPermissions.filter((permission) => permission !== missing);
      expect((await ask(sessionToken({ [team]: others }), target)).code).toBe('FORBIDDEN');
    }
    expect(await newest()).toBe(before);
  });

  it('reveals nothing about a team and its keys to a caller of another team, not even that they exist', async () => {
    if (needs.length === 0) return;
    const elsewhere: Readonly<Record<string, readonly Permission[]>> = { [randomUUID()]: allPermissions };
    for (const teams of [elsewhere, { [team]: [] }]) {
      const before = await newest();
      const token = sessionToken(teams);
      const answer = await ask(token, target);
      expect(answer.code).toMatch(
        /^(?:FORBIDDEN|KEY_NOT_FOUND|CREDENTIAL_NOT_FOUND|WEBHOOK_NOT_FOUND|FENCE_NOT_FOUND|RECEIPT_NOT_FOUND)$/,
      );
      // Exactly what is answered where there is no such team and no such key.
      expect(answer).toEqual(await ask(token, elsewhereTarget()));
      expect(await newest()).toBe(before);
    }
  });

  it('is done by a program with exactly what it needs, and never if that is for people', async () => {
    const granted = grantablePermissions.filter((permission) => needs.includes(permission));
    if (granted.length === needs.length && !isForPeople) {
      const own = await newTarget(randomUUID());
      const { secret } = await programWith(own.team, granted.length === 0 ? ['view_team'] : granted);
      expect((await ask(secret, own)).code ?? 'DONE').not.toMatch(/^(?:FORBIDDEN|UNAUTHENTICATED|\w*NOT_FOUND)$/);
    }
    const before = await newest();
    if (isForPeople) expect((await ask(programs.all, target)).code).toBe('FORBIDDEN');
    for (const missing of needs) {
      const program = granted.find((permission) => permission === missing) ?? 'all';
      expect((await ask(programs[program], target)).code).toBe('FORBIDDEN');
    }
    expect(await newest()).toBe(before);
  });
});
