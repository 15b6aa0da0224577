/** Changes many keys in one call: each as its own mutation does, and with an outcome of its own. */
import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import type { StoredKey } from '../../src/domain/key/api-key.ts';
import { changeKeys } from '../../src/manage/change/change-keys.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { importKeys } from '../../src/manage/change/import-keys.ts';
import type { Management } from '../../src/manage/management.ts';
import type { ChangeQueue } from '../../src/store/changes/change-queue.ts';
import type { Store } from '../../src/store/store.ts';
import { theProvider } from '../support/databases.ts';
import { send, startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, graphql, importing, rest, sessionToken } from '../support/service.ts';

const operation = `mutation ($teamId: UUID!, $action: KeysAction!, $keys: [KeyToChangeInput!]!, $reason: String) {
  changeKeys(teamId: $teamId, action: $action, keys: $keys, reason: $reason) {
    results { outcome apiKey { id name state tags revision } }
  }
}`;

interface Created {
  readonly id: string;
  readonly secret: string;
  readonly revision: string;
}

const gateway = inTests(() => startGateway(theProvider, { TEAM_CHANGES_PER_HOUR: '1000' }));
const newTeam = () => {
  const team = randomUUID();
  const { url, service } = gateway.running;
  const token = sessionToken({ [team]: both });
  const create = async (name = 'A key'): Promise<Created> => {
    const query = `mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret apiKey { id revision } } }`;
    const { data } = (await graphql(url, token, query, { input: { teamId: team, name, env: 'live' } })).body;
    return { ...data.createKey.apiKey, secret: data.createKey.secret };
  };
  const change = (action: string, keys: readonly object[], more: object = {}, by = token) =>
    graphql(url, by, operation, { teamId: team, action, keys, ...more });
  return {
    team,
    token,
    create,
    change,
    results: async (action: string, keys: readonly object[], more: object = {}) =>
      (await change(action, keys, more)).body.data.changeKeys.results,
    patch: (id: string, body: unknown) => rest(url, token, 'PATCH', `/v1/keys/${id}`, body),
    trail: (limit = 100) => service.management.store.auditLog.list({ teamId: team, limit }),
  };
};
const verdict = async (key: string) =>
  JSON.parse((await send(gateway.url, { method: 'POST', path: '/v1/verify', body: JSON.stringify({ key }) })).body)
    .code;
const outcomes = (results: readonly { outcome: string }[]) => results.map(({ outcome }) => outcome);

describe('keys that are changed together', () => {
  it('each key gets its own settings, and an entry in the audit trail as from a change of its own', async () => {
    const { create, results, trail } = newTeam();
    const [one, two, same] = [await create('One'), await create('Two'), await create('Same')];
    const changed = await results('UPDATE', [
      { id: one.id, settings: { tags: ['a'] } },
      { id: two.id, settings: { name: 'Second', tags: ['b'] } },
      { id: same.id, settings: { name: 'Same' } },
    ]);
    expect(outcomes(changed)).toEqual(['CHANGED', 'CHANGED', 'UNCHANGED']);
    expect(
      changed.map(({ apiKey }: { apiKey: { name: string; tags: string[] } }) => [apiKey.name, apiKey.tags]),
    ).toEqual([
      ['One', ['a']],
      ['Second', ['b']],
      ['Same', []],
    ]);
    const entries = (await trail()).filter(({ action }) => action === 'KEY_UPDATED');
    expect(entries.map(({ keyId, changes }) => [keyId, changes.map(({ field }) => field)]).sort()).toEqual(
      [
        [one.id, ['tags']],
        [two.id, ['name', 'tags']],
      ].sort(),
    );
  });

  it('keys that are disabled, enabled or revoked are so at the moment of the answer', async () => {
    const { create, results, trail } = newTeam();
    const keys = [await create(), await create(), await create()];
    const ids = keys.map(({ id }) => ({ id }));
    const verdicts = () => Promise.all(keys.map(({ secret }) => verdict(secret)));
    for (const [action, expected] of [
      ['DISABLE', 'DISABLED'],
      ['ENABLE', 'VALID'],
      ['REVOKE', 'REVOKED'],
    ] as const) {
      const reason = action === 'REVOKE' ? {} : { reason: 'a test' };
      expect(outcomes(await results(action, ids, reason))).toEqual(['CHANGED', 'CHANGED', 'CHANGED']);
      expect(await verdicts()).toEqual([expected, expected, expected]);
      expect(outcomes(await results(action, ids, reason))).toEqual(['UNCHANGED', 'UNCHANGED', 'UNCHANGED']);
    }
    const actions = (await trail()).map(({ action }) => action);
    for (const action of ['KEY_DISABLED', 'KEY_ENABLED', 'KEY_REVOKED'])
      expect(actions.filter((one) => one === action)).toHaveLength(3);
    const disabled = (await trail()).find(({ action }) => action === 'KEY_DISABLED');
    expect(disabled?.changes).toContainEqual({ field: 'reason', before: null, after: 'a test' });
  });

  it('a key that cannot be changed does not prevent the change of the others, and its outcome says why', async () => {
    const { create, results, patch, trail } = newTeam();
    const theirs = await newTeam().create();
    const [good, revoked, moved] = [await create(), await create(), await create()];
    await results('REVOKE', [{ id: revoked.id }]);
    await patch(moved.id, { name: 'Moved' });
    const before = (await trail()).length;
    const settings = { tags: ['new'] };
    const changed = await results('UPDATE', [
      { id: randomUUID(), settings },
      { id: theirs.id, settings },
      { id: revoked.id, settings },
      { id: moved.id, ifRevision: [moved.revision], settings },
      { id: good.id, ifRevision: [good.revision], settings },
    ]);
    expect(outcomes(changed)).toEqual([
      'KEY_NOT_FOUND',
      'KEY_NOT_FOUND',
      'KEY_REVOKED',
      'PRECONDITION_FAILED',
      'CHANGED',
    ]);
    expect(changed.slice(0, 4).map(({ apiKey }: { apiKey: unknown }) => apiKey)).toEqual([null, null, null, null]);
    expect((await trail()).length).toBe(before + 1);
    for (const action of ['DISABLE', 'REVOKE']) {
      expect(outcomes(await results(action, [{ id: moved.id, ifRevision: [moved.revision] }]))).toEqual([
        'PRECONDITION_FAILED',
      ]);
    }
    expect(await verdict(moved.secret)).toBe('VALID');
  });
});

