/** What the server, the database or the role sets changes nothing, or the start rejects it and says what to do. */
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { examineStore } from '../../src/cli/operate/doctor/examine-store.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { permissions } from '../../src/domain/key/permission.ts';
import { openStore } from '../../src/service/compose/open-store.ts';
import { Store } from '../../src/store/store.ts';
import { startGatewayOn } from '../support/gateway.ts';
import { rest, sessionToken } from '../support/service.ts';
import { runSql } from '../support/sql.ts';
import { postgresDatabase, type TemporaryDatabase } from '../support/temporary-database.ts';
import { useEverything } from '../support/use-everything.ts';

/** A service in this process, which ends with the test. */
async function startOn(database: TemporaryDatabase) {
  const gateway = await startGatewayOn(database);
  onTestFinished(() => gateway.stop());
  return gateway;
}

const admin = () => `${inject('postgresUrl')}/postgres`;

async function databaseWith(settings: Readonly<Record<string, string>>, options = ''): Promise<TemporaryDatabase> {
  const database = await postgresDatabase(inject('postgresUrl'), options);
  onTestFinished(() => database.remove());
  const name = new URL(database.url).pathname.slice(1);
  for (const [setting, value] of Object.entries(settings)) {
    // Of the database for one half of them, and of the role in it for the other.
    const owner = setting.length % 2 === 0 ? `DATABASE ${name}` : `ROLE latchkey IN DATABASE ${name}`;
    await runSql(admin(), `ALTER ${owner} SET ${setting} = ${value}`);
  }
  return database;
}

/** One of them at a time: each alone has broken something, or could. */
const alone = [
  { DateStyle: "'German'" },
  { DateStyle: "'SQL, DMY'" },
  { DateStyle: "'SQL, MDY'" },
  { DateStyle: "'Postgres, YMD'" },
  { TimeZone: "'Asia/Kathmandu'" },
  { default_transaction_isolation: "'serializable'" },
  { default_transaction_isolation: "'repeatable read'" },
];
const others = {
  array_nulls: 'off',
  backslash_quote: "'on'",
  bytea_output: "'escape'",
  client_encoding: "'LATIN1'",
  escape_string_warning: 'off',
  extra_float_digits: '-15',
  intervalstyle: "'sql_standard'",
  'plpgsql.variable_conflict': "'use_column'",
  quote_all_identifiers: 'on',
  row_security: 'off',
  search_path: '"$user", missing, public',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
};
const timeouts = {
  idle_in_transaction_session_timeout: "'200ms'",
  idle_session_timeout: "'500ms'",
  lock_timeout: "'1ms'",
  statement_timeout: "'500ms'",
  transaction_timeout: "'500ms'",
};

describe('nothing depends on settings of the database and the role', () => {
  it.each(alone)('%o', async (settings) => useEverything(await startOn(await databaseWith(settings))));

  it('what else changes texts, literals and names', async () =>
    useEverything(await startOn(await databaseWith(others))));

  it('timeouts', async () => useEverything(await startOn(await databaseWith(timeouts))));

  it.each([
    "LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' TEMPLATE template0",
    "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' TEMPLATE template0",
    "LC_COLLATE 'C' LC_CTYPE 'C' ENCODING 'UTF8' TEMPLATE template0",
  ])('%s', async (options) => useEverything(await startOn(await databaseWith({}, options))));
});

it.each(['serializable', 'repeatable read'])('instances that change keys at the same time, with %s', async (level) => {
  const database = await databaseWith({ default_transaction_isolation: `'${level}'` });
  const instances = [await startOn(database), await startOn(database)];
  const created = instances.flatMap((one) =>
    Array.from({ length: 30 }, async (_, i) => {
      const token = sessionToken({ [one.teamId]: permissions });
      const body = { teamId: one.teamId, name: `Key ${i}`, env: 'live' };
      return (await rest(one.running.url, token, 'POST', '/v1/keys', body)).status;
    }),
  );
  expect(new Set(await Promise.all(created))).toEqual(new Set([201]));
});

it('a start waits for the migrations of another one, whatever timeouts the role has', async () => {
  const database = await databaseWith({ statement_timeout: "'300ms'", lock_timeout: "'300ms'" });
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('SELECT pg_advisory_lock(72707369)');
  const opening = Store.open(readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL);
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
    AND wait_event = 'advisory' AND now() - query_start > interval '0.4 s'`;
  await expect.poll(() => runSql(database.url, waiting)).toHaveLength(1);
  await other.query('SELECT pg_advisory_unlock(72707369)');
  await (await opening).close();
});

describe.each([
  [
    'LATIN1',
    {},
    `ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`,
    /encoding of the database is LATIN1.*CREATE DATABASE/,
  ],
  ['SQL_ASCII', {}, `ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`, /encoding of the database is SQL_ASCII/],
  ['no schema', { search_path: 'missing' }, '', /no schema of the search_path \(missing\) exists: .*RESET search_path/],
  ['read-only', { default_transaction_read_only: 'on' }, '', /accepts no writes.*default_transaction_read_only/],
] as const)('a database with %s', (_, settings, options, problem) => {
  it('is rejected at the start and by doctor, with what to do, and stays empty', async () => {
    const database = await databaseWith(settings, options);
    const configuration = readConfiguration({ DATABASE_URL: database.url, DATA_DIR: database.directory });
    await expect(openStore(configuration, { warn: () => undefined })).rejects.toThrow(problem);
    await expect(openStore(configuration, { warn: () => undefined })).rejects.toThrow(/^DATABASE_URL: /);
    const { findings } = await examineStore(configuration);
    expect(findings).toEqual([{ what: 'store PostgreSQL', state: 'error', note: expect.stringMatching(problem) }]);
    const tables = `SELECT 1 FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;
    expect(await runSql(database.url, tables)).toEqual([]);
  });
});
