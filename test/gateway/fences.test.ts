// SECURITY.md: A key; A management key; Hostile tenant
/** Freezing many keys with one row, at two instances, an edge and a local verifier. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLocalVerifier } from '../../src/client/local-verifier.ts';
import { readEdgeConfiguration } from '../../src/config/edge-configuration.ts';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { limits } from '../../src/domain/limits.ts';
import { createManagementKey } from '../../src/manage/access/create-management-key.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { disableKey } from '../../src/manage/change/key-state.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { type FreezeKeysInput, freezeKeys } from '../../src/manage/fences/freeze-keys.ts';
import { endFences, liftFence, listFences } from '../../src/manage/fences/lift-fence.ts';
import { explainVerification } from '../../src/manage/read/explain-verification.ts';
import { composeEdge } from '../../src/service/compose/compose-edge.ts';
import { theProvider } from '../support/databases.ts';
import { listen, sharedGateway, sharedSecondInstance, stopListening, verifyAt } from '../support/gateway.ts';
import { both, callerOf, rest, sessionToken, startService } from '../support/service.ts';
import { runSql } from '../support/sql.ts';

const gateway = sharedGateway(theProvider);
const other = sharedSecondInstance(gateway);
const reason = 'The build server was broken into';

/** A team of its own, whose keys are presented to every kind of verifier. */
async function aTeam() {
  const { management } = gateway;
  const teamId = randomUUID();
  const caller = (now?: Date) => callerOf({ [teamId]: [...both, 'manage_access'] }, now);
  const edge = await composeEdge(readEdgeConfiguration({}, { upstream: [gateway.url] }), () => undefined);
  const edgeUrl = await listen(edge.gateway);
  const local = createLocalVerifier({ url: other(), timeoutMs: 20_000 });
  onTestFinished(async () => {
    await stopListening(edge.gateway);
    await Promise.all([edge.close(), local.close()]);
  });
  const urls = [gateway.url, other(), edgeUrl];
  return {
    ...{ management, teamId, caller },
    create: async (fields: Partial<Parameters<typeof createKey>[2]> = {}) => {
      const created = await createKey(management, caller(), { teamId, name: 'A key', env: 'live', ...fields });
      return { id: created.apiKey.id, secret: created.secret };
    },
    freeze: (fields: Partial<FreezeKeysInput> = {}, now?: Date) =>
      freezeKeys(management, caller(now), { teamId, reason, ...fields }),
    lift: (id = '') => liftFence(management, caller(), id),
    /** The code that all verifiers answer. */
    code: async (key: string): Promise<string> => {
      const answers = await Promise.all([
        ...urls.map(async (url) => (await verifyAt(url, { key })).body.code),
        local.verify({ key }).then(({ code }) => code),
      ]);
      return [...new Set(answers)].join(' ');
    },
    trail: async () => {
      const entries = await management.store.auditLog.list({ teamId, limit: 50 });
      return entries.map(({ action, actorKind, details }) => [action, actorKind, details?.fence]);
    },
  };
}

