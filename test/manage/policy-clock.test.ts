/** What happens to keys that violate a policy, as time passes. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { noRules } from '../../src/domain/policy/key-policy.ts';
import { stuckMs } from '../../src/lib/wrong-clock.ts';
import { PolicyClock } from '../../src/manage/policy/policy-clock.ts';
import { theProvider } from '../support/databases.ts';
import { graphql, importing, rest, sessionToken, startService } from '../support/service.ts';

const dayMs = 86_400_000;

/** A team with three keys, of which two violate its policy, and a clock. */
async function aTeam(enforceAfter: Date | null, report: (error: unknown) => void = () => {}) {
  // Of its own, because each test moves the clock on.
  const running = await startService(theProvider);
  onTestFinished(running.stop);
  const team = randomUUID();
  const token = sessionToken({ [team]: [...importing, 'manage_policy', 'manage_access'] });
  const call = (method: string, path: string, body?: object) => rest(running.url, token, method, path, body);
  const create = async (fields: object) =>
    (await call('POST', '/v1/keys', { teamId: team, name: 'Shop', env: 'live', ...fields })).body.id as string;
  const { store } = running.service.management;
  const clock = new PolicyClock({ store, mayContinue: async () => true, report });
  await clock.walk(new Date());
  const violating = [await create({}), await create({ allowedIps: ['10.0.0.0/8'] })];
  const other = await create({ expiresAt: new Date(Date.now() + 90 * dayMs).toISOString() });
  const set = (policy: object) => call('PUT', `/v1/policies/${team}/live`, policy);
  await set({ requireExpiry: true, enforceAfter });
  const query = `query ($team: UUID!) { auditLog(teamId: $team) {
    nodes { action keyId actorKind details changes { field after } } } }`;
  return {
    ...{ team, call, set, clock, store, violating, other },
    trail: async (action: string) => {
      const { nodes } = (await graphql(running.url, token, query, { team })).body.data.auditLog;
      return nodes.filter((entry: { action: string }) => entry.action === action).toReversed();
    },
    states: async () =>
      await Promise.all([...violating, other].map(async (id) => (await call('GET', `/v1/keys/${id}`)).body.state)),
  };
}

const later = (days: number) => new Date(Date.now() + days * dayMs + 60_000);

it('a policy that keys violate is told when it is set, once, and never breaks a key by itself', async () => {
  const { clock, trail, states } = await aTeam(null);
  for (const days of [0, 1, 400]) await clock.walk(later(days));
  expect((await trail('POLICY_VIOLATED')).map(({ details }: { details: unknown }) => details)).toEqual([
    { env: 'live', keys: 2, managementKeys: 0, enforceAfter: null },
  ]);
  expect(await states()).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
});

it('a policy with enforceAfter is told 7 days and 1 day before, and then disables what violates it, and nothing else', async () => {
  const end = new Date(Date.now() + 1000 * dayMs);
  const { clock, trail, states, violating } = await aTeam(end);
  const told = async () => (await trail('POLICY_VIOLATED')).length;
  const at = async (days: number) => {
    await clock.walk(new Date(end.getTime() + days * dayMs + 30_000));
    return [await told(), (await states()).join(' ')];
  };
  const active = 'ACTIVE ACTIVE ACTIVE';
  expect(await at(-8)).toEqual([1, active]);
  expect(await at(-7)).toEqual([2, active]);
  expect(await at(-6)).toEqual([2, active]);
  expect(await at(-1)).toEqual([3, active]);
  expect(await at(-0.001)).toEqual([3, active]);
  // The key with an expiry has expired by the service's clock only later.
  expect(await at(0)).toEqual([3, 'DISABLED DISABLED ACTIVE']);
  expect(await trail('KEY_DISABLED')).toEqual(
    violating.toReversed().map((keyId) => ({
      ...{ action: 'KEY_DISABLED', keyId, actorKind: 'SYSTEM', details: null },
      changes: expect.arrayContaining([{ field: 'reason', after: 'violates the policy: requireExpiry' }]),
    })),
  );
});

