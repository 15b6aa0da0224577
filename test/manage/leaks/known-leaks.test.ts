/** The leaks that a key, a list and the overview show: those of secrets that are accepted, or could be again. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { LeakMatch } from '../../../src/domain/leak.ts';
import { createKey } from '../../../src/manage/change/create-key.ts';
import { disableKey, revokeKey } from '../../../src/manage/change/key-state.ts';
import { endOverlap, rotateKey } from '../../../src/manage/change/rotate-key.ts';
import { leakReports } from '../../../src/manage/leaks/report-leaks.ts';
import { theProvider } from '../../support/databases.ts';
import { inTests } from '../../support/in-tests.ts';
import { both, callerOf, graphql, sessionToken, startService } from '../../support/service.ts';
import { runSql } from '../../support/sql.ts';

const running = inTests(() => startService(theProvider));
const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);

let teamId: string;
beforeEach(() => {
  teamId = randomUUID();
});

const management = () => running.service.management;
const caller = (minutes = 0) => callerOf({ [teamId]: both }, at(minutes));
const issue = async (minutes = -60) => {
  const input = { teamId, name: 'A key', env: 'live' } as const;
  const { apiKey, secret } = await createKey(management(), caller(minutes), input);
  return { id: apiKey.id, secret, prefix: apiKey.prefix };
};
const rotate = async (id: string, overlapSeconds = 0, minutes = 0) =>
  (await rotateKey(management(), caller(minutes), id, { overlapSeconds })).secret;

async function report(tokens: readonly string[], more: Partial<LeakMatch> = {}, minutes = 0): Promise<void> {
  const call = { reporter: 'github', source: '192.0.2.7', requestId: randomUUID(), now: at(minutes) } as const;
  const place = { type: 'latchkey', url: 'https://example.com/.env', source: 'commit', ...more };
  await leakReports(management())(
    tokens.map((token) => ({ token, ...place })),
    call,
  );
}

/** Returns the leak of a key, after comparing it with the list and the overview, which must agree. */
async function leakOf(id: string, permissions = both) {
  const document = `query ($id: UUID!, $teamId: UUID!) {
    key(id: $id) { leak { secret prefix reportedAt reporter source url places } }
    leaked: keys(teamId: $teamId, filter: { leaked: true }) { totalCount nodes { id leak { places } } }
    others: keys(teamId: $teamId, filter: { leaked: false }) { nodes { id leak { places } } }
    keysOverview(teamId: $teamId) { leaked }
  }`;
  const token = sessionToken({ [teamId]: permissions });
  const { data } = (await graphql(running.url, token, document, { id, teamId })).body;
  const { leak } = data.key;
  const [inLeaked, inOthers] = [data.leaked.nodes, data.others.nodes].map((nodes) =>
    nodes.filter((node: { id: string }) => node.id === id).map((node: { leak: unknown }) => node.leak !== null),
  );
  expect(inLeaked).toEqual(leak === null ? [] : [true]);
  if (inOthers.length > 0) expect(inOthers).toEqual([leak !== null]);
  expect([data.leaked.totalCount, data.keysOverview.leaked]).toEqual(Array(2).fill(data.leaked.nodes.length));
  return leak;
}

it('says which secret leaked, where it was found first, who reported it when, and in how many places', async () => {
  const { id, secret, prefix } = await issue();
  expect(await leakOf(id)).toBe(null);
  await report([secret], {}, -30);
  await report([secret], { url: 'https://example.com/another' }, -20);
  const reportedAt = expect.stringMatching(/Z$/);
  const first = { reporter: 'github', source: 'commit', url: 'https://example.com/.env' };
  expect(await leakOf(id)).toEqual({ secret: 'CURRENT', prefix, reportedAt, ...first, places: 2 });
});

it('says null for a place that the reporter does not name', async () => {
  const { id, secret } = await issue();
  await report([secret], { url: '', source: '' });
  expect(await leakOf(id)).toMatchObject({ reporter: 'github', source: null, url: null, places: 1 });
});