it('settings that a key has already are not validated again, those of another key are', async () => {
  const { team, change, create, results } = newTeam();
  const expiresAt = new Date('2026-01-02T00:00:00.000Z');
  const caller = callerOf({ [team]: both }, new Date('2026-01-01T00:00:00Z'));
  const input = { teamId: team, name: 'Expired', env: 'live', expiresAt } as const;
  const [{ apiKey: expired }, other] = [
    await createKey(gateway.running.service.management, caller, input),
    await create(),
  ];
  const settings = { expiresAt: expiresAt.toISOString(), tags: ['new'] };
  expect(outcomes(await results('UPDATE', [{ id: expired.id, settings }]))).toEqual(['CHANGED']);
  const answer = await change('UPDATE', [
    { id: expired.id, settings },
    { id: other.id, settings },
  ]);
  expect(answer.body.errors[0].extensions.errors).toEqual([
    { field: 'keys[1].settings.expiresAt', message: 'must be in the future' },
  ]);
});

describe('what is not allowed', () => {
  it('invalid fields reject the whole call, each by its name, and nothing is changed', async () => {
    const { team, token, create, change, trail } = newTeam();
    const [one, two] = [await create(), await create()];
    const settings = { tags: ['new'] };
    const tooMany = Array.from({ length: 501 }, () => ({ id: randomUUID(), settings: {} }));
    const cases: readonly (readonly [string, readonly object[], object, readonly string[]])[] = [
      [
        'UPDATE',
        [
          { id: one.id, settings },
          { id: two.id, settings: { name: '', tags: ['a', 'a'] } },
        ],
        {},
        ['keys[1].settings.name', 'keys[1].settings.tags[1]'],
      ],
      ['UPDATE', [{ id: one.id }], {}, ['keys[0].settings']],
      ['DISABLE', [{ id: one.id, settings }], {}, ['keys[0].settings']],
      ['REVOKE', [{ id: one.id }, { id: one.id }], {}, ['keys[1].id']],
      ['REVOKE', [{ id: one.id }], { reason: 'x' }, ['reason']],
      ['DISABLE', [{ id: one.id }], { reason: 'x'.repeat(201) }, ['reason']],
    ];
    for (const [action, keys, more, fields] of cases) {
      const { extensions } = (await change(action, keys, more)).body.errors[0];
      expect([extensions.code, extensions.errors.map(({ field }: { field: string }) => field)]).toEqual([
        'BAD_USER_INPUT',
        fields,
      ]);
    }
    const outcomesOnly = operation.replace('apiKey { id name state tags revision }', '');
    const rejected = await graphql(gateway.running.url, token, outcomesOnly, {
      teamId: team,
      action: 'UPDATE',
      keys: tooMany,
    });
    expect(rejected.body.errors[0].extensions.errors).toEqual([
      { field: 'keys', message: 'must have at most 500 entries' },
    ]);
    expect(await trail()).toHaveLength(2);
  });

  it('changes and enablings count towards the change budget; a team without budget can still disable and revoke', async () => {
    const { create, change, results } = newTeam();
    const keys = await Promise.all(Array.from({ length: 50 }, () => create()));
    const update = (tag: number) =>
      change(
        'UPDATE',
        keys.map(({ id }) => ({ id, settings: { tags: [`${tag}`] } })),
      );
    let calls = 0;
    while ((await update(calls)).body.errors === undefined) calls += 1;
    // 50 creations, and 50 changes in each call.
    expect(calls).toBe(19);
    const ids = keys.map(({ id }) => ({ id }));
    const codes = async (action: string) => (await change(action, ids)).body.errors?.[0].extensions.code;
    expect(await codes('DISABLE')).toBeUndefined();
    expect(await codes('ENABLE')).toBe('RATE_LIMITED');
    expect(outcomes(await results('REVOKE', ids))).toEqual(ids.map(() => 'CHANGED'));
  });
});