describe('once a fence is answered', () => {
  it('no verifier accepts a key that it covers, also a new one; lifted, each is as it was, and others never noticed', async () => {
    const { management, caller, teamId, create, freeze, lift, code, trail } = await aTeam();
    const [covered, another] = [await create({ tags: ['ci', 'eu'] }), await create({ tags: ['eu'] })];
    const disabled = await create({ tags: ['ci'] });
    await disableKey(management, caller(), disabled.id);
    const foreign = await gateway.issue();
    const all = [covered, another, disabled, foreign];
    const codes = async () => {
      const list = [];
      for (const { secret } of all) list.push(await code(secret));
      return list;
    };
    expect(await codes()).toEqual(['VALID', 'VALID', 'DISABLED', 'VALID']);
    const { fence, keys } = await freeze({ tags: ['ci'] });
    expect(keys).toBe(2);
    expect(await codes()).toEqual(['FROZEN', 'VALID', 'FROZEN', 'VALID']);
    const later = await create({ tags: ['ci'] });
    expect(await code(later.secret)).toBe('FROZEN');
    // A change moves a key into it, and out of it.
    await updateKey(management, caller(), another.id, { tags: ['ci'] });
    await updateKey(management, caller(), covered.id, { tags: [] });
    expect(await codes()).toEqual(['VALID', 'FROZEN', 'FROZEN', 'VALID']);
    const explained = await explainVerification(management, caller(), { teamId, secret: another.secret });
    expect(explained).toMatchObject({ code: 'FROZEN' });
    expect(explained.checks.find(({ name }) => name === 'FREEZE')?.explanation).toContain(reason);
    await lift(fence?.id);
    expect(await codes()).toEqual(['VALID', 'VALID', 'DISABLED', 'VALID']);
    expect(await code(later.secret)).toBe('VALID');
    const about = { id: fence?.id, reason };
    expect((await trail()).filter(([action]) => String(action).startsWith('KEYS_'))).toEqual([
      ['KEYS_UNFROZEN', 'SESSION', about],
      ['KEYS_FROZEN', 'SESSION', about],
    ]);
  });

  it('exactly the keys are frozen that a list with the same conditions has', async () => {
    const { create, freeze, lift, code, management, teamId } = await aTeam();
    const people = ['Ünal', 'U\u0308nal', 'team-b'];
    const keys = [];
    for (let i = 0; i < 12; i += 1) {
      keys.push(
        await create({
          env: i % 2 === 0 ? 'live' : 'test',
          tags: [['a', 'é'], ['e\u0301'], []][i % 3] ?? [],
          ...(i % 4 === 3 ? {} : { externalId: `customer ${i % 4}` }),
          responsible: people[i % people.length] ?? '',
        }),
      );
    }
    const conditions: Partial<FreezeKeysInput>[] = [
      { env: 'test' },
      { tags: ['é'] },
      { tags: ['a', 'e\u0301'] },
      { externalId: 'customer 1' },
      { responsible: 'Ünal' },
      { env: 'live', tags: ['a'], responsible: 'U\u0308nal' },
      { createdBefore: new Date(Date.now() - 3_600_000) },
      {},
    ];
    for (const condition of conditions) {
      const { fence, keys: count } = await freeze(condition);
      const { states, ...none } = { states: ['ACTIVE'] as const, env: null, tags: null, externalId: null };
      const listed = await management.store.keys.select({
        ...{ ...none, responsible: null, createdBefore: null, ...condition, teamId, now: new Date() },
        states: [...states],
      } as Parameters<typeof management.store.keys.select>[0]);
      const expected = new Set(listed.keys.map(({ id }) => id));
      expect(count).toBe(expected.size);
      for (const { id, secret } of keys) expect(await code(secret)).toBe(expected.has(id) ? 'FROZEN' : 'VALID');
      await lift(fence?.id);
    }
  });

  it('edges of earlier versions stop too: they are told to forget their rows, and get disabled ones', async () => {
    const { create, freeze, lift } = await aTeam();
    const { secret } = await create();
    const ask = async (cursor: string | null) =>
      (await (
        await fetch(`${gateway.url}/v1/feed`, {
          ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
          body: JSON.stringify({ edge: randomUUID(), cursor, keys: [secret] }),
        })
      ).json()) as ReturnType<typeof JSON.parse>;
    const before = await ask(null);
    expect(before.keys).toMatchObject([{ disabled: false, revoked: false }]);
    const { fence } = await freeze();
    const during = await ask(before.cursor);
    expect(during).toMatchObject({ clear: true, keys: [{ disabled: true, frozen: { until: null, disabled: false } }] });
    await lift(fence?.id);
    expect(await ask(during.cursor)).toMatchObject({ clear: true, keys: [{ disabled: false }] });
  });
});