it('a policy that was changed before it is enforced disables nothing', async () => {
  const end = new Date(Date.now() + 2000 * dayMs);
  const { clock, set, states } = await aTeam(end);
  await clock.walk(new Date(end.getTime() - dayMs));
  await set({ requireExpiry: true });
  await clock.walk(new Date(end.getTime() + dayMs));
  expect(await states()).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
});

it('disables by the key and the policy as they are then, not as they were when the keys were selected', async () => {
  const end = new Date(Date.now() + 2500 * dayMs);
  const { call, set, clock, store, violating, states } = await aTeam(end);
  const select = store.keys.select.bind(store.keys);
  const meanwhile = vi.spyOn(store.keys, 'select');
  const walkWhile = async (change: () => Promise<unknown>, days: number) => {
    meanwhile.mockImplementationOnce(async (...selection) => {
      const selected = await select(...selection);
      await change();
      return selected;
    });
    await clock.walk(new Date(end.getTime() + days * dayMs + 30_000));
    expect(meanwhile).toHaveBeenCalledTimes(days + 1);
  };
  // In time for the policy, and after the walk.
  const expiresAt = new Date(end.getTime() + 400 * dayMs).toISOString();
  await walkWhile(() => call('PATCH', `/v1/keys/${violating[0]}`, { expiresAt }), 0);
  expect(await states()).toEqual(['ACTIVE', 'DISABLED', 'ACTIVE']);
  await set({ requireAllowedIps: true, enforceAfter: end });
  await walkWhile(() => set({ requireAllowedIps: true }), 1);
  expect(await states()).toEqual(['ACTIVE', 'DISABLED', 'ACTIVE']);
});

it('selects the keys whose secrets are too old by the moment of the walk', async () => {
  const { team, store } = await aTeam(null);
  const rules = { ...noRules, maxSecretAgeSeconds: 86_400 };
  const tooOld = async (days: number) => {
    const at = new Date(Date.now() + days * dayMs);
    const violating = { is: true, rules: { live: rules, test: rules } };
    return (await store.keys.count({ teamId: team, now: at, states: ['ACTIVE'], violating })).count;
  };
  expect([await tooOld(0.9), await tooOld(1.1)]).toEqual([0, 3]);
});

it('secrets that grow too old after enforceAfter are disabled within a day', async () => {
  const end = new Date(Date.now() + 3000 * dayMs);
  const { clock, set, states } = await aTeam(null);
  await set({ maxSecretAgeSeconds: 3001 * 86_400, enforceAfter: end });
  await clock.walk(new Date(end.getTime() + 30_000));
  expect(await states()).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
  await clock.walk(new Date(end.getTime() + 1.5 * dayMs));
  expect((await states()).slice(0, 2)).toEqual(['DISABLED', 'DISABLED']);
});

it('begins again two hours after a clock that was far ahead was set back, and leaves out nothing since then', async () => {
  const reports: string[] = [];
  const { clock, set, trail } = await aTeam(null, (error) => reports.push(String(error)));
  await clock.walk(later(365));
  const told = (await trail('POLICY_VIOLATED')).length;
  const changed = await set({ requireExpiry: true, requireAllowedIps: true });
  const changedAt = Date.parse(changed.body.changedAt);
  const at = async (ms: number) => {
    await clock.walk(new Date(changedAt + ms));
    return (await trail('POLICY_VIOLATED')).length - told;
  };
  for (const ms of [0, 60_000, stuckMs - 1]) expect(await at(ms)).toBe(0);
  expect([await at(stuckMs), await at(stuckMs + 60_000), await at(stuckMs + 120_000)]).toEqual([0, 1, 1]);
  expect(reports).toEqual(['Error: policies are enforced up to a time that is more than a day in the future']);
});

it('two instances that walk at the same time write each event once', async () => {
  const { clock, trail } = await aTeam(null);
  const now = later(3100);
  await Promise.all([clock.walk(now), clock.walk(now), clock.walk(now)]);
  expect(await trail('POLICY_VIOLATED')).toHaveLength(1);
});

