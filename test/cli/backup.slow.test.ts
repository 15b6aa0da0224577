/** A backup of a running service is whole, is restored only where that is safe, and never destroys what was there. */
import { randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { enableSigning as enable } from '../../src/manage/change/signing.ts';
import { enableSigning, makeKey, token, verdictOn, verifyBody, whileKeysChange } from '../support/calls.ts';
import { compose } from '../support/compose.ts';
import { killInstances, runCommand, startInstance } from '../support/instance.ts';
import { both, callerOf, jwtSecret, rest } from '../support/service.ts';

let root: string;
let data: string;
let copy: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'latchkey-backup-'));
  data = join(root, 'data');
  copy = join(root, 'backups', 'one');
});
afterEach(async () => {
  await killInstances();
  rmSync(root, { recursive: true, force: true });
});

/** A database with one key that demands signed requests, which no service has open. */
async function seed(environment: NodeJS.ProcessEnv = {}): Promise<void> {
  const configuration = readConfiguration({
    DATA_DIR: data,
    LOG_LEVEL: 'silent',
    JWT_SECRET: jwtSecret,
    ...environment,
  });
  const { management, close } = await compose(configuration);
  const team = randomUUID();
  const caller = callerOf({ [team]: both });
  const { apiKey } = await createKey(management, caller, { teamId: team, name: 'A key', env: 'live' });
  await enable(management, caller, apiKey.id);
  await close();
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const backUp = (environment: NodeJS.ProcessEnv = {}) =>
  runCommand(['backup', copy], { DATA_DIR: data, ...environment });
const restore = (directory: string, ...flags: string[]) =>
  runCommand(['restore', copy, ...flags], { DATA_DIR: directory });

it('a copy made under changes is of one moment: what was answered before is in it, with its audit entries', async () => {
  const service = await startInstance({ DATA_DIR: data });
  const [plain, signing] = [await makeKey(service), await makeKey(service)];
  const signingSecret = await enableSigning(service, signing);
  const { before, result } = await whileKeysChange(service, backUp);
  await service.stop();
  const { exitCode, stdout, stderr } = result;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain('secrets.json   the generated secrets');
  for (const secret of readFileSync(join(data, 'secrets.json'), 'utf8').match(/[\w+/]{43}=/g) ?? ['none']) {
    expect(stdout).not.toContain(secret);
  }
  expect(readdirSync(copy).sort()).toEqual(['latchkey.db', 'secrets.json']);
  expect([copy, join(copy, 'latchkey.db'), join(copy, 'secrets.json')].map(modeOf)).toEqual(['700', '600', '600']);
  expect(readdirSync(join(root, 'backups'))).toEqual(['one']);

  const elsewhere = join(root, 'elsewhere');
  expect(await restore(elsewhere)).toMatchObject({ exitCode: 0, stderr: '' });
  expect([join(elsewhere, 'latchkey.db'), join(elsewhere, 'secrets.json')].map(modeOf)).toEqual(['600', '600']);
  const restored = await startInstance({ DATA_DIR: elsewhere });
  expect(await verdictOn(restored, await verifyBody(plain))).toBe('VALID');
  expect(await verdictOn(restored, await verifyBody(signing, signingSecret))).toBe('VALID');
  for (const key of before) expect(await verdictOn(restored, await verifyBody(key))).toBe('REVOKED');
  expect(await verdictOn(restored, await verifyBody(await makeKey(restored)))).toBe('VALID');
  await restored.stop();
  expectWhole(join(elsewhere, 'latchkey.db'));
});

/** Every key has its creation in the audit trail and nothing is there that the revision does not know of. */
function expectWhole(file: string): void {
  const sqlite = new Sqlite(file, { readonly: true });
  const count = (sql: string) => sqlite.prepare<[], number>(`SELECT count(*) FROM ${sql}`).pluck().get();
  const created = `"AuditEntry" e WHERE e."keyId" = k.id AND e.action = 'KEY_CREATED'`;
  expect(count('"ApiKey"')).toBeGreaterThan(20);
  expect(count(`"ApiKey" k WHERE (SELECT count(*) FROM ${created}) <> 1`)).toBe(0);
  expect(count('"ApiKey" k WHERE NOT EXISTS (SELECT 1 FROM "AuditEntry" e WHERE e.revision = k.revision)')).toBe(0);
  expect(count('"AuditEntry" e WHERE NOT EXISTS (SELECT 1 FROM "ApiKey" k WHERE k.id = e."keyId")')).toBe(0);
  expect(count('"AuditEntry" WHERE revision > (SELECT current FROM "Revision")')).toBe(0);
  sqlite.close();
}

/** As the service does it when the key was revoked long ago. */
function purgeKey(file: string, id: string): void {
  const sqlite = new Sqlite(file);
  sqlite.prepare('DELETE FROM "ApiKey" WHERE id = ?').run(id);
  sqlite.close();
}

it('nothing is restored under a running service, over a database without --force, or over kept files', async () => {
  const service = await startInstance({ DATA_DIR: data });
  const [revoked, purged, signing] = [await makeKey(service), await makeKey(service), await makeKey(service)];
  const [disabled, rotated, ended] = [await makeKey(service), await makeKey(service), await makeKey(service)];
  await rest(service.url, token, 'POST', `/v1/keys/${ended.id}/rotate`, { overlapSeconds: 3600 });
  const resigned = await makeKey(service);
  await enableSigning(service, resigned);
  const signingSecret = await enableSigning(service, signing);
  expect((await backUp()).exitCode).toBe(0);
  const used = await verifyBody(signing, signingSecret);
  expect(await verdictOn(service, used)).toBe('VALID');
  await rest(service.url, token, 'DELETE', `/v1/keys/${revoked.id}`);
  await rest(service.url, token, 'POST', `/v1/keys/${disabled.id}/disable`);
  await rest(service.url, token, 'POST', `/v1/keys/${rotated.id}/rotate`);
  await rest(service.url, token, 'POST', `/v1/keys/${ended.id}/end-overlap`);
  await rest(service.url, token, 'POST', `/v1/keys/${resigned.id}/signing/rotate`);
  const later = await makeKey(service);

  const running = await restore(data, '--replace');
  expect(running).toMatchObject({ exitCode: 1, stdout: '' });
  expect(running.stderr).toContain('a service is running on');
  expect(await verdictOn(service, await verifyBody(later))).toBe('VALID');
  await service.stop();
  purgeKey(join(data, 'latchkey.db'), purged.id);

  const untold = await restore(data);
  expect(untold).toMatchObject({ exitCode: 1, stdout: '' });
  expect(untold.stderr).toContain('with --replace, the existing files are kept under another name');

  // A log that a killed service left behind must not be read into the restored database.
  writeFileSync(join(data, 'latchkey.db-wal'), 'stale');
  const told = await restore(data, '--replace');
  expect(told).toMatchObject({ exitCode: 0, stderr: '' });
  expect(told.stdout).toContain('keys revoked or disabled since then, and secrets rotated since then, WORK AGAIN');
  expect(told.stdout).toContain(
    `Keys that were revoked in it and work again: ${[revoked.id, purged.id].sort().join(', ')}`,
  );
  expect(told.stdout).toContain(`Keys that were disabled in it and work again: ${disabled.id}\n`);
  const again = [rotated.id, ended.id, resigned.id].sort().join(', ');
  expect(told.stdout).toContain(`Keys that work again with an earlier secret or signing secret: ${again}\n`);
  expect(told.stdout).not.toContain('start it after');
  const kept = readdirSync(data).filter((name) => /^latchkey\.db\.replaced-\d{8}T\d{6}Z$/.test(name));
  expect(kept).toHaveLength(1);

  const restored = await startInstance({ DATA_DIR: data });
  expect(await verdictOn(restored, await verifyBody(revoked))).toBe('VALID');
  expect(await verdictOn(restored, await verifyBody(later))).toBe('NOT_FOUND');
  // The nonces stayed: what was used before the restore is used.
  expect(await verdictOn(restored, used)).toBe('SIGNATURE_REPLAYED');
  expect(await verdictOn(restored, await verifyBody(signing, signingSecret))).toBe('VALID');
  await restored.stop();
  // And what was replaced is still whole.
  expect(
    await runCommand(['ring', 'list'], { DATA_DIR: data, DATABASE_URL: `file:${join(data, kept[0] ?? '')}` }),
  ).toMatchObject({ exitCode: 0, stderr: '' });
});

it('a leftover log without its database is moved away; without nonces, it prints when no used signature can be replayed', async () => {
  await seed();
  await backUp();
  const elsewhere = join(root, 'elsewhere');
  mkdirSync(elsewhere);
  // Of a killed service whose database was then removed. SQLite would take it for the restored one's.
  writeFileSync(join(elsewhere, 'latchkey.db-wal'), 'stale');
  const { exitCode, stdout } = await restore(elsewhere);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/start it after \d{4}-\d\d-\d\dT[\d:.]+Z/);
  expect(readdirSync(elsewhere).sort()).toEqual([
    'latchkey.db',
    expect.stringMatching(/^latchkey\.db\.replaced-\d{8}T\d{6}Z-wal$/),
    'secrets.json',
  ]);
});

