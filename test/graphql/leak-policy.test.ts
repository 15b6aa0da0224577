/** What happens to a leaked key, as a team chooses it. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { noSubject } from '../../src/domain/audit-entry.ts';
import { inTests } from '../support/in-tests.ts';
import { both, graphql, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));
const read = 'query ($team: UUID!) { leakPolicy(teamId: $team) }';
const write =
  'mutation ($team: UUID!, $policy: LeakPolicyAction!) { setLeakPolicy(teamId: $team, policy: $policy) { policy } }';
const log = `query ($team: UUID!) { auditLog(teamId: $team) {
  nodes { action keyId keyName actor actorKind changes { field before after } details } } }`;

function asTeam(url = running.url) {
  const team = randomUUID();
  const token = sessionToken({ [team]: both });
  return async (query: string, policy?: string) => (await graphql(url, token, query, { team, policy })).body;
}

it('is NOTIFY until the team chooses another one, for this team alone', async () => {
  const [one, other] = [asTeam(), asTeam()];
  expect((await one(read)).data).toEqual({ leakPolicy: 'NOTIFY' });
  expect((await one(write, 'REVOKE')).data).toEqual({ setLeakPolicy: { policy: 'REVOKE' } });
  expect((await one(read)).data).toEqual({ leakPolicy: 'REVOKE' });
  expect((await other(read)).data).toEqual({ leakPolicy: 'NOTIFY' });
});

it('is in the audit trail each time it changes, and only then', async () => {
  const ask = asTeam();
  for (const policy of ['NOTIFY', 'DISABLE', 'DISABLE', 'NOTIFY']) await ask(write, policy);
  const entry = {
    action: 'LEAK_POLICY_CHANGED',
    keyId: noSubject,
    keyName: null,
    actor: 'tester',
    actorKind: 'SESSION',
  };
  expect((await ask(log)).data.auditLog.nodes).toEqual([
    {
      ...entry,
      changes: [{ field: 'leakPolicy', before: 'DISABLE', after: 'NOTIFY' }],
      details: { policy: 'NOTIFY' },
    },
    {
      ...entry,
      changes: [{ field: 'leakPolicy', before: 'NOTIFY', after: 'DISABLE' }],
      details: { policy: 'DISABLE' },
    },
  ]);
});

it('has as `before` in the audit trail what the change before it has as `after`, also when several are made at once', async () => {
  const ask = asTeam();
  const policies = ['DISABLE', 'REVOKE', 'DISABLE', 'NOTIFY', 'REVOKE', 'DISABLE'];
  await Promise.all(policies.map((policy) => ask(write, policy)));
  const entries: { changes: { before: string; after: string }[] }[] = (await ask(log)).data.auditLog.nodes;
  const steps = entries.toReversed().flatMap(({ changes }) => changes);
  expect(steps.length).toBeGreaterThan(1);
  expect(steps.map(({ before }) => before)).toEqual(['NOTIFY', ...steps.slice(0, -1).map(({ after }) => after)]);
});

it('cannot fill the audit trail beyond the budget of the team', async () => {
  const limited = await startService('sqlite', { TEAM_CHANGES_PER_HOUR: '3' });
  onTestFinished(limited.stop);
  const ask = asTeam(limited.url);
  for (const policy of ['REVOKE', 'NOTIFY', 'REVOKE']) expect((await ask(write, policy)).errors).toBeUndefined();
  expect((await ask(write, 'NOTIFY')).errors[0].extensions.code).toBe('RATE_LIMITED');
});
