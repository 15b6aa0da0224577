/** What happens to reported keys, with two instances on one store. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuditEntry } from '../../../src/domain/audit-entry.ts';
import { LatchkeyError } from '../../../src/domain/errors.ts';
import type { LeakMatch, LeakPolicy } from '../../../src/domain/leak.ts';
import { mintSecret } from '../../../src/domain/secret/secret.ts';
import { createKey } from '../../../src/manage/change/create-key.ts';
import { importKeys } from '../../../src/manage/change/import-keys.ts';
import { enableKey, revokeKey } from '../../../src/manage/change/key-state.ts';
import { endOverlap, rotateKey } from '../../../src/manage/change/rotate-key.ts';
import { setLeakPolicy } from '../../../src/manage/leaks/leak-policy.ts';
import { leakReports } from '../../../src/manage/leaks/report-leaks.ts';
import { Decision } from '../../../src/store/changes/change.ts';
import { temporaryDatabase, theProvider } from '../../support/databases.ts';
import { send, sharedGateway, sharedSecondInstance, verifyAt } from '../../support/gateway.ts';
import { noTeamRules } from '../../support/plain-keys.ts';
import { callerOf, importing, serviceOn } from '../../support/service.ts';

const gateway = sharedGateway(theProvider);
const other = sharedSecondInstance(gateway);

let teamId: string;
let report: ReturnType<typeof leakReports>;
beforeAll(() => {
  report = leakReports(gateway.management);
});

const caller = () => callerOf({ [teamId]: importing });
const match = (token: string, more: Partial<LeakMatch> = {}): LeakMatch => ({
  token,
  type: 'latchkey',
  url: 'https://github.com/octocat/hello/blob/main/.env',
  source: 'commit',
  ...more,
});
const call = () => ({ reporter: 'github', source: '192.0.2.7', requestId: randomUUID(), now: new Date() }) as const;
const reported = (...matches: readonly LeakMatch[]) => report(matches, call());
const verdicts = (key: string) =>
  Promise.all([gateway.url, other()].map(async (url) => (await verifyAt(url, { key })).body.code));

async function withPolicy(policy: LeakPolicy): Promise<void> {
  teamId = randomUUID();
  await setLeakPolicy(gateway.management, caller(), teamId, policy);
}

async function issue() {
  const { apiKey, secret } = await createKey(gateway.management, caller(), { teamId, name: 'A key', env: 'live' });
  return { id: apiKey.id, secret };
}

/** The entries of a key, oldest first, without that of its creation. */
async function entriesOf(keyId: string): Promise<readonly AuditEntry[]> {
  const entries = await gateway.management.store.auditLog.list({ teamId, keyId, limit: 500 });
  return entries.reverse().slice(1);
}
const actionsOf = async (keyId: string) => (await entriesOf(keyId)).map(({ action }) => action);
const exposuresOf = async (keyId: string) =>
  (await entriesOf(keyId)).flatMap(({ details }) => (details === null ? [] : [details.leak]));

it('a key is found in a token that has what surrounds the key, and in each of several such tokens', async () => {
  await withPolicy('REVOKE');
  const [first, second] = [await issue(), await issue()];
  const tokens = [
    `\\u0022${first.secret}\\u0022`,
    `%3D${first.secret}&`,
    `KEY_${first.secret}\n`,
    `${first.secret} ${second.secret}`,
  ];
  expect(await reported(...tokens.map((token) => match(token)), match(`x${second.secret.slice(0, -1)}`))).toEqual([
    ...tokens.map(() => true),
    false,
  ]);
  for (const { id, secret } of [first, second]) {
    expect(await verdicts(secret)).toEqual(['REVOKED', 'REVOKED']);
    // One place, however often it is reported.
    expect(await exposuresOf(id)).toHaveLength(1);
  }
});