describe('of many keys', () => {
  const gateway = inTests(() => startGateway(theProvider));
  const team = randomUUID();
  const caller = callerOf({ [team]: importing });

  const management = () => gateway.running.service.management;
  async function importMany(count: number, allowedIps: readonly string[] = []) {
    const imported: StoredKey[] = [];
    for (let done = 0; done < count; done += 100) {
      const keys = Array.from({ length: Math.min(100, count - done) }, (_, i) => ({
        digest: createHash('sha256').update(randomUUID()).digest('hex'),
        name: `Key ${i}`,
        env: 'live' as const,
        allowedIps,
      }));
      const { results } = await importKeys(management(), caller, { teamId: team, keys, dryRun: false });
      imported.push(...results.flatMap(({ apiKey }) => apiKey ?? []));
    }
    return imported;
  }
  const tag = async (keys: readonly StoredKey[], name: string, on: Management = management()) => {
    const tagged = keys.map(({ id, revision }) => ({
      id,
      ifRevision: [management().revisions.encode(revision)],
      settings: { tags: [name] },
    }));
    const { results } = await changeKeys(on, caller, { teamId: team, action: 'UPDATE', keys: tagged });
    return results.map(({ outcome }) => outcome);
  };

  it('of two concurrent calls with the same revisions, each key is changed by exactly one', async () => {
    const keys = await importMany(250);
    const [one, other] = await Promise.all([tag(keys, 'one'), tag(keys, 'other')]);
    expect(one).toHaveLength(250);
    for (const [i, outcome] of one.entries())
      expect([outcome, other[i]].toSorted()).toEqual(['CHANGED', 'PRECONDITION_FAILED']);
  });

  it('when the store fails between two batches, the outcome of each key says whether it was changed', async () => {
    const keys = await importMany(250);
    const { store } = management();
    let submitted = 0;
    const failing: Pick<ChangeQueue, 'submit' | 'waitForLease'> = {
      waitForLease: () => store.changes.waitForLease(),
      submit: async (change) => {
        submitted += 1;
        if (submitted > 100) throw new LatchkeyError('UNAVAILABLE', 'The store does not answer.');
        return await store.changes.submit(change);
      },
    };
    const outage: Store = Object.create(store, { changes: { value: failing } });
    const outcomes = await tag(keys, 'half', { ...management(), store: outage });
    expect(outcomes.map((outcome, i) => [i < 100, outcome])).toEqual(
      keys.map((_, i) => [i < 100, i < 100 ? 'CHANGED' : 'UNAVAILABLE']),
    );
    // The third batch is not tried.
    expect(submitted).toBe(200);
  });

  it('of keys with long texts, only the first ones are changed, and the others belong in another call', async () => {
    const long = Array.from({ length: 100 }, (_, i) => `10.0.0.${i} # ${'x'.repeat(200)}`);
    const keys = await importMany(12, long);
    const outcomes = await tag(keys, 'long');
    const attempted = outcomes.lastIndexOf('CHANGED') + 1;
    expect(attempted).toBeGreaterThan(0);
    expect(attempted).toBeLessThan(12);
    expect(outcomes).toEqual(keys.map((_, i) => (i < attempted ? 'CHANGED' : 'NOT_ATTEMPTED')));
    const [rest = ''] = await tag(keys.slice(attempted), 'long');
    expect(rest).toBe('CHANGED');
  });
});
