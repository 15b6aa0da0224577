/** Behind PgBouncer: what docs/tasks/scaling.md says about its pool modes. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, inject, it } from 'vitest';
import { makeKey, token, verifyBody } from '../support/calls.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { type Instance, killInstances, startInstance, until } from '../support/instance.ts';
import { query } from '../support/postgres.ts';
import { rest } from '../support/service.ts';

const program = '/usr/sbin/pgbouncer';
const isInstalled = (() => {
  try {
    return execFileSync(program, ['--version']).length > 0;
  } catch {
    return false;
  }
})();
if (!isInstalled) console.warn(`skipped: ${program} is not installed`);
const ends: (() => Promise<unknown>)[] = [];
afterEach(killInstances);
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** A service on a new database behind a PgBouncer of its own. */
async function startBehind(poolMode: string): Promise<Instance> {
  const database = await temporaryDatabase('postgresql');
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-pgbouncer-'));
  chmodSync(directory, 0o755);
  const [server, port] = [new URL(inject('postgresUrl')), await freePort()];
  const ini = join(directory, 'pgbouncer.ini');
  writeFileSync(
    ini,
    `[databases]
* = host=127.0.0.1 port=${server.port} user=latchkey password=latchkey
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout
`,
  );
  // It refuses to run as root.
  const asUser = userInfo().uid === 0 ? ['-u', 'nobody'] : [];
  const pooler = spawn(program, [...asUser, ini], { stdio: 'ignore' });
  const exit = once(pooler, 'exit');
  ends.push(database.remove, async () => {
    pooler.kill('SIGKILL');
    await exit;
    rmSync(directory, { recursive: true });
  });
  const url = `postgresql://latchkey@127.0.0.1:${port}${new URL(database.url).pathname}`;
  const answers = () => query(url, 'SELECT 1').catch(() => null);
  await until('PgBouncer answers', async () => (await answers()) !== null);
  return await startInstance({ DATABASE_URL: url, DATA_DIR: database.directory });
}

describe.skipIf(!isInstalled)('behind PgBouncer', () => {
  const code = async (at: Instance, body: string): Promise<string> => {
    const answer = await rest(at.verifyUrl, null, 'POST', '/v1/verify', body);
    return answer.body.code;
  };
  const lifetime = async (instance: Instance) => {
    const key = await makeKey(instance);
    const body = await verifyBody(key);
    const before = await code(instance, body);
    expect((await rest(instance.url, token, 'DELETE', `/v1/keys/${key.id}`)).status).toBe(200);
    return [before, await code(instance, body)];
  };

  it('with pool_mode = session, verdicts are as on a direct connection', async () => {
    const instance = await startBehind('session');
    const lifetimes = await Promise.all(Array.from({ length: 10 }, () => lifetime(instance)));
    expect(lifetimes).toEqual(lifetimes.map(() => ['VALID', 'REVOKED']));
  });

  it('with pool_mode = transaction, a revoked key is rejected or gets 503, but is never VALID', async () => {
    const instance = await startBehind('transaction');
    const lifetimes = await Promise.all(Array.from({ length: 10 }, () => lifetime(instance)));
    for (const [before, after] of lifetimes) {
      expect(['VALID', 'UNAVAILABLE']).toContain(before);
      expect(['REVOKED', 'UNAVAILABLE']).toContain(after);
    }
  });
});