it('what could not be used is never put in place, and nothing is touched', async () => {
  await seed();
  await backUp();
  const elsewhere = join(root, 'elsewhere');
  const spoil = async (how: () => void, reason: RegExp) => {
    cpSync(copy, join(root, 'good'), { recursive: true });
    how();
    const { exitCode, stderr } = await restore(elsewhere, '--replace');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(reason);
    expect(existsSync(elsewhere)).toBe(false);
    rmSync(copy, { recursive: true });
    cpSync(join(root, 'good'), copy, { recursive: true });
  };
  const database = join(copy, 'latchkey.db');
  await spoil(() => rmSync(database), /it has no latchkey\.db/);
  await spoil(() => rmSync(join(copy, 'secrets.json')), /neither in the environment nor in the backup/);
  await spoil(() => writeFileSync(database, 'no database at all'), /the database is of no use: file is not a database/);
  await spoil(
    () => writeFileSync(database, readFileSync(database).fill(7, 8192, 16_384)),
    /the database is (damaged|of no use)/,
  );
  await spoil(
    () => new Sqlite(database).exec(`UPDATE "_prisma_migrations" SET migration_name = 'later'`),
    /this version does not know/,
  );
  await spoil(() => {
    const secrets = JSON.parse(readFileSync(join(copy, 'secrets.json'), 'utf8'));
    secrets.pepper.base64 = secrets.signingKek.base64;
    writeFileSync(join(copy, 'secrets.json'), JSON.stringify(secrets));
  }, /pepper [0-9a-f]{8} has other bytes/);
  await spoil(() => {
    const secrets = JSON.parse(readFileSync(join(copy, 'secrets.json'), 'utf8'));
    secrets.signingKek.id = 'another';
    writeFileSync(join(copy, 'secrets.json'), JSON.stringify(secrets));
  }, /key-encryption key [0-9a-f]{8} is missing, and keys, management keys or webhooks in the database still need it/);
  expect((await restore(elsewhere)).exitCode).toBe(0);
});