describe('a team that has chosen nothing, or to be notified', () => {
  it('gets an entry in its log, and its key stays valid', async () => {
    teamId = randomUUID();
    const { id, secret } = await issue();
    const { requestId, ...rest } = call();
    expect(await report([match(secret)], { requestId, ...rest })).toEqual([true]);
    expect(await entriesOf(id)).toMatchObject([
      {
        action: 'KEY_EXPOSED',
        keyId: id,
        teamId,
        actor: 'github',
        actorKind: 'SYSTEM',
        source: '192.0.2.7',
        requestId,
        changes: [],
        details: { leak: { source: 'commit', url: match('').url, action: 'NOTIFY' } },
      },
    ]);
    expect(await verdicts(secret)).toEqual(['VALID', 'VALID']);
  });

  it('sees null for a place that the reporter does not name', async () => {
    await withPolicy('NOTIFY');
    const { id, secret } = await issue();
    await reported(match(secret, { source: '', url: '' }));
    expect(await exposuresOf(id)).toEqual([{ source: null, url: null, action: 'NOTIFY' }]);
  });
});

describe.each([
  ['DISABLE', 'KEY_DISABLED', 'DISABLED'],
  ['REVOKE', 'KEY_REVOKED', 'REVOKED'],
] as const)('with the policy %s', (policy, action, verdict) => {
  it('every instance rejects the key once the report is answered, and the log says why', async () => {
    await withPolicy(policy);
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const { id, secret } = await issue();
        expect(await verdicts(secret)).toEqual(['VALID', 'VALID']);
        expect(await reported(match(secret))).toEqual([true]);
        expect(await verdicts(secret)).toEqual([verdict, verdict]);
        expect(await entriesOf(id)).toMatchObject([
          { action: 'KEY_EXPOSED', details: { leak: { action: policy } } },
          { action, actor: 'github', actorKind: 'SYSTEM', source: '192.0.2.7' },
        ]);
      }),
    );
  });

  it('a secret that was replaced and is not accepted anymore leaves the key as it is', async () => {
    await withPolicy(policy);
    const { id, secret } = await issue();
    const { secret: next } = await rotateKey(gateway.management, caller(), id, {});
    expect(await reported(match(secret))).toEqual([true]);
    expect(await verdicts(next)).toEqual(['VALID', 'VALID']);
    expect(await exposuresOf(id)).toMatchObject([{ action: 'NOTIFY' }]);
  });

  it('a replaced secret counts as long as the overlap lasts', async () => {
    await withPolicy(policy);
    const { id, secret } = await issue();
    await rotateKey(gateway.management, caller(), id, { overlapSeconds: 600 });
    const ended = await issue();
    await rotateKey(gateway.management, caller(), ended.id, { overlapSeconds: 600 });
    await endOverlap(gateway.management, caller(), ended.id);
    await reported(match(secret), match(ended.secret));
    expect(await exposuresOf(id)).toMatchObject([{ action: policy }]);
    expect(await exposuresOf(ended.id)).toMatchObject([{ action: 'NOTIFY' }]);
  });

  it('a key that is rejected already is only recorded', async () => {
    await withPolicy(policy);
    const { id, secret } = await issue();
    await reported(match(secret));
    await reported(match(secret, { url: 'https://example.com/another' }));
    expect(await exposuresOf(id)).toMatchObject([{ action: policy }, { action: 'NOTIFY' }]);
    expect((await actionsOf(id)).filter((one) => one === action)).toHaveLength(1);
  });

  it('several places in one report are one change and an entry each, which say what the report has done', async () => {
    await withPolicy(policy);
    const { id, secret } = await issue();
    const places = ['a', 'b', 'c'].map((url) => match(secret, { url }));
    expect(await reported(...places, ...places)).toEqual(Array(6).fill(true));
    expect(await actionsOf(id)).toEqual(['KEY_EXPOSED', 'KEY_EXPOSED', 'KEY_EXPOSED', action]);
    expect(await exposuresOf(id)).toEqual(['a', 'b', 'c'].map((url) => ({ source: 'commit', url, action: policy })));
  });

  it('1,000 matches of one key change it, and fill at most 100 entries of the log', async () => {
    await withPolicy(policy);
    const { id, secret } = await issue();
    const places = Array.from({ length: 1000 }, (_, i) => match(secret, { url: `https://example.com/${i}` }));
    expect(new Set(await reported(...places))).toEqual(new Set([true]));
    await reported(...places);
    expect(await exposuresOf(id)).toHaveLength(100);
    expect(await verdicts(secret)).toEqual([verdict, verdict]);
  });

  it('leaks of an earlier secret leave room for a leak of the current one', async () => {
    await withPolicy(policy);
    const { id, secret } = await issue();
    const { secret: next } = await rotateKey(gateway.management, caller(), id, {});
    await reported(...Array.from({ length: 100 }, (_, i) => match(secret, { url: `https://example.com/${i}` })));
    await reported(match(next));
    expect(await verdicts(next)).toEqual([verdict, verdict]);
    expect((await exposuresOf(id)).at(-1)).toMatchObject({ action: policy });
  });
});

