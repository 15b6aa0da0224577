import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { VerdictCode } from '../../src/domain/verdict/verdict-code.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { theProvider } from '../support/databases.ts';
import { startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, graphql, rest, sessionToken } from '../support/service.ts';

const query = `query ($teamId: UUID!, $from: DateTime!, $to: DateTime!) {
  teamUsage(teamId: $teamId, from: $from, to: $to) { hour code count }
}`;

const gateway = inTests(() => startGateway(theProvider));

const ask = async (from: Date | string, to: Date | string, teamId = gateway.teamId) =>
  (await graphql(gateway.running.url, sessionToken({ [teamId]: ['view_team'] }), query, { teamId, from, to })).body;

it('verifications of all keys of a team add up', async () => {
  const [first, second] = [await gateway.issue(), await gateway.issue()];
  const verify = (key: string, env: string) => rest(gateway.url, null, 'POST', '/v1/verify', { key, env });
  for (const { secret } of [first, first, second]) await verify(secret, 'live');
  for (const { secret } of [first, second]) await verify(secret, 'test');
  const [from, to] = [new Date(Date.now() - 7_200_000), new Date(Date.now() + 7_200_000)];
  const total = async (code: string) => {
    const hours: { code: string; count: number }[] = (await ask(from, to)).data.teamUsage;
    return hours.filter((hour) => hour.code === code).reduce((sum, { count }) => sum + count, 0);
  };
  await expect.poll(() => total('WRONG_ENVIRONMENT')).toBe(2);
  expect(await total('VALID')).toBe(3);
  for (const { hour } of (await ask(from, to)).data.teamUsage) expect(hour).toMatch(/T\d\d:00:00\.000Z$/);
  expect((await ask(from, to, randomUUID())).data.teamUsage).toEqual([]);
});

it('the keys that were rejected are listed with their verdicts, most often rejected first, and no other', async () => {
  const teamId = randomUUID();
  const { management } = gateway.running.service;
  const hour = new Date('2026-01-01T05:00:00.000Z');
  const keyWith = async (name: string, counts: Readonly<Partial<Record<VerdictCode, number>>>, at = hour) => {
    const input = { teamId, name, env: 'live' } as const;
    const { apiKey } = await createKey(management, callerOf({ [teamId]: both }), input);
    const verdicts = Object.entries(counts).map(([code, count]) => ({ code: code as VerdictCode, count }));
    const record = { keyId: apiKey.id, teamId, version: 1, hour: at, lastUsedAt: null, counts: verdicts };
    await management.store.usage.add([record]);
    await management.store.usage.add([record]);
  };
  await keyWith('Fine', { VALID: 9 });
  await keyWith('Sometimes', { VALID: 9, EXPIRED: 1, SOURCE_NOT_ALLOWED: 2 });
  await keyWith('Often', { EXPIRED: 5 });
  await keyWith('Before', { EXPIRED: 50 }, new Date('2025-12-31T23:00:00.000Z'));
  const rejected = `query ($teamId: UUID!, $from: DateTime!, $to: DateTime!) {
      rejectedKeys(teamId: $teamId, from: $from, to: $to) { apiKey { name } count counts { code count } }
    }`;
  const period = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
  const read = async (team: string) =>
    (
      await graphql(gateway.running.url, sessionToken({ [team]: ['view_team'] }), rejected, {
        teamId: team,
        ...period,
      })
    ).body.data.rejectedKeys;
  expect(await read(teamId)).toEqual([
    { apiKey: { name: 'Often' }, count: 10, counts: [{ code: 'EXPIRED', count: 10 }] },
    {
      apiKey: { name: 'Sometimes' },
      count: 6,
      counts: expect.arrayContaining([
        { code: 'EXPIRED', count: 2 },
        { code: 'SOURCE_NOT_ALLOWED', count: 4 },
      ]),
    },
  ]);
  expect(await read(randomUUID())).toEqual([]);
  await management.store.purge.usageHours(new Date('2026-01-02T00:00:00Z'));
  expect(await read(teamId)).toEqual([]);
});

it('a count above the largest Int is returned as the largest Int, and not as an error', async () => {
  const teamId = randomUUID();
  const { management } = gateway.running.service;
  const hour = new Date('2026-01-01T00:00:00.000Z');
  for (let i = 0; i < 2; i += 1) {
    const input = { teamId, name: 'A key', env: 'live' } as const;
    const { apiKey } = await createKey(management, callerOf({ [teamId]: both }), input);
    const counts = [{ code: 'VALID' as const, count: 1_500_000_000 }];
    await management.store.usage.add([{ keyId: apiKey.id, teamId, version: 1, hour, lastUsedAt: null, counts }]);
  }
  expect(await ask(hour, '2026-01-02T00:00:00Z', teamId)).toEqual({
    data: { teamUsage: [{ hour: hour.toISOString(), code: 'VALID', count: 2_147_483_647 }] },
  });
});

it.each([
  ['2026-01-01T00:00:00Z', '2026-02-02T00:00:00Z', 'to', 'must be at most 31 days after from'],
  ['2026-01-01T00:00:00Z', '2025-12-31T00:00:00Z', 'to', 'must not be before from'],
  ['0000-01-01T00:00:00Z', '0000-01-02T00:00:00Z', 'from', 'must be in the years 1 to 9999'],
  ['9999-12-31T00:00:00Z', '9999-12-31T23:59:59-01:00', 'to', 'must be in the years 1 to 9999'],
])('from %s to %s is rejected, naming %s', async (from, to, field, message) => {
  const [error] = (await ask(from, to)).errors;
  expect(error.extensions.code).toBe('BAD_USER_INPUT');
  expect(error.extensions.errors).toContainEqual({ field, message });
});
