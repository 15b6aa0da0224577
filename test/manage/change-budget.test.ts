// SECURITY.md: Hostile tenant
/** How much the changes of one team may let the database grow in an hour. */
import { createHash, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { type Answer, both, graphql, rest, sessionToken, startService } from '../support/service.ts';

const changesPerHour = 100;
const importKeys = `mutation ($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {
  importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) { results { outcome } }
}`;
const revokeKeys = `mutation ($teamId: UUID!, $dryRun: Boolean!, $selection: String) {
  revokeKeys(teamId: $teamId, filter: {}, dryRun: $dryRun, selection: $selection) { count selection }
}`;
/** As many updates as one document may have, from one variable near the body limit. */
const updates = `mutation ($id: UUID!, $long: [String!]!) {
  ${Array.from({ length: 6 }, (_, i) => `u${i}: updateKey(id: $id, input: { allowedIps: ${i % 2 === 0 ? '$long' : '[]'} }) { apiKey { id } }`).join('\n')}
}`;
const longList = Array.from({ length: 100 }, (_, i) => `10.0.0.${i} # ${'x'.repeat(240)}`);
const keysToImport = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    digest: createHash('sha256').update(randomUUID()).digest('hex'),
    name: `Imported ${i}`,
    env: 'live',
  }));

const running = inTests(() => startService(theProvider, { TEAM_CHANGES_PER_HOUR: String(changesPerHour) }));

const teamWithToken = () => {
  const teamId = randomUUID();
  return { teamId, token: sessionToken({ [teamId]: [...both, 'import_keys'] }) };
};
const create = (teamId: string, token: string) =>
  rest(running.url, token, 'POST', '/v1/keys', { teamId, name: 'A key', env: 'live' });
const entries = async (teamId: string) => {
  const list = await running.service.management.store.auditLog.list({ teamId, limit: 1000 });
  return list.map(({ changes }) => JSON.stringify(changes).length);
};
/** Creates and revokes keys until the team's budget is used up. */
async function useUp(teamId: string, token: string): Promise<{ created: number; rejected: Answer }> {
  for (let created = 0; ; created += 1) {
    const answer = await create(teamId, token);
    if (answer.status !== 201) return { created, rejected: answer };
    expect((await rest(running.url, token, 'DELETE', `/v1/keys/${answer.body.id}`)).status).toBe(200);
  }
}

function expectRateLimited(answer: Answer): void {
  expect(answer.status).toBe(429);
  expect(answer.body.code).toBe('RATE_LIMITED');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3000);
  expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(3600);
}

it('keys that are created and revoked in a loop are limited by the budget of the team, and no other team is', async () => {
  const [one, other] = [teamWithToken(), teamWithToken()];
  const { created, rejected } = await useUp(one.teamId, one.token);
  expect(created).toBe(changesPerHour);
  expectRateLimited(rejected);
  expect((await create(other.teamId, other.token)).status).toBe(201);
});

it('large updates use up the budget by their size, so that they cannot grow the database without limit', async () => {
  const { teamId, token } = teamWithToken();
  const { id } = (await create(teamId, token)).body;
  let answer: Answer;
  let documents = 0;
  do {
    answer = await graphql(running.url, token, updates, { id, long: longList });
    documents += 1;
  } while (answer.body.errors === undefined && documents < 100);
  expect(answer.body.errors[0].extensions).toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterSeconds: expect.any(Number),
  });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3000);
  expectRateLimited(await rest(running.url, token, 'PATCH', `/v1/keys/${id}`, { name: 'Another' }));
  const stored = (await entries(teamId)).reduce((sum, length) => sum + length, 0);
  // 2 kB for each count, and the change that exceeded the budget.
  expect(stored).toBeLessThan(changesPerHour * 2048 + JSON.stringify(longList).length);
});

it('with its budget used up, a team can still revoke keys and disable signing, over each transport', async () => {
  const { teamId, token } = teamWithToken();
  const keys = await Promise.all(Array.from({ length: 5 }, () => create(teamId, token)));
  const [first, second, third] = keys.map(({ body }) => body);
  const signing = (action: string) => rest(running.url, token, 'POST', `/v1/keys/${first.id}/signing/${action}`);
  expect((await signing('enable')).status).toBe(200);
  await useUp(teamId, token);
  expectRateLimited(await signing('rotate'));
  expect((await signing('disable')).status).toBe(200);
  expectRateLimited(await signing('enable'));

  expect((await rest(running.url, token, 'DELETE', `/v1/keys/${first.id}`)).status).toBe(200);
  const revoke = 'mutation ($id: UUID!) { revokeKey(id: $id) { apiKey { state } } }';
  const revoked = await graphql(running.url, token, revoke, { id: second.id });
  expect(revoked.body.data.revokeKey.apiKey.state).toBe('REVOKED');
  const dryRun = (await graphql(running.url, token, revokeKeys, { teamId, dryRun: true })).body.data.revokeKeys;
  const { selection } = dryRun;
  const rest3 = await graphql(running.url, token, revokeKeys, { teamId, dryRun: false, selection });
  expect(rest3.body.data.revokeKeys.count).toBe(3);
  expect((await running.service.management.store.keys.find(third.id))?.revokedAt).not.toBeNull();
});

it('imports count for each key that they add; dry runs, repetitions and rejected changes do not', async () => {
  const { teamId, token } = teamWithToken();
  const call = async (keys: unknown, dryRun = false) =>
    await graphql(running.url, token, importKeys, { teamId, keys, dryRun });
  const keys = keysToImport(changesPerHour - 1);
  for (const dryRun of [true, true, false, false, false]) {
    expect((await call(keys, dryRun)).body.errors).toBeUndefined();
  }
  expect((await call(keysToImport(1))).body.data.importKeys.results).toEqual([{ outcome: 'IMPORTED' }]);
  const rejected = await call(keysToImport(1));
  expect(rejected.body.errors[0].extensions.code).toBe('RATE_LIMITED');
  expect((await call(keysToImport(1), true)).body.data.importKeys.results).toEqual([{ outcome: 'IMPORTED' }]);
  expect(await entries(teamId)).toHaveLength(changesPerHour);
});
