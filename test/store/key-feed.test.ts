import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { type KeyFeed, maxChanges, mustClearCache } from '../../src/store/feed/key-feed.ts';
import { openKeyFeed } from '../../src/store/feed/verification-store.ts';
import { migrate } from '../../src/store/migrate.ts';
import { temporaryDatabase, theProvider } from '../support/databases.ts';
import { both, callerOf, startService } from '../support/service.ts';

const addressOf = (url: string) => readConfiguration({ DATABASE_URL: url }).DATABASE_URL;

function openFeed(url: string): KeyFeed {
  const feed = openKeyFeed(addressOf(url));
  onTestFinished(() => feed.close());
  return feed;
}

it.each([
  { since: null, revision: 7, why: 'no revision is known yet' },
  { since: 7, revision: 8 + maxChanges, why: 'there are more changes than are fetched' },
  { since: 7, revision: 6, why: 'the store was restored to an earlier revision' },
])('clears the cache: $why', ({ since, revision }) => {
  expect(mustClearCache(since, revision)).toBe(true);
});

it.each([
  { since: 7, revision: 7, why: 'nothing has changed' },
  { since: 7, revision: 8, why: 'there is one change to fetch' },
  { since: 7, revision: 7 + maxChanges, why: 'as many changes as allowed can be fetched' },
])('keeps the cache: $why', ({ since, revision }) => {
  expect(mustClearCache(since, revision)).toBe(false);
});

it('on SQLite, what was known before a restore is forgotten also when the first read after it fails', async () => {
  const running = await startService('sqlite');
  onTestFinished(() => running.stop());
  const teamId = randomUUID();
  const caller = callerOf({ [teamId]: both });
  await createKey(running.service.management, caller, { teamId, name: 'A key', env: 'live' });
  const sqlite = new Sqlite(running.database.url.slice('file:'.length));
  onTestFinished(() => void sqlite.close());
  const [digest] = sqlite.prepare<[], string>('SELECT digest FROM "ApiKey"').pluck().all();
  sqlite.exec(`UPDATE "ApiKey" SET scopes = '['`);
  const feed = openFeed(running.database.url);
  const { revision } = await feed.read(null, []);
  expect(await feed.read(revision, [])).toMatchObject({ overflow: false });
  // As a restore does, it changes the schema version.
  sqlite.exec('CREATE TABLE later (id INTEGER)');
  await expect(async () => feed.read(revision, [String(digest)])).rejects.toMatchObject({
    cause: expect.any(SyntaxError),
  });
  expect(await feed.read(revision, [])).toMatchObject({ overflow: true });
  expect(await feed.read(revision, [])).toMatchObject({ overflow: false });
});

it('on SQLite, a key that another process rotates between two statements of a lookup is found', async () => {
  const running = await startService('sqlite');
  onTestFinished(() => running.stop());
  const teamId = randomUUID();
  const { apiKey } = await createKey(running.service.management, callerOf({ [teamId]: both }), {
    teamId,
    name: 'A key',
    env: 'live',
  });
  const other = new Sqlite(running.database.url.slice('file:'.length));
  onTestFinished(() => void other.close());
  let isRotated = false;
  const rotateOnce = () => {
    if (isRotated) return;
    isRotated = true;
    other.exec(`BEGIN;
      INSERT INTO "RotatedSecret" SELECT digest, id, teamId, 1, prefix, pepperId, createdAt FROM "ApiKey";
      UPDATE "ApiKey" SET digest = 'the new one', secretVersion = 2;
      COMMIT`);
  };
  afterStatementsWith(apiKey.digest, rotateOnce);
  const feed = openFeed(running.database.url);
  const { revision } = await feed.read(null, []);
  const { keys } = await feed.read(revision, [apiKey.digest]);
  expect(isRotated).toBe(true);
  expect(keys.map(({ id }) => id)).toContain(apiKey.id);
});

/** Calls back after each statement with this parameter, of the feeds that are opened from now on. */
function afterStatementsWith(parameter: string, then: () => void): void {
  const { prepare } = Sqlite.prototype;
  const spy = vi.spyOn(Sqlite.prototype, 'prepare').mockImplementation(function (this: Sqlite.Database, sql: string) {
    const statement = prepare.call(this, sql);
    for (const method of ['get', 'all'] as const) {
      const run = statement[method].bind(statement);
      Object.defineProperty(statement, method, {
        value: (...parameters: [object]) => {
          const result = run(...parameters);
          if (parameters.some((one) => String(one) === parameter)) then();
          return result;
        },
      });
    }
    return statement;
  });
  onTestFinished(() => spy.mockRestore());
}

if (theProvider === 'postgresql') {
  it('on PostgreSQL, a copy of a database on the same server has an epoch of its own', async () => {
    const original = await temporaryDatabase('postgresql');
    onTestFinished(() => original.remove());
    await migrate(addressOf(original.url));
    const copy = `${new URL(original.url).pathname.slice(1)}_copy`;
    const admin = new pg.Client({ connectionString: `${inject('postgresUrl')}/postgres` });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${copy} TEMPLATE ${new URL(original.url).pathname.slice(1)}`);
    onTestFinished(async () => {
      await admin.query(`DROP DATABASE ${copy} WITH (FORCE)`);
      await admin.end();
    });
    const read = async (url: string) => await openFeed(url).read(null, []);
    const [one, other] = [await read(original.url), await read(`${inject('postgresUrl')}/${copy}`)];
    expect(other.revision).toBe(one.revision);
    expect(other.epoch).not.toBe(one.epoch);
  });
}
