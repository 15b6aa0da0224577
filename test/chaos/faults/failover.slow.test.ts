/** The primary of PostgreSQL is lost, and a standby takes its place: with synchronous replication, nothing answered is. */
import { afterEach, describe, expect, it } from 'vitest';
import { type MadeKey, makeKey, token, verdictOn, verifyBody } from '../../support/calls.ts';
import { type Instance, killInstances, startInstance, until } from '../../support/instance.ts';
import { findPostgresPrograms, query, type SystemPostgres, startSystemPostgres } from '../../support/postgres.ts';
import { type PostgresSplitter, startPostgresSplitter } from '../../support/postgres-splitter.ts';
import { rest } from '../../support/service.ts';
import { temporaryDirectory } from '../../support/temporary-database.ts';

const programs = findPostgresPrograms();
if (programs === null)
  console.warn('test/chaos/faults/failover.slow.test.ts is skipped: no PostgreSQL with pg_basebackup');

interface Pair {
  readonly primary: SystemPostgres;
  readonly standbyUrl: string;
  readonly splitter: PostgresSplitter;
  readonly service: Instance;
}

let pair: Pair | undefined;

afterEach(async () => {
  await killInstances();
  await pair?.splitter.stop();
  await pair?.primary.stop();
  pair = undefined;
});

async function startPair(): Promise<Pair> {
  const primary = await startSystemPostgres(programs ?? '');
  await primary.createDatabase('latchkey');
  const standbyUrl = await primary.startStandby();
  const splitter = await startPostgresSplitter(primary.url, standbyUrl);
  const environment = { DATABASE_URL: `${splitter.url}/latchkey`, DATA_DIR: temporaryDirectory().path };
  pair = { primary, standbyUrl, splitter, service: await startInstance(environment) };
  return pair;
}

async function configure(url: string, setting: string): Promise<void> {
  await query(`${url}/postgres`, `ALTER SYSTEM SET ${setting}`);
  await query(`${url}/postgres`, 'SELECT pg_reload_conf()');
}

/** Resolves when the standby takes writes, and the service uses it. */
async function failOver({ standbyUrl, splitter, service }: Pair): Promise<void> {
  await query(`${standbyUrl}/postgres`, 'SELECT pg_promote()');
  splitter.failOver();
  await until('a change is made', () =>
    makeKey(service).then(
      () => true,
      () => false,
    ),
  );
}

/** The first verdict: just after a failover, or on a busy machine, the answer can be 503. */
async function verdict(service: Instance, key: MadeKey): Promise<string | undefined> {
  const body = await verifyBody(key);
  let code: string | undefined;
  await until('there is a verdict', async () => {
    code = await verdictOn(service, body).catch(() => undefined);
    return code !== undefined;
  });
  return code;
}

describe.skipIf(programs === null)('a failover to a standby', () => {
  it('with synchronous replication loses no revoke that was answered, and no verdict is VALID after it', async () => {
    const { primary, service, ...rest } = await startPair();
    await configure(primary.url, `synchronous_standby_names = '*'`);
    await until('replication is synchronous', async () => {
      const [row] = await query(`${primary.url}/postgres`, 'SELECT sync_state FROM pg_stat_replication');
      return row?.sync_state === 'sync';
    });
    const kept = await makeKey(service);
    // The primary is killed in the midst of changes.
    const { answered } = await revokeUntilItFails(service, () => primary.kill());
    const verifying = verifyUntilStopped(service, answered);
    await failOver({ primary, service, ...rest });
    expect(await verifying.stop()).not.toContain('VALID');
    expect(answered.length).toBeGreaterThanOrEqual(20);
    for (const key of answered) expect(await verdict(service, key)).toBe('REVOKED');
    expect(await verdict(service, kept)).toBe('VALID');
  });

  it('with asynchronous replication to a standby that lags, keys come back, and nothing else is remembered', async () => {
    const { primary, standbyUrl, splitter, service } = await startPair();
    const [revoked, kept] = [await makeKey(service), await makeKey(service)];
    await until('the standby has the keys', async () => {
      const [lsn] = await query(`${primary.url}/latchkey`, 'SELECT pg_current_wal_lsn()::text AS lsn');
      const [row] = await query(`${standbyUrl}/latchkey`, `SELECT pg_last_wal_replay_lsn() >= '${lsn?.lsn}' AS done`);
      return row?.done === true;
    });
    await configure(standbyUrl, `primary_conninfo = ''`);
    await until('the standby receives nothing', async () => {
      return (await query(`${standbyUrl}/postgres`, 'SELECT 1 FROM pg_stat_wal_receiver')).length === 0;
    });
    expect((await rest(service.url, token, 'DELETE', `/v1/keys/${revoked.id}`)).status).toBe(200);
    const later = await makeKey(service);
    expect([await verdict(service, revoked), await verdict(service, later)]).toEqual(['REVOKED', 'VALID']);
    await primary.kill();
    await failOver({ primary, standbyUrl, splitter, service });
    // As docs/evidence/tested.md says. The caches had both, and are dropped although the revision has grown since.
    const verdicts = await Promise.all([revoked, later, kept].map((key) => verdict(service, key)));
    expect(verdicts).toEqual(['VALID', 'NOT_FOUND', 'VALID']);
  });
});

/** Makes and revokes keys, from 20 answers on while `kill` runs, until calls fail. Returns the keys whose revoke was answered. */
async function revokeUntilItFails(service: Instance, kill: () => Promise<void>): Promise<{ answered: MadeKey[] }> {
  const answered: MadeKey[] = [];
  let killed: Promise<void> | undefined;
  const revokeOne = async () => {
    const key = await makeKey(service);
    const { status } = await rest(service.url, token, 'DELETE', `/v1/keys/${key.id}`);
    if (status !== 200) throw new Error(`status ${status}`);
    answered.push(key);
    if (answered.length === 20) killed = kill();
  };
  const revokers = Array.from({ length: 4 }, async () => {
    // A busy machine can fail a call before that.
    while (killed === undefined) await revokeOne().catch(() => undefined);
    for (;;) await revokeOne();
  });
  await Promise.allSettled(revokers);
  await killed;
  return { answered };
}

/** Verifies the keys in turn. `stop` resolves to the codes of all verdicts. */
function verifyUntilStopped(service: Instance, keys: readonly MadeKey[]): { stop: () => Promise<string[]> } {
  const codes = new Set<string>();
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      for (const key of keys) {
        const code = await verdictOn(service, await verifyBody(key)).catch(() => undefined);
        if (code !== undefined) codes.add(code);
      }
    }
  })();
  const stop = async () => {
    isStopped = true;
    await running;
    return [...codes];
  };
  return { stop };
}
