/** Revokes many keys at once: exactly those that the dry run selected. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Permission } from '../../src/domain/key/permission.ts';
import { revokeKeys } from '../../src/manage/change/revoke-keys.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import type { KeySelection } from '../../src/store/rows/key-selection.ts';
import type { Store } from '../../src/store/store.ts';
import { theProvider } from '../support/databases.ts';
import { send, startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { addManyKeys } from '../support/many-keys.ts';
import { both, callerOf, graphql, rest, sessionToken } from '../support/service.ts';

const operation = `mutation ($teamId: UUID!, $filter: KeyFilter!, $dryRun: Boolean! = true, $selection: String) {
  revokeKeys(teamId: $teamId, filter: $filter, dryRun: $dryRun, selection: $selection) { dryRun count skipped selection }
}`;

const gateway = inTests(() => startGateway(theProvider));

/** A team of its own. */
const newTeam = () => {
  const team = randomUUID();
  const { url, service } = gateway.running;
  const token = sessionToken({ [team]: both });
  const revoke = (filter: object, more: object = {}, permissions: readonly Permission[] = both) =>
    graphql(url, sessionToken({ [team]: permissions }), operation, { teamId: team, filter, ...more });
  return {
    team,
    create: async (name = 'A key', env = 'live') =>
      (await rest(url, token, 'POST', '/v1/keys', { teamId: team, name, env })).body as {
        id: string;
        secret: string;
      },
    revoke,
    dryRun: async (filter: object) => (await revoke(filter)).body.data.revokeKeys,
    call: (method: string, path: string, body?: unknown) => rest(url, token, method, `/v1/keys${path}`, body),
    unrevoked: async () =>
      (await rest(url, token, 'GET', `/v1/keys?teamId=${team}`)).body.map(({ id }: { id: string }) => id).toSorted(),
    trail: () => service.management.store.auditLog.list({ teamId: team, limit: 2000 }),
  };
};
const verdict = async (key: string) =>
  JSON.parse((await send(gateway.url, { method: 'POST', path: '/v1/verify', body: JSON.stringify({ key }) })).body)
    .code;

it('it is a dry run by default: it counts, and revokes nothing', async () => {
  const { create, revoke, unrevoked, trail } = newTeam();
  for (const name of ['deploy 1', 'deploy 2', 'other']) await create(name);
  const answer = (await revoke({ search: 'deploy' })).body.data.revokeKeys;
  expect(answer).toEqual({ dryRun: true, count: 2, skipped: 0, selection: expect.stringMatching(/^[\w-]{43}$/) });
  expect((await revoke({ search: 'deploy' }, { dryRun: true })).body.data.revokeKeys).toEqual(answer);
  expect(await unrevoked()).toHaveLength(3);
  expect(await trail()).toHaveLength(3);
});

it('with the selection of the dry run, these keys are rejected at the moment of the answer, and the others are not', async () => {
  const { create, revoke, dryRun, trail } = newTeam();
  const [one, two, live] = [await create('1', 'test'), await create('2', 'test'), await create('3', 'live')];
  const { selection } = await dryRun({ env: 'test' });
  const answer = await revoke({ env: 'test' }, { dryRun: false, selection });
  expect(answer.body.data.revokeKeys).toEqual({ dryRun: false, count: 2, skipped: 0, selection });
  const verdicts = await Promise.all([one, two, live].map(({ secret }) => verdict(secret)));
  expect(verdicts).toEqual(['REVOKED', 'REVOKED', 'VALID']);
  const revocations = (await trail()).filter(({ action }) => action === 'KEY_REVOKED');
  expect(revocations.map(({ keyId }) => keyId).toSorted()).toEqual([one.id, two.id].toSorted());
  for (const { actor, requestId } of revocations) {
    expect([actor, requestId]).toEqual(['tester', answer.headers.get('x-request-id')]);
  }
  const again = await revoke({ env: 'test' }, { dryRun: false, selection });
  expect(again.body.errors[0].extensions.code).toBe('SELECTION_CHANGED');
});

it('when the filter selects other keys than in the dry run, even as many, none is revoked', async () => {
  const { create, revoke, dryRun, call, unrevoked } = newTeam();
  const first = await create();
  await create();
  const seen = await dryRun({});
  const go = async (selection: unknown) =>
    (await revoke({}, { dryRun: false, selection })).body.errors?.[0].extensions.code;
  await create();
  expect(await go(seen.selection)).toBe('SELECTION_CHANGED');
  await call('DELETE', `/${first.id}`);
  expect((await dryRun({})).count).toBe(seen.count);
  expect(await go(seen.selection)).toBe('SELECTION_CHANGED');
  expect(await go((await dryRun({ env: 'test' })).selection)).toBe('SELECTION_CHANGED');
  expect(await go(null)).toBe('BAD_USER_INPUT');
  expect(await unrevoked()).toHaveLength(2);
  expect(await go((await dryRun({})).selection)).toBeUndefined();
  expect(await unrevoked()).toEqual([]);
});

it('a key that is changed after it was selected is skipped and counted', async () => {
  const { team, create, unrevoked } = newTeam();
  const [renewed, ...others] = [await create(), await create(), await create()];
  const { management } = gateway.running.service;
  const caller = callerOf({ [team]: both });
  /** A change arrives just in time. */
  const select = async (selection: KeySelection) => {
    const found = await management.store.keys.select(selection);
    await updateKey(management, caller, renewed.id, { name: 'Still in use' });
    return found;
  };
  const store: Store = Object.create(management.store, { keys: { value: { select } } });
  const input = { teamId: team, filter: {} };
  const { selection } = await revokeKeys(management, caller, { ...input, dryRun: true });
  const outcome = await revokeKeys({ ...management, store }, caller, { ...input, dryRun: false, selection });
  expect(outcome).toEqual({ dryRun: false, count: others.length, skipped: 1, selection, endCursor: null });
  expect(await unrevoked()).toEqual([renewed.id]);
});

it('hundreds of keys are all revoked, each with its audit entry, during changes of other teams', async () => {
  const { team, revoke, dryRun, unrevoked, trail } = newTeam();
  const theirs = newTeam();
  await addManyKeys(gateway.running.database.url, { teamId: team, count: 650, revoked: false });
  const { count, selection } = await dryRun({});
  expect(count).toBe(650);
  const revoking = revoke({}, { dryRun: false, selection });
  const created = await Promise.all(Array.from({ length: 20 }, () => theirs.create()));
  expect((await revoking).body.data.revokeKeys).toMatchObject({ count: 650, skipped: 0 });
  expect(await unrevoked()).toEqual([]);
  expect((await trail()).filter(({ action }) => action === 'KEY_REVOKED')).toHaveLength(650);
  expect(await theirs.unrevoked()).toEqual(created.map(({ id }) => id).toSorted());
});

it('a filter of what can’t be revoked, or of nothing that is known, is rejected by name', async () => {
  const { revoke } = newTeam();
  for (const [filter, field] of [
    [{ state: ['REVOKED'] }, 'filter.state'],
    [{ state: ['ACTIVE', 'REVOKED'] }, 'filter.state'],
    [{ state: [] }, 'filter.state'],
    [{ search: ' ' }, 'filter.search'],
    [{ nam: 'x' }, 'nam'],
  ] as const) {
    const { extensions } = (await revoke(filter)).body.errors[0];
    expect([extensions.code, extensions.errors[0].field]).toEqual(['BAD_USER_INPUT', field]);
  }
});