describe('a leak counts as long as its secret could be accepted:', () => {
  it('not after a rotation without an overlap', async () => {
    const { id, secret } = await issue();
    await report([secret]);
    await rotate(id);
    expect(await leakOf(id)).toBe(null);
    // Reported again, at another place.
    await report([secret], { url: 'https://example.com/later' });
    expect(await leakOf(id)).toBe(null);
  });

  it('as that of the previous secret until the overlap ends', async () => {
    const [ended, passed] = [await issue(), await issue()];
    for (const { id, secret, prefix } of [ended, passed]) {
      await report([secret], {}, -50);
      await rotate(id, 3000, -40);
      expect(await leakOf(id)).toMatchObject({ secret: 'PREVIOUS', prefix });
    }
    await endOverlap(management(), caller(), ended.id);
    expect(await leakOf(ended.id)).toBe(null);
    expect(await leakOf(passed.id)).not.toBe(null);
    const leaks = await management().store.exposures.leaks(at(20), [passed.id]);
    expect(leaks.size).toBe(0);
  });

  it('as that of the current secret before that of the previous one', async () => {
    const { id, secret } = await issue();
    await report([secret], {}, -30);
    const next = await rotate(id, 3600, -20);
    await report([next], { url: 'https://example.com/next' });
    expect(await leakOf(id)).toMatchObject({ secret: 'CURRENT', url: 'https://example.com/next', places: 1 });
  });

  it('also for a disabled key, which can be enabled, and an expired one, which can be renewed', async () => {
    const { id, secret } = await issue();
    await report([secret]);
    await disableKey(management(), caller(), id);
    expect(await leakOf(id)).toMatchObject({ secret: 'CURRENT' });
    const input = { teamId, name: 'Old', env: 'live', expiresAt: at(-1) } as const;
    const expired = await createKey(management(), caller(-60), input);
    await report([expired.secret]);
    expect(await leakOf(expired.apiKey.id)).toMatchObject({ secret: 'CURRENT' });
  });

  it('not for a revoked key', async () => {
    const { id, secret } = await issue();
    await report([secret]);
    await revokeKey(management(), caller(), id);
    expect(await leakOf(id)).toBe(null);
  });
});

describe('a leak that an earlier version of Latchkey recorded', () => {
  const forget = (keyId: string) =>
    runSql(
      running.database.url,
      `UPDATE "Exposure" SET "version" = NULL, "source" = NULL, "url" = NULL, "reporter" = NULL WHERE "keyId" = '${keyId}'`,
    );

  it('is one of the secret that was current then, without a place', async () => {
    const { id, secret, prefix } = await issue();
    await report([secret], {}, -50);
    await forget(id);
    const unknown = { reporter: null, source: null, url: null };
    expect(await leakOf(id)).toMatchObject({ secret: 'CURRENT', prefix, ...unknown, places: 1 });
    await rotate(id, 3600, -40);
    expect(await leakOf(id)).toMatchObject({ secret: 'PREVIOUS', prefix, ...unknown });
    await rotate(id, 3600, -30);
    expect(await leakOf(id)).toBe(null);
  });

  it('is one of the current secret if it was recorded after the rotation', async () => {
    const { id } = await issue();
    const next = await rotate(id, 3600, -40);
    await report([next], {}, -30);
    await forget(id);
    expect(await leakOf(id)).toMatchObject({ secret: 'CURRENT', places: 1 });
  });

  it('is added to those that this version records', async () => {
    const { id, secret } = await issue();
    await report([secret], {}, -50);
    await forget(id);
    await report([secret], { url: 'https://example.com/new' });
    expect(await leakOf(id)).toMatchObject({ reporter: null, places: 2 });
  });
});

it('a hundred places of an earlier secret leave room for a leak of the current one', async () => {
  const { id, secret } = await issue();
  const next = await rotate(id);
  for (let i = 0; i < 100; i += 1) await report([secret], { url: `https://example.com/${i}` });
  await report([next]);
  expect(await leakOf(id)).toMatchObject({ secret: 'CURRENT', places: 1 });
});

it('only callers with view_team see a leak', async () => {
  const { id, secret } = await issue();
  await report([secret]);
  const document = 'mutation ($id: UUID!) { disableKey(id: $id) { apiKey { id leak { url } } } }';
  const disable = async (permissions: typeof both) =>
    (await graphql(running.url, sessionToken({ [teamId]: permissions }), document, { id })).body.data.disableKey.apiKey;
  expect(await disable(['manage_keys'])).toEqual({ id, leak: null });
  expect(await disable(both)).toEqual({ id, leak: { url: 'https://example.com/.env' } });
});

it('the leaks of a page of keys are one query', async () => {
  const keys = await Promise.all(Array.from({ length: 20 }, () => issue()));
  await report(keys.map(({ secret }) => secret));
  const leaks = vi.spyOn(management().store.exposures, 'leaks');
  const document = 'query ($teamId: UUID!) { keys(teamId: $teamId, first: 50) { nodes { leak { places } } } }';
  const { data } = (await graphql(running.url, sessionToken({ [teamId]: both }), document, { teamId })).body;
  expect(data.keys.nodes).toEqual(keys.map(() => ({ leak: { places: 1 } })));
  expect(leaks).toHaveBeenCalledTimes(1);
  leaks.mockRestore();
});