it('a backup that could not be restored is rejected while it is made, and leaves nothing behind', async () => {
  await seed();
  rmSync(join(data, 'secrets.json'));
  expect((await backUp()).exitCode).toBe(1);
  writeFileSync(join(data, 'secrets.json'), 'damaged');
  expect((await backUp()).stderr).toContain("secrets.json: can't be read");
  expect(readdirSync(join(root, 'backups'))).toEqual([]);
});

it('a backup never goes into a directory that is there, and secrets of the environment are never in it', async () => {
  const KEY_PEPPERS = `p:${Buffer.alloc(32, 1).toString('base64')}`;
  const SIGNING_KEKS = `k:${Buffer.alloc(32, 2).toString('base64')}`;
  await seed({ KEY_PEPPERS, SIGNING_KEKS });
  const { exitCode, stdout } = await backUp({ KEY_PEPPERS, SIGNING_KEKS });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('The secrets come from the environment and are not in the backup');
  expect(readdirSync(copy)).toEqual(['latchkey.db']);
  const again = await backUp({ KEY_PEPPERS, SIGNING_KEKS });
  expect(again.exitCode).toBe(1);
  expect(again.stderr).toContain('exists already; each backup gets a directory of its own');
});

it.each([
  { tool: 'backup', command: /pg_dump --format=custom/ },
  { tool: 'restore', command: /pg_restore --clean --if-exists --single-transaction/ },
])('$tool of PostgreSQL names the command of its own, and no password', async ({ tool, command }) => {
  const DATABASE_URL = 'postgresql://latchkey:hunter2hunter2@127.0.0.1:1/latchkey';
  const { exitCode, stdout, stderr } = await runCommand([tool, copy], { DATABASE_URL });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(command);
  expect(stdout + stderr).not.toContain('hunter2');
});
