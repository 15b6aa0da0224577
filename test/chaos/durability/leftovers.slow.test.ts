/** After a kill, the service starts without help, with each kind of leftover file. */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { signRequest } from '../../../src/client/sign.ts';
import { generatedSecrets } from '../../../src/config/secrets-file.ts';
import { both, rest, sessionToken } from '../../support/service.ts';
import { postgresDatabase, sqliteDatabase, type TemporaryDatabase } from '../../support/temporary-database.ts';
import { readEvidence } from '../evidence.ts';
import { type Place, placeFor } from './stores.ts';

const clean: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const undo of clean.splice(0).reverse()) await undo();
});

async function emptyDatabase(create: () => Promise<TemporaryDatabase>): Promise<TemporaryDatabase> {
  const database = await create();
  clean.push(database.remove);
  return database;
}

async function start({ server }: Place): Promise<void> {
  clean.push(() => server.kill());
  await server.start();
}

const teamId = randomUUID();
const token = sessionToken({ [teamId]: both });
const urlOf = ({ server }: Place) => server.url;

async function createKey(place: Place): Promise<{ id: string; secret: string }> {
  const { status, body } = await rest(urlOf(place), token, 'POST', '/v1/keys', { teamId, name: 'A key', env: 'live' });
  expect(status).toBe(201);
  return body;
}

async function codeOf({ server }: Place, call: object): Promise<string> {
  return (await rest(server.verifyUrl, null, 'POST', '/v1/verify', call)).body.code;
}

describe('of a SQLite service that was killed', () => {
  let origin: TemporaryDatabase;
  let plain: { id: string; secret: string };
  let revoked: { id: string; secret: string };
  let signed: object;

  beforeAll(async () => {
    origin = await sqliteDatabase();
    const place = await placeFor(origin);
    await place.server.start();
    plain = await createKey(place);
    revoked = await createKey(place);
    const { id, secret } = await createKey(place);
    const { signingSecret } = (await rest(urlOf(place), token, 'POST', `/v1/keys/${id}/signing/enable`)).body;
    const request = { method: 'GET', url: 'https://api.example.com/' };
    const headers = signRequest(request, { keyId: id, signingSecret, expiresInSeconds: 300 });
    signed = { key: secret, request: { ...request, headers } };
    expect(await codeOf(place, signed)).toBe('VALID');
    expect((await rest(urlOf(place), token, 'DELETE', `/v1/keys/${revoked.id}`)).status).toBe(200);
    await place.server.kill();
  });
  afterAll(async () => {
    await origin.remove();
  });

  /** A service on a copy of what was left, after something was done to it. */
  async function startOn(change: (file: string) => void): Promise<Place> {
    const database = await emptyDatabase(sqliteDatabase);
    cpSync(origin.directory, database.directory, { recursive: true });
    change(database.url.slice('file:'.length));
    const place = await placeFor(database);
    await start(place);
    return place;
  }

  const empty = (file: string) => truncateSync(file, 0);
  const half = (file: string) => truncateSync(file, statSync(file).size >> 1);

  /** The database's own file with this ending, and that of the nonces. */
  const forBoth = (file: string, ending: string, change: (path: string) => void) => {
    change(file + ending);
    change(`${file}-nonces${ending}`);
  };

  it('all is still in the log, as a kill leaves it', () => {
    const file = origin.url.slice('file:'.length);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    expect(existsSync(`${file}-shm`)).toBe(true);
    expect(statSync(`${file}-nonces-wal`).size).toBeGreaterThan(0);
  });

  it.each<[string, (file: string) => void]>([
    ['logs and indexes as they were', () => undefined],
    ['no indexes', (file) => forBoth(file, '-shm', (path) => rmSync(path))],
    ['indexes of another time', (file) => forBoth(file, '-shm', (path) => writeFileSync(path, randomBytes(32_768)))],
    [
      'logs whose last was being written',
      (file) => forBoth(file, '-wal', (path) => appendFileSync(path, randomBytes(3000))),
    ],
  ])('%s: everything acknowledged is there', async (_, change) => {
    const place = await startOn(change);
    expect(await codeOf(place, { key: plain.secret })).toBe('VALID');
    expect(await codeOf(place, { key: revoked.secret })).toBe('REVOKED');
    expect(await codeOf(place, signed)).toBe('SIGNATURE_REPLAYED');
    await createKey(place);
  });

  // As in the first moments of a first start; later it is never emptied.
  it.each<[string, (file: string) => void]>([
    ['a file of nonces with nothing in it', (file) => ['-wal', '-shm', ''].map((end) => empty(file + end))],
    ['a file of nonces with half of its log', (file) => half(`${file}-wal`)],
  ])('%s: it starts, and signatures are good once', async (_, change) => {
    const place = await startOn((file) => change(`${file}-nonces`));
    await codeOf(place, signed);
    expect(await codeOf(place, signed)).toBe('SIGNATURE_REPLAYED');
    expect(await codeOf(place, { key: plain.secret })).toBe('VALID');
  });
});