describe('a repeated report', () => {
  it('writes nothing, also if it comes many times at once to both instances', async () => {
    await withPolicy('REVOKE');
    const { id, secret } = await issue();
    const body = JSON.stringify([match(secret)]);
    const atOther = () => send(other(), { method: 'POST', path: '/v1/leaks', body });
    const floods = Array.from({ length: 3 }, () => Promise.all([reported(match(secret)), atOther()]));
    for (const [areKeys, { status, body }] of await Promise.all(floods)) {
      expect([areKeys, status, JSON.parse(body)[0].label]).toEqual([[true], 200, 'true_positive']);
    }
    expect(await actionsOf(id)).toEqual(['KEY_EXPOSED', 'KEY_REVOKED']);
    const before = await gateway.management.store.auditLog.lastRevision();
    expect(await reported(match(secret))).toEqual([true]);
    expect(await gateway.management.store.auditLog.lastRevision()).toBe(before);
  });

  it('does not disable a key again that its team has enabled: an old report may be replayed', async () => {
    await withPolicy('DISABLE');
    const { id, secret } = await issue();
    await reported(match(secret));
    await enableKey(gateway.management, caller(), id);
    await reported(match(secret));
    expect(await verdicts(secret)).toEqual(['VALID', 'VALID']);
  });

  it('does what an earlier one could not do', async () => {
    await withPolicy('REVOKE');
    const { id, secret } = await issue();
    const failure = new LatchkeyError('UNAVAILABLE', 'The store does not answer; try again shortly.');
    const failing = vi.spyOn(gateway.management.store.changes, 'submit').mockRejectedValueOnce(failure);
    onTestFinished(() => failing.mockRestore());
    await expect(reported(match(secret))).rejects.toBe(failure);
    expect(await actionsOf(id)).toEqual([]);
    expect(await reported(match(secret))).toEqual([true]);
    expect(await verdicts(secret)).toEqual(['REVOKED', 'REVOKED']);
  });

  it('leaves no key half done if its change fails, and does not fail the others', async () => {
    await withPolicy('REVOKE');
    const keys = await Promise.all([issue(), issue()]);
    const matches = keys.map(({ secret }) => match(secret));
    const { changes } = gateway.management.store;
    const submit = changes.submit.bind(changes);
    const disk = () => Promise.reject(new Error('the disk'));
    const failing = vi.spyOn(changes, 'submit').mockImplementationOnce((change) =>
      submit({
        ...change,
        decide: (...parts) => {
          const { answer, write } = change.decide(...parts);
          return new Decision(answer, { ...write, rows: [disk] });
        },
      }),
    );
    onTestFinished(() => failing.mockRestore());
    await expect(reported(...matches)).rejects.toThrow('the disk');
    const done = ['KEY_EXPOSED', 'KEY_REVOKED'];
    expect(await Promise.all(keys.map(({ id }) => actionsOf(id)))).toEqual([[], done]);
    expect(await reported(...matches)).toEqual([true, true]);
    expect(await Promise.all(keys.map(({ id }) => actionsOf(id)))).toEqual([done, done]);
  });
});