it('reads only the policies that were changed, or are enforced within the longest notice', async () => {
  const { clock, set, store, team } = await aTeam(null);
  const now = Date.now();
  const due = vi.spyOn(store.keyPolicies, 'due');
  const dueAt = async (ms: number) => {
    await clock.walk(new Date(now + ms));
    const policies = (await Promise.all(due.mock.results.splice(0).map(({ value }) => value))).flat();
    return policies.filter(({ teamId }) => teamId === team).map(({ position }) => position.by);
  };
  expect(await dueAt(60_000)).toEqual(['changedAt']);
  expect(await dueAt(120_000)).toEqual([]);
  await set({ requireExpiry: true, enforceAfter: new Date(now + 20 * dayMs) });
  expect(await dueAt(5 * dayMs)).toEqual([]);
  expect(await dueAt(14 * dayMs)).toEqual(['enforceAfter']);
});

it('walks through the policies of each reason page by page, in order', async () => {
  const { set, store, call, team } = await aTeam(null);
  await call('PUT', `/v1/policies/${team}/test`, { requireSigning: true });
  await set({ requireExpiry: true, enforceAfter: new Date(Date.now() + dayMs) });
  const [from, to] = [new Date(Date.now() - dayMs), new Date(Date.now() + dayMs)];
  const seen = async (window: Parameters<typeof store.keyPolicies.due>[0]) => {
    const all: string[] = [];
    let [next] = await store.keyPolicies.due(window, null, 1);
    for (; next !== undefined; [next] = await store.keyPolicies.due(window, next.position, 1))
      all.push(`${next.env} by ${next.position.by}`);
    return all;
  };
  expect(await seen({ from, to, enforcedUntil: to })).toEqual(['test by changedAt', 'live by changedAt']);
  expect(await seen({ from: to, to, enforcedUntil: new Date(to.getTime() + dayMs) })).toEqual(['live by enforceAfter']);
});

it('management keys that a policy will end are counted, also if no other key violates it', async () => {
  const end = new Date(Date.now() + 10 * dayMs);
  const { team, call, clock, trail } = await aTeam(null);
  const expiresIn = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
  const fields = { teamId: team, name: 'Shop', permissions: ['manage_keys'] };
  for (const days of [365, 12, 8]) await call('POST', '/v1/management-keys', { ...fields, expiresAt: expiresIn(days) });
  await call('PUT', `/v1/policies/${team}/test`, { maxLifetimeSeconds: 9 * 86_400, enforceAfter: end });
  const toldAt = async (now: number) => {
    await clock.walk(new Date(now + 60_000));
    const notices = (await trail('POLICY_VIOLATED')).map(({ details }: { details: object }) => details);
    return notices.filter(({ env }: { env: string }) => env === 'test');
  };
  const notice = { env: 'test', keys: 0, managementKeys: 2, enforceAfter: end.toISOString() };
  expect(await toldAt(Date.now())).toEqual([notice]);
  expect(await toldAt(end.getTime() - 7 * dayMs)).toEqual([notice, notice]);
});

it('a management key whose secret is older than an enforced policy permits is revoked, and no other', async () => {
  const end = new Date(Date.now() + 10 * dayMs);
  const { team, call, set, clock } = await aTeam(null);
  const fields = { teamId: team, name: 'Shop', permissions: ['manage_keys'] };
  const expiresAt = new Date(Date.now() + 365 * dayMs).toISOString();
  await call('POST', '/v1/management-keys', { ...fields, expiresAt });
  const stateAt = async (days: number) => {
    await clock.walk(new Date(end.getTime() + days * dayMs + 30_000));
    return (await call('GET', `/v1/management-keys?teamId=${team}`)).body[0].state;
  };
  await set({ maxLifetimeSeconds: 5 * 86_400 });
  expect(await stateAt(-1)).toBe('ACTIVE');
  await set({ maxLifetimeSeconds: 30 * 86_400, enforceAfter: end });
  expect([await stateAt(0), await stateAt(19)]).toEqual(['ACTIVE', 'ACTIVE']);
  expect(await stateAt(21)).toBe('REVOKED');
});
