/** An unavailable store gives UNAVAILABLE on every port, changes nothing, and is used again when it is back. */
import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { Prisma } from '../../src/store/generated/sqlite/client.ts';
import { isUnavailable } from '../../src/store/unavailable.ts';
import { startGateway } from '../support/gateway.ts';
import { both, rest, sessionToken, startService } from '../support/service.ts';

it('SQLite locked by another process for longer than we wait', async () => {
  const running = await startService('sqlite');
  const team = randomUUID();
  const token = sessionToken({ [team]: both });
  const other = new Sqlite(running.database.url.replace('file:', ''));
  other.exec('BEGIN IMMEDIATE');
  const rejected = await rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' });
  expect(rejected.body).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
  // Readers block no other process.
  expect((await rest(running.url, token, 'GET', `/v1/keys?teamId=${team}`)).body).toEqual([]);
  other.exec('COMMIT');
  other.close();
  expect((await rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' })).status).toBe(
    201,
  );
  await running.stop();
});

it('SQLite locked by another process for a while: changes wait, and verifications do not', async () => {
  const gateway = await startGateway('sqlite');
  const token = sessionToken({ [gateway.teamId]: both });
  const { secret } = await gateway.issue();
  const other = new Sqlite(gateway.running.database.url.replace('file:', ''));
  other.exec('BEGIN IMMEDIATE');
  const waiting = rest(gateway.running.url, token, 'POST', '/v1/keys', {
    teamId: gateway.teamId,
    name: 'x',
    env: 'live',
  });
  let answered = false;
  void waiting.then(() => {
    answered = true;
  });
  let verifications = 0;
  // A change gives up after some seconds.
  for (; verifications < 5 && !answered; verifications += 1) {
    expect((await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret })).body.code).toBe('VALID');
  }
  // The first one would have waited for all of that time inside SQLite.
  expect(verifications).toBeGreaterThan(1);
  const gaveUp = answered;
  other.exec('COMMIT');
  other.close();
  expect((await waiting).status).toBe(gaveUp ? 503 : 201);
  await gateway.stop();
});

it('a network without a way, a name without an address, a connection that is half closed: not reachable', () => {
  for (const code of ['EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND', 'ETIMEDOUT', 'ECONNABORTED']) {
    expect(isUnavailable(Object.assign(new Error('words of the driver'), { code }))).toBe(true);
  }
  // Of a host with two addresses that both refuse connections.
  expect(isUnavailable(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe(true);
  for (const code of ['P2002', 'ERR_INVALID_ARG_TYPE', 'ENOENT', undefined]) {
    expect(isUnavailable(Object.assign(new Error('words of the driver'), { code }))).toBe(false);
  }
});

it.each(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout'])(
  "Prisma's adapter reports %s for a statement of ours: the store is unavailable",
  (kind) => {
    const cause = Object.assign(new Error(kind), { cause: { kind } });
    expect(isUnavailable(cause)).toBe(true);
    const options = { code: 'P2010', clientVersion: '7', meta: { driverAdapterError: cause } };
    expect(isUnavailable(new Prisma.PrismaClientKnownRequestError('Raw query failed', options))).toBe(true);
  },
);

it.each(['08006', '28P01', '3D000', '25P04', '40001', '53300', '55000', '55P03', '57P03', '58030'])(
  'an error %s of PostgreSQL, whose severity the server translates: the store is unavailable',
  (originalCode) => {
    const cause = { kind: 'postgres', originalCode, severity: 'ВАЖНО' };
    expect(isUnavailable(Object.assign(new Error('words of the server'), { cause }))).toBe(true);
  },
);

it.each(['22P02', '23505', '42703', '42P01'])('an error %s is not about the server', (originalCode) => {
  const cause = { kind: 'postgres', originalCode, severity: 'ERROR' };
  expect(isUnavailable(Object.assign(new Error('words of the server'), { cause }))).toBe(false);
});