describe('a fence', () => {
  it('ends by itself, at its time, and the team is told', async () => {
    const { create, freeze, code, caller, management, teamId, trail } = await aTeam();
    const { secret } = await create();
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await freeze({ until: minutesAgo(1) }, minutesAgo(10));
    expect(await code(secret)).toBe('VALID');
    await freeze({ until: new Date(Date.now() + 3_600_000) });
    expect(await code(secret)).toBe('FROZEN');
    await endFences(management.store, new Date());
    await endFences(management.store, new Date());
    expect(await listFences(management, caller(), teamId)).toHaveLength(1);
    expect((await trail()).filter(([action]) => action === 'KEYS_UNFROZEN')).toEqual([
      ['KEYS_UNFROZEN', 'SYSTEM', expect.anything()],
    ]);
    expect(await code(secret)).toBe('FROZEN');
  });

  it('is over for rows that were cached while it was up, at its time and without a change', async () => {
    const { create, freeze, code } = await aTeam();
    const { secret } = await create();
    expect(await code(secret)).toBe('VALID');
    const until = new Date(Date.now() + 4000);
    await freeze({ until }, new Date(Date.now() - 600_000));
    // At its last moment itself, it is still up.
    for (let asked = 0; asked <= until.getTime(); ) {
      asked = Date.now();
      const answer = await code(secret);
      if (Date.now() <= until.getTime()) expect(answer).toBe('FROZEN');
      if (asked > until.getTime()) expect(answer).toBe('VALID');
    }
  });

  it('is answered though its keys can not be counted afterwards', async () => {
    const { create, freeze, code, management } = await aTeam();
    const { secret } = await create();
    const failing = vi.spyOn(management.store.usage, 'callsSince');
    onTestFinished(() => failing.mockRestore());
    failing.mockRejectedValue(new LatchkeyError('UNAVAILABLE', 'The store does not answer.'));
    await expect(freeze({ dryRun: true })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await code(secret)).toBe('VALID');
    expect(await freeze()).toMatchObject({ fence: { id: expect.any(String) }, keys: null, calls: null });
    expect(await code(secret)).toBe('FROZEN');
  });

  it('that was changed by hand in the database counts from the next verification on', async () => {
    const { create, freeze, code, teamId } = await aTeam();
    const { secret } = await create();
    const { url } = gateway.running.database;
    await freeze({ env: 'test' });
    expect(await code(secret)).toBe('VALID');
    await runSql(url, `UPDATE "Fence" SET "env" = NULL WHERE "teamId" = '${teamId}'`);
    expect(await code(secret)).toBe('FROZEN');
    await runSql(url, `DELETE FROM "Fence" WHERE "teamId" = '${teamId}'`);
    expect(await code(secret)).toBe('VALID');
  });

  it('is one of at most 100 of a team, which freeze its keys together', async () => {
    const { create, freeze, lift, code } = await aTeam();
    const { secret } = await create({ tags: ['99'] });
    // One that has ended is none.
    await freeze({ until: new Date(Date.now() - 60_000) }, new Date(Date.now() - 600_000));
    const ids = [];
    for (let i = 0; i < limits.fences; i += 1) ids.push((await freeze({ tags: [`${i}`] })).fence?.id);
    await expect(freeze()).rejects.toMatchObject({ code: 'FENCE_LIMIT_REACHED' });
    expect(await code(secret)).toBe('FROZEN');
    await lift(ids.pop());
    expect(await code(secret)).toBe('VALID');
  });

  it('is only counted in a dry run: the keys, and their calls of the last hour', async () => {
    const { create, freeze, code, caller, management, teamId } = await aTeam();
    const { secret } = await create();
    await create({ env: 'test' });
    for (let i = 0; i < 3; i += 1) await verifyAt(gateway.url, { key: secret });
    const dryRun = () => freeze({ env: 'live', dryRun: true });
    await expect.poll(async () => (await dryRun()).calls, { timeout: 30_000 }).toBe(3);
    expect(await dryRun()).toEqual({ fence: null, revision: null, keys: 1, calls: 3 });
    expect([await code(secret), await listFences(management, caller(), teamId)]).toEqual(['VALID', []]);
  });

  it('that ends by itself lasts for at least five minutes, because each end empties the caches of edges', async () => {
    const { freeze } = await aTeam();
    const until = (minutes: number) => freeze({ until: new Date(Date.now() + minutes * 60_000), dryRun: true });
    await expect(until(4)).rejects.toMatchObject({ fields: [{ field: 'until' }] });
    await expect(until(-1)).rejects.toMatchObject({ fields: [{ message: 'must be in the future' }] });
    expect(await until(6)).toMatchObject({ keys: 0 });
  });

  it('of another team can be neither put up, seen nor lifted', async () => {
    const { freeze, management, teamId } = await aTeam();
    const { fence } = await freeze();
    const stranger = callerOf({ [randomUUID()]: both });
    const reader = callerOf({ [teamId]: ['view_team'] });
    const id = fence?.id ?? '';
    await expect(liftFence(management, stranger, id)).rejects.toMatchObject({ code: 'FENCE_NOT_FOUND' });
    await expect(liftFence(management, stranger, randomUUID())).rejects.toMatchObject({ code: 'FENCE_NOT_FOUND' });
    await expect(liftFence(management, reader, id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(listFences(management, stranger, teamId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    for (const who of [stranger, reader, callerOf({ [teamId]: ['manage_keys'] })]) {
      await expect(freezeKeys(management, who, { teamId, reason })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
  });

  it('without conditions about keys alone stops the programs of the team too, for which who made them is responsible', async () => {
    const { freeze, lift, caller, management, teamId } = await aTeam();
    const expiresAt = new Date(Date.now() + 86_400_000);
    const input = { teamId, name: 'Billing', permissions: both, expiresAt };
    const { secret } = await createManagementKey(management, caller(), input);
    const status = async () => (await rest(gateway.running.url, secret, 'GET', `/v1/keys?teamId=${teamId}`)).status;
    const during = async (fields: Partial<FreezeKeysInput>) => {
      const { fence } = await freeze(fields);
      const answered = await status();
      await lift(fence?.id);
      return answered;
    };
    expect(await status()).toBe(200);
    expect(await during({})).toBe(401);
    expect(await during({ responsible: 'tester' })).toBe(401);
    expect(await during({ responsible: 'somebody else' })).toBe(200);
    expect(await during({ env: 'live' })).toBe(200);
    expect(await during({ tags: ['ci'] })).toBe(200);
    expect(await status()).toBe(200);
  });
});

it('freezing works for a team without changes left, and lifting counts', async () => {
  const running = await startService('sqlite', { MAX_KEYS_PER_TEAM: '1', TEAM_CHANGES_PER_HOUR: '2' });
  onTestFinished(running.stop);
  const teamId = randomUUID();
  const token = sessionToken({ [teamId]: both });
  const call = (method: string, path: string, body?: object) => rest(running.url, token, method, path, body);
  const fields = { teamId, name: 'A key', env: 'live', description: 'x'.repeat(500) };
  expect((await call('POST', '/v1/keys', fields)).status).toBe(201);
  const { id } = (await call('GET', `/v1/keys?teamId=${teamId}`)).body[0];
  await call('PATCH', `/v1/keys/${id}`, { name: 'Another' });
  expect((await call('PATCH', `/v1/keys/${id}`, { name: 'A third' })).status).toBe(429);
  const frozen = await call('POST', '/v1/fences', { teamId, reason });
  expect([frozen.status, frozen.body]).toEqual([
    201,
    { id: expect.any(String), revision: expect.any(String), keys: 1 },
  ]);
  expect(frozen.headers.get('latchkey-revision')).toBe(frozen.body.revision);
  expect((await call('DELETE', `/v1/fences/${frozen.body.id}`)).status).toBe(429);
});

it('fences and tripwires are rejected until the operator has confirmed that no older instance runs', async () => {
  const running = await startService(theProvider);
  onTestFinished(running.stop);
  const { management } = running.service;
  const teamId = randomUUID();
  const caller = callerOf({ [teamId]: both });
  await runSql(running.database.url, 'UPDATE "Revision" SET "confirmed" = false');
  const key = { teamId, name: 'A key', env: 'live', tripwire: true } as const;
  await expect(freezeKeys(management, caller, { teamId, reason })).rejects.toMatchObject({ code: 'OLDER_INSTANCES' });
  await expect(createKey(management, caller, key)).rejects.toMatchObject({ code: 'OLDER_INSTANCES' });
  expect(await freezeKeys(management, caller, { teamId, reason, dryRun: true })).toMatchObject({ keys: 0 });
  await management.store.fences.confirm();
  expect(await freezeKeys(management, caller, { teamId, reason })).toMatchObject({ keys: 0 });
  expect((await createKey(management, caller, key)).apiKey.tripwire).toBe(true);
});
