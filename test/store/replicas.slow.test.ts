// SECURITY.md: Partitioned primary
/** Latchkey relies on the primary alone, whatever a read/write splitter or a failover leads it to. */
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectionNames } from '../../src/store/postgres-pool.ts';
import { enableSigning, makeKey, teamId, token, verifyBody } from '../support/calls.ts';
import { type Instance, killInstances, startInstance, until } from '../support/instance.ts';
import { findPostgresPrograms, query, type SystemPostgres, startSystemPostgres } from '../support/postgres.ts';
import { type PostgresSplitter, startPostgresSplitter } from '../support/postgres-splitter.ts';
import { jwtSecret, rest } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const programs = findPostgresPrograms();
if (programs === null) console.warn('skipped: no PostgreSQL with initdb and pg_basebackup is installed');

const onStandby = 'PostgreSQL is a standby (in recovery)';
const unavailable = { status: 503, body: { code: 'UNAVAILABLE' } };

describe.skipIf(programs === null)('with a standby beside the primary', () => {
  const directory = temporaryDirectory().path;
  let primary: SystemPostgres;
  let standbyUrl: string;
  let splitter: PostgresSplitter;
  let service: Instance;

  beforeAll(async () => {
    primary = await startSystemPostgres(programs ?? '');
    await primary.createDatabase('latchkey');
    standbyUrl = await primary.startStandby();
    splitter = await startPostgresSplitter(primary.url, standbyUrl);
    service = await startInstance({ DATABASE_URL: `${splitter.url}/latchkey`, DATA_DIR: directory });
  });
  afterAll(async () => {
    await killInstances();
    await splitter?.stop();
    await primary?.stop();
  });
  beforeEach(() => splitter.toStandby());

  const verify = (body: string) => rest(service.verifyUrl, null, 'POST', '/v1/verify', body);
  const list = () => rest(service.url, token, 'GET', `/v1/keys?teamId=${teamId}`);
  const hasCaughtUp = async () => {
    const [lsn] = await query(`${primary.url}/latchkey`, 'SELECT pg_current_wal_lsn()::text AS lsn');
    const [standby] = await query(`${standbyUrl}/latchkey`, `SELECT pg_last_wal_replay_lsn() >= '${lsn?.lsn}' AS done`);
    return standby?.done === true;
  };
  /** The first verdict, once there is one. */
  const verdict = async (body: string): Promise<string> => {
    let answer = await verify(body);
    await until('verification works', async () => {
      if (answer.status !== 200) answer = await verify(body);
      return answer.status === 200;
    });
    return answer.body.code;
  };

  /** The log has the first error of each second: that may be the end of the connection. */
  const logNames = async (reason: string, body: string) =>
    await until(`the log has: ${reason}`, async () => {
      expect(await verify(body)).toMatchObject(unavailable);
      return service.output().includes(reason);
    });

  it('a feed that is connected to a standby answers 503 after a revoke, never VALID, and the log names the reason', async () => {
    const key = await makeKey(service);
    const body = await verifyBody(key);
    await until('the standby has the key', hasCaughtUp);
    await query(`${standbyUrl}/latchkey`, 'SELECT pg_wal_replay_pause()');
    splitter.toStandby(connectionNames.verification);
    expect((await rest(service.url, token, 'DELETE', `/v1/keys/${key.id}`)).status).toBe(200);
    for (let i = 0; i < 5; i += 1) expect(await verify(body)).toMatchObject(unavailable);
    await logNames(onStandby, body);
    splitter.toStandby();
    expect(await verdict(body)).toBe('REVOKED');
    await query(`${standbyUrl}/latchkey`, 'SELECT pg_wal_replay_resume()');
  });

  it('signatures whose nonces would be recorded on a standby get 503', async () => {
    const key = await makeKey(service);
    const signingSecret = await enableSigning(service, key);
    expect(await verdict(await verifyBody(key, signingSecret))).toBe('VALID');
    splitter.toStandby('latchkey nonces');
    expect(await verify(await verifyBody(key, signingSecret))).toMatchObject(unavailable);
    splitter.toStandby();
    expect(await verdict(await verifyBody(key, signingSecret))).toBe('VALID');
  });

  it('management reads and changes that are led to a standby get 503, and the log names the reason', async () => {
    const key = await makeKey(service);
    const before = service.output().length;
    splitter.toStandby('latchkey');
    expect(await rest(service.url, token, 'DELETE', `/v1/keys/${key.id}`)).toMatchObject(unavailable);
    expect(await rest(service.url, token, 'POST', `/v1/keys/${key.id}/signing/enable`)).toMatchObject(unavailable);
    expect((await rest(service.url, null, 'GET', '/readyz')).status).toBe(503);
    // The log has the first error of each second.
    await until('the log names the reason', async () => {
      expect(await rest(service.url, token, 'DELETE', `/v1/keys/${key.id}`)).toMatchObject(unavailable);
      return service.output().slice(before).includes(onStandby);
    });
    splitter.toStandby();
    expect(await verdict(await verifyBody(key))).toBe('VALID');
    expect((await rest(service.url, token, 'DELETE', `/v1/keys/${key.id}`)).status).toBe(200);
  });

  it('a primary that is made read-only verifies nothing until it takes writes again', async () => {
    const body = await verifyBody(await makeKey(service));
    expect(await verdict(body)).toBe('VALID');
    await query(`${primary.url}/postgres`, 'ALTER DATABASE latchkey SET default_transaction_read_only = on');
    try {
      splitter.toStandby();
      await logNames('PostgreSQL accepts no writes (transaction_read_only is on)', body);
      expect((await list()).status).toBe(503);
    } finally {
      await query(`${primary.url}/postgres`, 'ALTER DATABASE latchkey RESET default_transaction_read_only');
    }
    splitter.toStandby();
    expect(await verdict(body)).toBe('VALID');
  });

  it('a service that is connected to a standby does not start, and says why', async () => {
    const started = startInstance({ DATABASE_URL: `${standbyUrl}/latchkey`, DATA_DIR: directory });
    await expect(started).rejects.toThrow(onStandby);
  });

  it('doctor reports a standby, and on the primary asynchronous replication and fsync = off', async () => {
    const doctor = (url: string) =>
      new Promise<{ what: string; state: string; note: string }[]>((resolve) => {
        const env = { DATABASE_URL: `${url}/latchkey`, DATA_DIR: directory, JWT_SECRET: jwtSecret };
        const args = ['dist/cli/latchkey.js', 'doctor', '--json'];
        execFile(process.execPath, args, { env: { PATH: process.env.PATH, ...env } }, (_, stdout) =>
          resolve(JSON.parse(stdout)),
        );
      });
    const notes = async (url: string) =>
      (await doctor(url)).filter(({ what }) => what.startsWith('store')).map(({ state, note }) => `${state}: ${note}`);
    expect(await notes(standbyUrl)).toEqual([expect.stringContaining(`error: DATABASE_URL: ${onStandby}`)]);
    expect(await notes(primary.url)).toEqual([
      expect.stringContaining('ok: can be read and written'),
      expect.stringContaining('error: fsync is off'),
      expect.stringContaining('warning: replication is asynchronous'),
    ]);
  });
});
