// SECURITY.md: Partitioned primary
/** What was answered survives a crash of PostgreSQL, also where the operator has turned synchronous commit off. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { enableSigning, makeKey, token, verdictOn, verifyBody } from '../support/calls.ts';
import { type Instance, killInstances, startInstance } from '../support/instance.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { rest } from '../support/service.ts';
import { runSql } from '../support/sql.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const directory = temporaryDirectory().path;
let postgres: PostgresServer;
let service: Instance;

beforeAll(async () => {
  // The WAL writer would else write within a moment what a commit has not waited for.
  postgres = await startPostgres(['-c', 'synchronous_commit=off', '-c', 'wal_writer_delay=10s']);
  service = await startInstance({ DATABASE_URL: `${postgres.url}/postgres`, DATA_DIR: directory });
});
afterAll(async () => {
  await killInstances();
  await postgres?.stop();
});

it('with synchronous_commit off, an answered revoke and a used signature survive a crash of PostgreSQL', async () => {
  const [revoked, signing] = [await makeKey(service), await makeKey(service)];
  const signingSecret = await enableSigning(service, signing);
  await runSql(`${postgres.url}/postgres`, 'CHECKPOINT');
  const used = await verifyBody(signing, signingSecret);
  expect(await verdictOn(service, await verifyBody(revoked))).toBe('VALID');
  expect((await rest(service.url, token, 'DELETE', `/v1/keys/${revoked.id}`)).status).toBe(200);
  expect(await verdictOn(service, used)).toBe('VALID');

  await postgres.restartImmediately();
  expect(await verdictAfterRestart(await verifyBody(revoked))).toBe('REVOKED');
  expect(await verdictAfterRestart(used)).toBe('SIGNATURE_REPLAYED');
});

/** The first one, once there is one. */
async function verdictAfterRestart(body: string): Promise<string> {
  let code: string | undefined;
  await expect
    .poll(async () => {
      code ??= await verdictOn(service, body).catch(() => undefined);
      return code;
    })
    .toBeDefined();
  return code ?? '';
}
