/** A full disk under PostgreSQL: UNAVAILABLE, nothing half written, and all of it works again the moment there is space. */
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, expect, inject, it } from 'vitest';
import { findings } from '../../cli/findings.ts';
import { teamId, token } from '../../support/calls.ts';
import { killInstances, startInstance, until } from '../../support/instance.ts';
import { jwtSecret, rest } from '../../support/service.ts';
import { type Evidence, flaws, openEvidence } from '../evidence.ts';
import { noSmallDisk, smallDisk } from './small-disk.ts';

if (noSmallDisk !== null) console.warn(`test/chaos/faults/full-tablespace.slow.test.ts is skipped: ${noSmallDisk}`);
afterEach(killInstances);

it.skipIf(noSmallDisk !== null)('PostgreSQL with a full disk behind its tables, and with space again', async () => {
  const disk = smallDisk('24m');
  const database = await databaseOn(disk.directory);
  try {
    const service = await startInstance({ DATABASE_URL: database.url, DATA_DIR: join(disk.directory, 'data') });
    const create = () => rest(service.url, token, 'POST', '/v1/keys', { teamId, name: 'x', env: 'live' });
    const codeOf = async (key: string) =>
      (await rest(service.verifyUrl, null, 'POST', '/v1/verify', { key })).body.code;
    const { secret } = (await create()).body;
    // Connects to PostgreSQL. With a full disk, a new connection can fail: it may have to write the cache of the catalog.
    expect(await codeOf(secret)).toBe('VALID');

    // Existing pages have space for some more. PostgreSQL can also free a page after the disk was filled, so it is filled again.
    let written = 1;
    const fill = async () => {
      disk.fill();
      let answer = await create();
      for (; answer.status === 201 && written < 500; answer = await create()) written += 1;
      return answer;
    };
    const answer = await fill();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(answer.body).toMatchObject({ code: 'UNAVAILABLE', detail: 'The store does not answer; try again shortly.' });
    expect(await codeOf(secret)).toBe('VALID');
    const readiness = async ({ url }: { readonly url: string }) => (await rest(url, null, 'GET', '/readyz')).status;
    await until(
      'management is not ready',
      async () => (await fill()).status === 503 && (await readiness(service)) === 503,
    );
    expect(await readiness({ url: service.verifyUrl })).toBe(200);
    const environment = { DATABASE_URL: database.url, DATA_DIR: join(disk.directory, 'data'), JWT_SECRET: jwtSecret };
    let note: string | undefined;
    await until('the doctor reports an error', async () => {
      await fill();
      const finding = (await findings(environment)).of('store');
      note = finding?.note;
      return finding?.state === 'error';
    });
    expect(note).toMatch(/^DATABASE_URL: .*No space left.*: free some space on the disk of the server$/);
    const evidence = await database.read();
    expect(flaws(evidence)).toEqual([]);
    expect([evidence.keys.length, evidence.entries.length]).toEqual([written, written]);

    disk.free();
    await until('management is ready', async () => (await readiness(service)) === 200);
    expect(await database.read()).toEqual(evidence);
    const created = await create();
    expect(created.status).toBe(201);
    expect(await codeOf(created.body.secret)).toBe('VALID');
    expect(flaws(await database.read())).toEqual([]);
    expect(await service.stop()).toBe(0);
  } finally {
    await killInstances();
    disk.free();
    await database.remove();
    disk.remove();
  }
});

interface SmallDatabase {
  readonly url: string;
  readonly read: () => Promise<Evidence>;
  readonly remove: () => Promise<void>;
}

/** A database of the PostgreSQL of this test run whose files are in a directory. */
async function databaseOn(directory: string): Promise<SmallDatabase> {
  const server = inject('postgresUrl');
  const name = `small_${randomBytes(8).toString('hex')}`;
  const location = join(directory, 'tables');
  const admin = new pg.Client({ connectionString: `${server}/postgres` });
  await admin.connect();
  const { rows } = await admin.query<{ data_directory: string }>('SHOW data_directory');
  const { uid, gid } = statSync(rows[0]?.data_directory ?? '');
  mkdirSync(location);
  chownSync(location, uid, gid);
  await admin.query(`CREATE TABLESPACE ${name} LOCATION '${location}'`);
  await admin.query(`CREATE DATABASE ${name} TABLESPACE ${name}`);
  const url = `${server}/${name}`;
  const { read, close } = await openEvidence(url);
  return {
    url,
    read,
    remove: async () => {
      await close();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.query(`DROP TABLESPACE ${name}`);
      await admin.end();
    },
  };
}