it('secrets that were being written when the process was killed are not taken for secrets, nor in the way', async () => {
  const { directory } = await emptyDatabase(sqliteDatabase);
  mkdirSync(directory, { recursive: true });
  const leftover = join(directory, 'secrets.json.0123456789abcdef');
  writeFileSync(leftover, '{ "jwtSecret": "half of a', { mode: 0o600 });
  const first = generatedSecrets(directory);
  expect(first.isNew).toBe(true);
  // Killed after they had been linked into place, and before the other name was gone.
  rmSync(leftover);
  linkSync(join(directory, 'secrets.json'), leftover);
  expect(generatedSecrets(directory)).toEqual({ ...first, isNew: false });
});

/** Runs the first migration in a process that is killed before it commits. */
async function killMidMigration(script: string): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (part) => {
    complaint += String(part);
  });
  const [, signal] = await once(child, 'exit');
  expect(signal, complaint).toBe('SIGKILL');
}

const die = `process.kill(process.pid, 'SIGKILL')`;

function firstMigration(provider: string): string {
  const directory = join('prisma', 'migrations', provider);
  const [first = ''] = readdirSync(directory).sort();
  return JSON.stringify(readFileSync(join(directory, first, 'migration.sql'), 'utf8'));
}

async function expectFreshAndWorking(place: Place): Promise<void> {
  await start(place);
  const { keys, entries, current, damage } = await readEvidence(place.databaseUrl);
  expect({ keys, entries, current, damage }).toEqual({ keys: [], entries: [], current: 0, damage: [] });
  expect(await codeOf(place, { key: (await createKey(place)).secret })).toBe('VALID');
}

it('a migration of SQLite that was killed before its commit, some of it in the log already', async () => {
  const place = await placeFor(await emptyDatabase(sqliteDatabase));
  const file = place.databaseUrl.slice('file:'.length);
  await killMidMigration(`
    import Sqlite from 'better-sqlite3';
    const sqlite = new Sqlite(${JSON.stringify(file)});
    // With next to no memory for pages, they go to the log before the commit.
    for (const pragma of ['journal_mode = WAL', 'cache_size = 1']) sqlite.pragma(pragma);
    sqlite.exec('BEGIN IMMEDIATE');
    sqlite.exec(${firstMigration('sqlite')});
    ${die};`);
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(4096);
  await expectFreshAndWorking(place);
});

describe('on PostgreSQL', () => {
  const newDatabase = () => emptyDatabase(() => postgresDatabase(inject('postgresUrl')));

  it('a migration that was killed before its commit, with its lock', async () => {
    const place = await placeFor(await newDatabase());
    await killMidMigration(`
      import pg from 'pg';
      const client = new pg.Client({ connectionString: ${JSON.stringify(place.databaseUrl)} });
      await client.connect();
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock(72707369)');
      await client.query(${firstMigration('postgresql')});
      ${die};`);
    await expectFreshAndWorking(place);
  });

  it('the lock of a session whose machine is gone, which the server still takes for alive', async () => {
    const place = await placeFor(await newDatabase());
    await start(place);
    await place.server.kill();
    const session = new pg.Client({ connectionString: place.databaseUrl });
    await session.connect();
    try {
      await session.query('SELECT pg_advisory_lock(72707369)');
      await start(place);
      expect(await codeOf(place, { key: (await createKey(place)).secret })).toBe('VALID');
    } finally {
      await session.end();
    }
  });
});
