/** What the server, the database or the role sets changes nothing, or the start rejects it and says what to do. */
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { examineStore } from '../../src/cli/operate/doctor/examine-store.ts';
import { signRequest } from '../../src/client/sign.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { permissions } from '../../src/domain/key/permission.ts';
import { openStore } from '../../src/service/compose/open-store.ts';
import { Store } from '../../src/store/store.ts';
import { startGatewayOn } from '../support/gateway.ts';
import { operations } from '../support/operations.ts';
import { graphql, rest, sessionToken } from '../support/service.ts';
import { runSql } from '../support/sql.ts';
import { postgresDatabase, type TemporaryDatabase } from '../support/temporary-database.ts';

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

/** All that a team does with keys. Its times have days that are months too. */
async function useEverything(database: TemporaryDatabase): Promise<void> {
  const gateway = await startGatewayOn(database);
  onTestFinished(() => gateway.stop());
  const { teamId: team, url: port } = gateway;
  const { url } = gateway.running;
  const token = sessionToken({ [team]: permissions });
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await rest(url, token, method, path, body);
    expect([method, path, answer.status, answer.body]).toEqual([
      method,
      path,
      answer.status < 300 ? answer.status : 200,
      answer.body,
    ]);
    return answer.body;
  };
  const create = (name: string, more: object = {}) =>
    call('POST', '/v1/keys', { teamId: team, name, env: 'live', ...more });
  const verify = async (key: string, request?: object) =>
    (await rest(port, null, 'POST', '/v1/verify', { key, ...(request && { request }) })).body.code;
  const ask = async (document: string) => {
    const { body } = await graphql(url, token, document);
    expect([document, body.errors]).toEqual([document, undefined]);
    return body.data;
  };

  // The digits and dots of German dates, the order of American ones, accents, a backslash and quotes.
  const expiries = ['2031-02-01T03:04:05.678Z', '2030-05-06T07:08:09.012Z', null];
  const names = ["Ärger \\ 'x' \"y\" E\\'z", 'b', 'A'];
  const made = [];
  for (const [i, name] of names.entries()) made.push(await create(name, { expiresAt: expiries[i], tags: ['a\\b'] }));
  const [first, second, third] = made;
  for (const { secret } of made) expect(await verify(secret)).toBe('VALID');

  const page = async (orderBy: string, after: string | null) =>
    (
      await ask(`{ keys(teamId: "${team}", first: 1, after: ${JSON.stringify(after)}, orderBy: ${orderBy}) {
        nodes { id expiresAt createdAt name } pageInfo { endCursor hasNextPage } } }`)
    ).keys;
  for (const field of ['CREATED_AT', 'NAME', 'EXPIRES_AT']) {
    const paged = async (direction: string) => {
      const seen = [];
      let [after, hasNextPage] = [null, true];
      while (hasNextPage) {
        const { nodes, pageInfo } = await page(`{ field: ${field}, direction: ${direction} }`, after);
        seen.push(...nodes);
        ({ endCursor: after, hasNextPage } = pageInfo);
      }
      return seen;
    };
    const ascending = await paged('ASC');
    expect(ascending.map(({ id, expiresAt }) => [id, expiresAt]).toSorted()).toEqual(
      made.map(({ id }, i) => [id, expiries[i]]).toSorted(),
    );
    expect((await paged('DESC')).map(({ id }) => id)).toEqual(ascending.map(({ id }) => id).toReversed());
    for (const { createdAt } of ascending) expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(600_000);
  }
  const soon = `{ keys(teamId: "${team}", filter: { expiresBefore: "2030-12-31T00:00:00Z" }) { nodes { id } } }`;
  expect((await ask(soon)).keys.nodes).toEqual([{ id: second.id }]);
  const search = `{ keys(teamId: "${team}", filter: { search: "ärger \\\\" }) { nodes { id name } } }`;
  expect((await ask(search)).keys.nodes).toEqual([{ id: first.id, name: names[0] }]);

  expect(await call('PATCH', `/v1/keys/${second.id}`, { expiresAt: '2030-07-08T09:10:11.120Z' })).toMatchObject({
    expiresAt: '2030-07-08T09:10:11.120Z',
  });
  await call('POST', `/v1/keys/${second.id}/disable`, { reason: 'a reason' });
  expect(await verify(second.secret)).toBe('DISABLED');
  await call('POST', `/v1/keys/${second.id}/enable`);
  const rotated = await call('POST', `/v1/keys/${second.id}/rotate`, { overlapSeconds: 3600 });
  expect([await verify(rotated.secret), await verify(second.secret)]).toEqual(['VALID', 'VALID']);
  await call('POST', `/v1/keys/${second.id}/end-overlap`);
  expect([await verify(rotated.secret), await verify(second.secret)]).toEqual(['VALID', 'ROTATED']);

  const { signingSecret } = await call('POST', `/v1/keys/${third.id}/signing/enable`);
  const request = { method: 'GET', url: 'https://api.example.com/' };
  const signed = { ...request, headers: { ...(await signRequest(request, { keyId: third.id, signingSecret })) } };
  expect([await verify(third.secret, signed), await verify(third.secret, signed)]).toEqual([
    'VALID',
    'SIGNATURE_REPLAYED',
  ]);
  await call('POST', `/v1/keys/${third.id}/signing/rotate`, { overlapSeconds: 3600 });

  const webhook = await call('POST', '/v1/webhooks', { teamId: team, url: 'https://example.com/' });
  const target = { team, key: second.id, webhook: webhook.id };
  for (const { document } of operations.filter((one) => one.document(target).startsWith('query'))) {
    if (!document(target).includes('explainVerification')) await ask(document(target));
  }
  const lastUsed = async () =>
    (await call('GET', `/v1/keys?teamId=${team}`)).map(({ lastUsedAt }: { lastUsedAt: string }) => lastUsedAt);
  await expect.poll(lastUsed).not.toContain(null);

  await call('DELETE', `/v1/keys/${first.id}`);
  expect(await verify(first.secret)).toBe('REVOKED');
  const own = await rest(port, null, 'DELETE', '/v1/keys/self', undefined, {
    authorization: `Bearer ${rotated.secret}`,
  });
  expect([own.status, await verify(rotated.secret)]).toEqual([200, 'REVOKED']);
  const { nodes } = (await ask(`{ auditLog(teamId: "${team}") { nodes { action at } } }`)).auditLog;
  expect(nodes.map(({ action }: { action: string }) => action)).toEqual([
    ...['KEY_REVOKED', 'KEY_REVOKED', 'WEBHOOK_CREATED', 'SIGNING_ROTATED', 'SIGNING_ENABLED', 'OVERLAP_ENDED'],
    ...['KEY_ROTATED', 'KEY_ENABLED', 'KEY_DISABLED', 'KEY_UPDATED', 'KEY_CREATED', 'KEY_CREATED', 'KEY_CREATED'],
  ]);
  for (const { at } of nodes) expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(600_000);
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
  it.each(alone)('%o', async (settings) => useEverything(await databaseWith(settings)));

  it('what else changes texts, literals and names', async () => useEverything(await databaseWith(others)));

  it('timeouts', async () => useEverything(await databaseWith(timeouts)));

  it.each([
    "LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' TEMPLATE template0",
    "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' TEMPLATE template0",
    "LC_COLLATE 'C' LC_CTYPE 'C' ENCODING 'UTF8' TEMPLATE template0",
  ])('%s', async (options) => useEverything(await databaseWith({}, options)));
});

it.each(['serializable', 'repeatable read'])('instances that change keys at the same time, with %s', async (level) => {
  const database = await databaseWith({ default_transaction_isolation: `'${level}'` });
  const instances = [await startGatewayOn(database), await startGatewayOn(database)];
  for (const one of instances) onTestFinished(() => one.stop());
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
