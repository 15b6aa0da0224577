/** A real PgBouncer in front of a PostgreSQL server on loopback, where there is one. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './instance.ts';
import { query } from './postgres.ts';

const program = '/usr/sbin/pgbouncer';
export const hasPgbouncer = (() => {
  try {
    return execFileSync(program, ['--version']).length > 0;
  } catch {
    return false;
  }
})();
if (!hasPgbouncer) console.warn(`skipped: ${program} is not installed`);

export type PoolMode = 'session' | 'transaction' | 'statement';

/** Starts it with its defaults and `settings`. `serverUrl`: of the server, without a database. */
export async function startPgbouncer(serverUrl: string, poolMode: PoolMode, settings: readonly string[] = []) {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-pgbouncer-'));
  chmodSync(directory, 0o755);
  const port = await freePort();
  const ini = join(directory, 'pgbouncer.ini');
  const write = (mode: PoolMode) =>
    writeFileSync(
      ini,
      `[databases]
* = host=127.0.0.1 port=${new URL(serverUrl).port} user=latchkey password=latchkey
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
${settings.join('\n')}
`,
    );
  write(poolMode);
  // It refuses to run as root.
  const asUser = userInfo().uid === 0 ? ['-u', 'nobody'] : [];
  const pooler = spawn(program, [...asUser, ini], { stdio: 'ignore' });
  const exit = once(pooler, 'exit');
  const url = `postgresql://latchkey@127.0.0.1:${port}`;
  await until('PgBouncer answers', () =>
    query(`${url}/postgres`, 'SELECT 1').then(
      () => true,
      () => false,
    ),
  );
  return {
    /** Append `/name` for a database. */
    url,
    /** Reads its configuration again, without closing connections. */
    setMode: (mode: PoolMode) => {
      write(mode);
      pooler.kill('SIGHUP');
    },
    stop: async () => {
      pooler.kill('SIGKILL');
      await exit;
      rmSync(directory, { recursive: true });
    },
  };
}
