// SECURITY.md: A management key
/** Calls of a program at two instances, while its management key is revoked at one of them. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { Permission } from '../../src/domain/key/permission.ts';
import { authenticateManagementKey } from '../../src/manage/access/authenticate-management-key.ts';
import { createManagementKey } from '../../src/manage/access/create-management-key.ts';
import { revokeManagementKey } from '../../src/manage/access/revoke-management-key.ts';
import { createTrustRule, deleteTrustRule } from '../../src/manage/access/trust-rules.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import type { Management } from '../../src/manage/management.ts';
import { importMembers } from '../../src/manage/members/import-members.ts';
import { removeMember } from '../../src/manage/members/remove-member.ts';
import { createWebhook } from '../../src/manage/webhooks/create-webhook.ts';
import { updateWebhook } from '../../src/manage/webhooks/update-webhook.ts';
import { notAttempted, recordDeliveries } from '../../src/store/rows/deliveries.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, secondInstance, startService } from '../support/service.ts';
import { unlimitedCalls } from '../support/unlimited-calls.ts';

const running = inTests(() => startService(theProvider));
const administrator: readonly Permission[] = [...both, 'manage_access'];
const calls = 24;

it('a revocation does not wait for all the changes of its team that a thief has waiting', async () => {
  const { management } = running.service;
  const team = randomUUID();
  const ada = callerOf({ [team]: administrator });
  const expiresAt = new Date(Date.now() + 86_400_000);
  const input = { teamId: team, name: 'Shop', permissions: both, expiresAt };
  const { managementKey } = await createManagementKey(management, ada, input);
  const { trustedIssuers } = management;
  const claims = { repository_id: '1' };
  const allowed = { ...management, trustedIssuers: [...trustedIssuers, 'https://ci.example'] };
  const ruleInput = {
    teamId: team,
    name: 'CI',
    issuer: 'https://ci.example',
    audience: 'a',
    claims,
    permissions: both,
  };
  const rule = await createTrustRule(allowed, ada, ruleInput);
  let removed = 0;
  const removals = Array.from({ length: 100 }, async (_, i) => {
    // On a busy machine, the last ones wait too long for the store.
    if (await removeMember(management, ada, team, `person ${i}`).catch(() => null)) removed += 1;
  });
  // Counted from when each waits, because what it reads before waits for the pool of connections.
  const { changes } = management.store;
  const passed = async (revoke: (counting: Management) => Promise<unknown>) => {
    let before = removed;
    const submit = (change: Parameters<typeof changes.submit>[0]) => {
      before = removed;
      return changes.submit(change);
    };
    await revoke({ ...management, store: Object.assign(Object.create(management.store), { changes: { submit } }) });
    return removed - before;
  };
  const waited = await Promise.all([
    passed((counting) => revokeManagementKey(counting, ada, managementKey.id)),
    passed((counting) => deleteTrustRule(counting, ada, rule.id)),
  ]);
  expect(Math.max(...waited)).toBeLessThan(removals.length / 4);
  await Promise.all(removals);
});

/** Calls that start at once, of which one is the revocation: in its place among the others. */
it.each([0, 1, 6, 12, 18, 23])(
  'no change of a program is committed after its revocation: call %i of 24',
  async (place) => {
    const { management } = running.service;
    const other = await secondInstance(running);
    onTestFinished(() => other.close());
    const team = randomUUID();
    const ada = callerOf({ [team]: administrator });
    const expiresAt = new Date(Date.now() + 86_400_000);
    const input = { teamId: team, name: 'Shop', permissions: both, expiresAt };
    const { managementKey, secret } = await createManagementKey(management, ada, input);
    const request = { method: 'POST', url: '/v1/keys', headers: {} };
    const presented = { secret, source: null, requestId: 'r', now: new Date(), request, calls: unlimitedCalls };
    const { caller } = await authenticateManagementKey(management, presented);
    const outcomes = await Promise.allSettled(
      Array.from({ length: calls }, async (_, i) => {
        if (i === place) return void (await revokeManagementKey(management, ada, managementKey.id));
        const { management: at } = i % 2 === 0 ? running.service : other;
        await createKey(at, caller, { teamId: team, name: `Key ${i}`, env: 'live' });
      }),
    );
    expect(outcomes[place]?.status).toBe('fulfilled');
    const log = await management.store.auditLog.list({ teamId: team, oldestFirst: true, limit: 100 });
    const actions = log.map(({ action }) => action);
    expect(actions.at(-1)).toBe('ACCESS_KEY_REVOKED');
    const answered = outcomes.filter(({ status }) => status === 'fulfilled').length - 1;
    expect(actions.filter((action) => action === 'KEY_CREATED')).toHaveLength(answered);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'UNAUTHENTICATED' });
    }
  },
);

it('no import of members by a program is committed after its revocation', async () => {
  const { management } = running.service;
  const team = randomUUID();
  const ada = callerOf({ [team]: administrator });
  const expiresAt = new Date(Date.now() + 86_400_000);
  const input = { teamId: team, name: 'Directory', permissions: both, expiresAt };
  const { managementKey, secret } = await createManagementKey(management, ada, input);
  const request = { method: 'POST', url: '/graphql', headers: {} };
  const presented = { secret, source: null, requestId: 'r', now: new Date(), request, calls: unlimitedCalls };
  const { caller } = await authenticateManagementKey(management, presented);
  expect(await importMembers(management, caller, { teamId: team, subjects: ['ada', 'bob'] })).toMatchObject({
    added: 2,
  });
  await revokeManagementKey(management, ada, managementKey.id);
  const late = importMembers(management, caller, { teamId: team, subjects: ['ada', 'bob', 'mallory'] });
  await expect(late).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(await management.store.teamMembers.count(team)).toBe(2);
});

it('no delivery is made due by a program after its revocation', async () => {
  const { management } = running.service;
  const team = randomUUID();
  const ada = callerOf({ [team]: [...administrator, 'manage_webhooks'] });
  const expiresAt = new Date(Date.now() + 86_400_000);
  const input = { teamId: team, name: 'Receiver', permissions: ['manage_webhooks'], expiresAt };
  const { managementKey, secret } = await createManagementKey(management, ada, input);
  const request = { method: 'POST', url: '/graphql', headers: {} };
  const presented = { secret, source: null, requestId: 'r', now: new Date(), request, calls: unlimitedCalls };
  const { caller } = await authenticateManagementKey(management, presented);
  const url = 'https://hooks.example.com/';
  const { webhook } = await createWebhook(management, ada, { teamId: team, url, types: [], form: 'STANDARD' });
  await updateWebhook(management, ada, webhook.id, { enabled: false });
  const waiting = { ...notAttempted(ada.now), attempts: 3, nextAttemptAt: expiresAt };
  const delivery = {
    ...waiting,
    webhookId: webhook.id,
    revision: 1n,
    type: 'key.created' as const,
    keyId: randomUUID(),
  };
  const { changes, deliveries } = management.store;
  await changes.housekeep((_, bulk) => recordDeliveries(bulk, [delivery]));
  await revokeManagementKey(management, ada, managementKey.id);
  const late = updateWebhook(management, caller, webhook.id, { enabled: true });
  await expect(late).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(await deliveries.list({ webhookId: webhook.id, limit: 2 })).toMatchObject([{ attempts: 3 }]);
});
