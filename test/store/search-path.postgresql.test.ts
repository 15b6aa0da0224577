/** In a database that Latchkey shares with others, it keeps to the schema that its search path names. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { type Instance, startBuilt } from '../support/instance.ts';
import { both, jwtSecret, rest, sessionToken } from '../support/service.ts';
import { runSql } from '../support/sql.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

let database: TemporaryDatabase;
let running: Instance | undefined;
beforeEach(async () => {
  database = await temporaryDatabase('postgresql');
});
afterEach(async () => {
  if (running !== undefined) await running.stop();
  await database.remove();
});

it('everything works in another schema than public, and nothing is left in public', async () => {
  await runSql(database.url, 'CREATE SCHEMA elsewhere');
  running = await startBuilt({
    DATABASE_URL: `${database.url}?options=-c%20search_path%3Delsewhere`,
    DATA_DIR: database.directory,
    JWT_SECRET: jwtSecret,
  });
  const { url, verifyUrl, output } = running;
  expect(output()).toContain('"msg":"ready"');
  const team = randomUUID();
  const token = sessionToken({ [team]: both });
  const { id, secret } = (await rest(url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' })).body;
  const { signingSecret } = (await rest(url, token, 'POST', `/v1/keys/${id}/signing/enable`)).body;
  const request = { method: 'GET', url: 'https://api.example.com/' };
  const headers = { ...signRequest(request, { keyId: id, signingSecret }) };
  const call = { key: secret, request: { ...request, headers } };
  expect((await rest(verifyUrl, null, 'POST', '/v1/verify', call)).body.code).toBe('VALID');
  const lastUsed = async () => (await rest(url, token, 'GET', `/v1/keys?teamId=${team}`)).body[0].lastUsedAt;
  await expect.poll(lastUsed).not.toBeNull();
  const tables = `SELECT table_schema AS schema, count(*) > 7 AS all FROM information_schema.tables
    WHERE table_schema IN ('public', 'elsewhere') GROUP BY 1`;
  expect(await runSql(database.url, tables)).toEqual([{ schema: 'elsewhere', all: true }]);
});
