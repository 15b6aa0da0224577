/** `latchkey doctor` on a PostgreSQL that does not let it in, and on disks that take no more. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { Store } from '../../src/store/store.ts';
import { noSmallDisk, type SmallDisk, smallDisk } from '../chaos/faults/small-disk.ts';
import { freePort } from '../support/free-port.ts';
import { inTests } from '../support/in-tests.ts';
import { query, startPostgres } from '../support/postgres.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import { findings } from './findings.ts';

const password = 'canary-password';

async function storeOf(DATABASE_URL: string) {
  const { exitCode, list, of } = await findings({ DATABASE_URL, DATA_DIR: temporaryDirectory().path });
  expect(JSON.stringify(list)).not.toContain(password);
  expect(list.filter(({ what }) => what.startsWith('store'))).toHaveLength(1);
  return { exitCode, ...of('store') };
}

const failure = (note: RegExp) => ({ exitCode: 1, state: 'error', note: expect.stringMatching(note) });

describe('a PostgreSQL', () => {
  const server = inTests(async () => {
    const flags = ['-c', 'max_connections=6', '-c', 'superuser_reserved_connections=0'];
    const started = await startPostgres(flags);
    await query(`${started.url}/postgres`, `ALTER ROLE latchkey PASSWORD 'another password'`);
    await query(`${started.url}/postgres`, 'CREATE DATABASE secured');
    await query(`${started.url}/postgres`, 'CREATE DATABASE encrypted');
    await query(`${started.url}/postgres`, 'CREATE ROLE visitor LOGIN');
    writeFileSync(
      join(started.directory, 'pg_hba.conf'),
      [
        'host secured all 127.0.0.1/32 scram-sha-256',
        'hostssl encrypted all 127.0.0.1/32 trust',
        'host postgres,missing all 127.0.0.1/32 trust',
      ].join('\n'),
    );
    await query(`${started.url}/postgres`, 'SELECT pg_reload_conf()');
    return started;
  });
  const urlOf = (database: string, user = `latchkey:${password}`) =>
    `postgresql://${user}@127.0.0.1:${server.port}/${database}`;

  it('that is empty is no failure, and stays empty', async () => {
    const note = 'has no tables yet: the first start creates them';
    expect(await storeOf(urlOf('postgres'))).toMatchObject({ exitCode: 0, state: 'warning', note });
    const tables = await query(urlOf('postgres'), `SELECT 1 FROM pg_tables WHERE schemaname = 'public'`);
    expect(tables).toEqual([]);
  });

  it.each([
    [
      'does not listen',
      async () => urlOf('postgres').replace(/:\d+\//, `:${await freePort()}/`),
      /start the server, or co/,
    ],
    [
      'has an unknown host',
      () => urlOf('postgres').replace('127.0.0.1', 'no-such-host.invalid'),
      /correct the host name/,
    ],
    ['has another password', () => urlOf('secured'), /password authentication failed.*: correct the user and the pass/],
    ['gets no password', () => urlOf('secured', 'latchkey'), /: add the password of the user to the URL$/],
    [
      'has no such user',
      () => urlOf('postgres', `nobody:${password}`),
      /role "nobody" does not exist: create the user/,
    ],
    [
      'has no such database',
      () => urlOf('missing'),
      /database "missing" does not exist: create the database, or correct/,
    ],
    ['requires TLS', () => urlOf('encrypted'), /no encryption: add sslmode=verify-full to the URL$/],
    [
      'has no TLS',
      () => `${urlOf('postgres')}?sslmode=verify-full`,
      /does not support SSL.*: turn on TLS at the server, or/,
    ],
  ])('that %s is reported with what to do, without the password', async (_, url, note) => {
    expect(await storeOf(await url())).toMatchObject(failure(note));
  });

  it('that accepts a connection and is silent is reported within the timeout', async () => {
    const silent = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
    const url = urlOf('postgres').replace(/:\d+\//, `:${port}/`);
    expect(await storeOf(url)).toMatchObject(failure(/can't be reached: .*: check host, port and firewall$/));
    silent.close();
  });

  it('that has no connection free is reported', async () => {
    const clients = Array.from({ length: 6 }, () => new pg.Client({ connectionString: urlOf('postgres') }));
    for (const client of clients) await client.connect();
    expect(await storeOf(urlOf('postgres'))).toMatchObject(failure(/too many clients already: raise max_connections/));
    await Promise.all(clients.map((client) => client.end()));
  });
});

if (noSmallDisk !== null) console.warn(`part of test/cli/doctor.slow.test.ts is skipped: ${noSmallDisk}`);

describe.skipIf(noSmallDisk !== null)('a disk', () => {
  let disk: SmallDisk;
  afterEach(() => disk.remove());

  it('that is nearly full, full or read-only is reported, whether it has a database or not', async () => {
    disk = smallDisk();
    const examine = async () => {
      const { exitCode, of } = await findings({ DATA_DIR: disk.directory });
      return { exitCode, directory: of('directory'), store: of('store') };
    };
    const nearlyFull = { state: 'warning', note: expect.stringMatching(/^only \d MB are free on its disk: free some/) };
    expect(await examine()).toMatchObject({ exitCode: 0, directory: nearlyFull });
    const full = { state: 'error', note: expect.stringMatching(/ENOSPC.*: the disk is full; free some space$/) };
    disk.fill();
    expect(await examine()).toMatchObject({ exitCode: 1, directory: full });
    disk.free();
    await (await Store.open({ provider: 'sqlite', file: join(disk.directory, 'latchkey.db') })).close();
    expect(await examine()).toMatchObject({ exitCode: 0, directory: nearlyFull, store: { state: 'ok' } });
    disk.fill();
    const unusable = { state: 'error', note: expect.stringMatching(/is there space, and may it be written to\?$/) };
    expect(await examine()).toMatchObject({ exitCode: 1, directory: full, store: unusable });
    disk.free();
    disk.remount('ro');
    const readOnly = {
      state: 'error',
      note: expect.stringMatching(/EROFS.*: mount the file system for reading and w/),
    };
    expect(await examine()).toMatchObject({ exitCode: 1, directory: readOnly, store: unusable });
  });
});
