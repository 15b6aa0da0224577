// SECURITY.md: A management key
/** What happens to management keys that are reported as leaked. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { LeakMatch, LeakPolicy } from '../../../src/domain/leak.ts';
import { createManagementKey } from '../../../src/manage/access/create-management-key.ts';
import { rotateManagementKey } from '../../../src/manage/access/rotate-management-key.ts';
import { setLeakPolicy } from '../../../src/manage/leaks/leak-policy.ts';
import { leakReports } from '../../../src/manage/leaks/report-leaks.ts';
import { theProvider } from '../../support/databases.ts';
import { inTests } from '../../support/in-tests.ts';
import { callerOf, rest, startService } from '../../support/service.ts';

const running = inTests(() => startService(theProvider));

async function leaked(policy: LeakPolicy) {
  const { management } = running.service;
  const teamId = randomUUID();
  const caller = callerOf({ [teamId]: ['view_team', 'manage_keys', 'manage_access'] });
  await setLeakPolicy(management, caller, teamId, policy);
  const fields = { teamId, name: 'Billing', permissions: ['view_team'], expiresAt: new Date(Date.now() + 86_400_000) };
  const { managementKey, secret } = await createManagementKey(management, caller, fields);
  const report = leakReports(management);
  const match: LeakMatch = { token: `KEY=${secret}`, type: 'latchkey', url: 'https://example.com/', source: 'commit' };
  const call = () => ({ reporter: 'github', source: null, requestId: randomUUID(), now: new Date() }) as const;
  return {
    management,
    caller,
    secret,
    id: managementKey.id,
    report: async (...matches: LeakMatch[]) => await report([match, ...matches], call()),
    match,
    status: async (as = secret) => (await rest(running.url, as, 'GET', `/v1/keys?teamId=${teamId}`)).status,
    actions: async () => {
      const entries = await management.store.auditLog.list({ teamId, keyId: managementKey.id, limit: 9 });
      return entries.map(({ action, details }) => [action, details?.leak === undefined ? null : details.leak]);
    },
  };
}

const place = { source: 'commit', url: 'https://example.com/' };

it.each(['DISABLE', 'REVOKE'] as const)('it is revoked if the policy of the team is %s, once', async (policy) => {
  const key = await leaked(policy);
  expect(await key.status()).toBe(200);
  expect(await key.report()).toEqual([true]);
  expect(await key.status()).toBe(401);
  const expected = [
    ['ACCESS_KEY_REVOKED', null],
    ['ACCESS_KEY_EXPOSED', { ...place, action: 'REVOKE' }],
    ['ACCESS_KEY_CREATED', null],
  ];
  expect(await key.actions()).toEqual(expected);
  expect(await key.report()).toEqual([true]);
  expect(await key.actions()).toEqual(expected);
});

it('it is only noted if the policy is NOTIFY', async () => {
  const key = await leaked('NOTIFY');
  expect(await key.report()).toEqual([true]);
  expect([await key.status(), (await key.actions())[0]]).toEqual([
    200,
    ['ACCESS_KEY_EXPOSED', { ...place, action: 'NOTIFY' }],
  ]);
});

it('a secret that was replaced is forgotten, and leaves the key as it is; while the overlap lasts, it is revoked', async () => {
  const replaced = await leaked('REVOKE');
  const { secret } = await rotateManagementKey(replaced.management, replaced.caller, replaced.id, 0);
  expect(await replaced.report()).toEqual([false]);
  expect([await replaced.status(), await replaced.status(secret)]).toEqual([401, 200]);
  const overlapping = await leaked('REVOKE');
  const current = await rotateManagementKey(overlapping.management, overlapping.caller, overlapping.id, 3600);
  expect(await overlapping.report()).toEqual([true]);
  expect([await overlapping.status(), await overlapping.status(current.secret)]).toEqual([401, 401]);
});

it('a text that only looks like one is none', async () => {
  const key = await leaked('REVOKE');
  const last = key.secret.at(-1) === 'a' ? 'b' : 'a';
  const typo = { ...key.match, token: key.secret.slice(0, -1) + last };
  expect(await key.report(typo)).toEqual([true, false]);
});