describe('tokens', () => {
  it('that are no keys are told from those that are, in the order of the report', async () => {
    await withPolicy('NOTIFY');
    const { id, secret } = await issue();
    const unknown = mintSecret('lk', 'live', randomBytes).secret;
    const near = `${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`;
    const tokens = [unknown, secret, near, '', 'some_token', '💥', secret, secret.slice(0, 16), 'x'.repeat(1000)];
    expect(await reported(...tokens.map((token) => match(token)))).toEqual(tokens.map((token) => token === secret));
    expect(await actionsOf(id)).toEqual(['KEY_EXPOSED']);
  });

  it('of a revoked key are true, and recorded', async () => {
    await withPolicy('REVOKE');
    const { id, secret } = await issue();
    await revokeKey(gateway.management, caller(), id);
    expect(await reported(match(secret))).toEqual([true]);
    expect(await exposuresOf(id)).toMatchObject([{ action: 'NOTIFY' }]);
  });

  it('that two teams have imported, by their two digests, are keys of both, each with its own policy', async () => {
    const token = `sk-${randomUUID()}`;
    const imported: { id: string; team: string }[] = [];
    for (const [policy, algorithm] of [
      ['NOTIFY', 'sha256'],
      ['REVOKE', 'sha512'],
    ] as const) {
      await withPolicy(policy);
      const digest = `${algorithm}:${hash(algorithm, token)}`;
      const keys = [{ name: 'Old', env: 'live', digest }] as const;
      const { results } = await importKeys(gateway.management, caller(), { teamId, keys, dryRun: false });
      imported.push({ id: results[0]?.apiKey?.id ?? '', team: teamId });
    }
    expect(await reported(match(token))).toEqual([true]);
    const found = await Promise.all(imported.map(({ id }) => gateway.management.store.keys.find(id)));
    expect(found.map((key) => key?.revokedAt != null)).toEqual([false, true]);
  });

  it('under an earlier pepper are found', async () => {
    const database = await temporaryDatabase(theProvider);
    const [a, b] = ['a', 'b'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);
    const first = await serviceOn(database, { KEY_PEPPERS: `${a}` });
    teamId = randomUUID();
    const { secret } = await createKey(first.service.management, caller(), { teamId, name: 'A key', env: 'live' });
    await first.stop();
    const second = await serviceOn(database, { KEY_PEPPERS: `${b},${a}` });
    onTestFinished(async () => {
      await second.stop();
      await database.remove();
    });
    expect(await leakReports(second.service.management)([match(secret)], call())).toEqual([true]);
  });
});

it('more keys than one transaction changes are all revoked by one report', async () => {
  await withPolicy('REVOKE');
  const keys = await Promise.all(Array.from({ length: 250 }, () => issue()));
  expect(new Set(await reported(...keys.map(({ secret }) => match(secret))))).toEqual(new Set([true]));
  const { store } = gateway.management;
  expect(
    (await store.keys.overview({ teamId, now: new Date(), soon: new Date(), longAgo: new Date(), rules: noTeamRules }))
      .active,
  ).toBe(0);
});

it('only a few reports run at a time; the others are rejected before any work', async () => {
  await withPolicy('NOTIFY');
  const { secret } = await issue();
  const answers = await Promise.allSettled(Array.from({ length: 10 }, () => reported(match(secret))));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  for (const answer of answers) {
    if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'UNAVAILABLE' });
  }
  expect(await reported(match(secret))).toEqual([true]);
});

it('a key that is purged takes its exposures along', async () => {
  await withPolicy('REVOKE');
  const { id, secret } = await issue();
  await reported(match(secret));
  const { store } = gateway.management;
  await store.purge.revokedKeys(new Date(Date.now() + 1000));
  expect(await store.keys.find(id)).toBe(null);
  expect(await reported(match(secret))).toEqual([false]);
});
