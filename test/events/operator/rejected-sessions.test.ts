/** Rejected session tokens reach the operator, and a flood of them writes little. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { noSubject } from '../../../src/domain/audit-entry.ts';
import { flushIntervalMs, maxEntries, RejectedSessions } from '../../../src/events/operator/rejected-sessions.ts';
import { cookieName } from '../../../src/http/session/cookies.ts';
import { temporaryDatabase, theProvider } from '../../support/databases.ts';
import { ManualScheduler } from '../../support/manual-scheduler.ts';
import { both, rest, serviceOn, sessionToken } from '../../support/service.ts';
import { openStores } from '../../support/stores.ts';
import { startReceiver } from './receiver.ts';

async function setUp() {
  const { store, stop } = await openStores(theProvider);
  onTestFinished(stop);
  const scheduler = new ManualScheduler();
  const start = Date.UTC(2026, 0, 1);
  const reports: unknown[] = [];
  const rejected = new RejectedSessions({
    store,
    scheduler,
    now: () => new Date(start + scheduler.now()),
    report: (error) => reports.push(error),
  });
  const entries = async () => await store.auditLog.list({ oldestFirst: true, limit: 1000 });
  const fail = () => {
    const failing = vi.spyOn(store.changes, 'submit').mockRejectedValue(new Error('the store is down'));
    return () => failing.mockRestore();
  };
  return { store, rejected, scheduler, entries, reports, fail };
}

const countOf = (details: Readonly<Record<string, unknown>> | null) => Number(details?.count);

it('counts by network and reason, and writes at most every ten seconds', async () => {
  const { rejected, scheduler, entries } = await setUp();
  rejected.add('2001:db8::1', 'expired');
  await scheduler.advance(1000);
  rejected.add('2001:db8::2', 'expired');
  rejected.add('2001:db8::2', 'no JWT');
  rejected.add('192.0.2.1', 'expired');
  await scheduler.advance(flushIntervalMs - 1001);
  expect(await entries()).toEqual([]);
  await scheduler.advance(1);
  await expect.poll(entries).toHaveLength(3);
  const [first, ...others] = await entries();
  expect(first).toMatchObject({
    action: 'SESSION_REJECTED',
    teamId: '',
    keyId: noSubject,
    actor: 'latchkey',
    actorKind: 'SYSTEM',
    source: '2001:db8::1',
    details: { reason: 'expired', count: 2, from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:00:01.000Z' },
  });
  expect(others.map(({ source, details }) => [source, details?.reason])).toEqual([
    ['2001:db8::2', 'no JWT'],
    ['192.0.2.1', 'expired'],
  ]);
});

it('writes 100 entries for a flood from 10,000 addresses, the last of which has the sum of the rest', async () => {
  const { rejected, scheduler, entries } = await setUp();
  for (let i = 0; i < 10_000; i += 1) rejected.add(`10.0.${Math.floor(i / 250)}.${i % 250}`, 'expired');
  await scheduler.advance(flushIntervalMs);
  await expect.poll(entries).toHaveLength(maxEntries);
  const written = await entries();
  expect(written.at(-1)).toMatchObject({ source: null, details: { count: 10_000 - maxEntries + 1 } });
  expect(written.reduce((sum, { details }) => sum + countOf(details), 0)).toBe(10_000);
});

it('keeps the counts until the store can be written to, and writes what is left when it is closed', async () => {
  const { rejected, scheduler, entries, reports, fail } = await setUp();
  const recover = fail();
  rejected.add('192.0.2.1', 'expired');
  await scheduler.advance(flushIntervalMs);
  await expect.poll(() => reports).toHaveLength(1);
  recover();
  rejected.add('192.0.2.2', 'expired');
  await rejected.close();
  expect((await entries()).map(({ source }) => source)).toEqual(['192.0.2.1', '192.0.2.2']);
});

it('counts once what was written although the store answered too late', async () => {
  const { store, rejected, scheduler, entries, reports } = await setUp();
  const submit = store.changes.submit.bind(store.changes);
  vi.spyOn(store.changes, 'submit').mockImplementationOnce(async (change) => {
    await submit(change);
    throw new Error('the store does not answer');
  });
  rejected.add('192.0.2.1', 'expired');
  await scheduler.advance(flushIntervalMs);
  await expect.poll(() => reports).toHaveLength(1);
  rejected.add('192.0.2.1', 'no JWT');
  await rejected.close();
  expect((await entries()).map(({ details }) => details?.reason)).toEqual(['expired', 'no JWT']);
});

it('the receiver of the operator gets events of keys, and rejected tokens and cookies, in its form', async () => {
  const receiver = await startReceiver();
  const database = await temporaryDatabase(theProvider);
  onTestFinished(() => database.remove());
  const start = () =>
    serviceOn(database, {
      EVENTS_URL: receiver.url,
      EVENTS_TOKEN: 'a-token-of-the-receiver',
      EVENTS_REJECTED_SESSIONS: 'true',
    });
  const { url, service, stop } = await start();
  const list = async () => service.management.store.eventProgress.list('operator');
  await expect.poll(async () => (await list()).size).toBe(1);
  const teamId = '6f1c5c8e-3f0e-4f8e-9a55-2f4d7c1b9a10';
  const call = (token: string | null, headers = {}) =>
    rest(url, token, 'GET', `/v1/keys?teamId=${teamId}`, undefined, headers);
  await rest(url, sessionToken({ [teamId]: both }), 'POST', '/v1/keys', { teamId, name: 'A key', env: 'live' });
  await expect.poll(() => receiver.accepted()).toMatchObject([{ class_uid: 6003, api: { operation: 'key.created' } }]);
  expect((await call('not-a-jwt')).status).toBe(401);
  expect((await call(null)).status).toBe(401);
  const cookie = {
    cookie: `${cookieName('session', new URL(url))}=1.forged`,
    'latchkey-session': 'current',
    'sec-fetch-site': 'same-origin',
  };
  expect((await call(null, cookie)).status).toBe(401);
  await stop();
  const next = await start();
  await expect.poll(() => receiver.accepted().length).toBe(3);
  await next.stop();
  const rejected = receiver.accepted().slice(1);
  expect(rejected).toMatchObject([
    { class_uid: 3002, count: 1, status_detail: 'The bearer token is not a JWT.', src_endpoint: { ip: '127.0.0.1' } },
    { class_uid: 3002, count: 1, status_detail: 'The cookie of the session is not valid here.' },
  ]);
});
