/** Limits of the kernel that are reached while the service runs: open files and memory. No verdict is wrong meanwhile. */
import { spawnSync } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { Client } from '../../harness/client.ts';
import { makeKey, token } from '../../support/calls.ts';
import { temporaryDatabase } from '../../support/databases.ts';
import { killInstances, startInstance, until } from '../../support/instance.ts';
import { query } from '../../support/postgres.ts';
import { processesOf } from '../../support/processes.ts';
import type { TemporaryDatabase } from '../../support/temporary-database.ts';

const noLimits =
  spawnSync('prlimit', ['--version']).status === 0 ? null : 'there is no prlimit; Debian has it in util-linux';
if (noLimits !== null) console.warn(`test/chaos/faults/limits.slow.test.ts is skipped: ${noLimits}`);
const test = it.skipIf(noLimits !== null);

let database: TemporaryDatabase;

afterEach(async () => {
  await killInstances();
  await database.remove();
});

/** Sets the soft limit of a running process. */
function limit(pid: number, resource: 'nofile' | 'as', value: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--${resource}=${value}:`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}

/** Each has one connection, which stays open. */
async function startWithClients(provider: 'sqlite' | 'postgresql') {
  database = await temporaryDatabase(provider);
  const service = await startInstance({ DATABASE_URL: database.url, DATA_DIR: database.directory });
  const clients = { management: new Client(portOf(service.url)), verification: new Client(portOf(service.verifyUrl)) };
  /** The code of the answer, or its status; null if there is none. */
  const codeOf = (text: string): string | undefined => JSON.parse(text).code;
  const verify = async (key: string, options = {}) => {
    const call = { method: 'POST', path: '/v1/verify', body: JSON.stringify({ key }) };
    const reply = await clients.verification.call(call, options);
    return reply === null ? null : codeOf(reply.text);
  };
  const revoke = async (id: string) => {
    const reply = await clients.management.call({ method: 'DELETE', path: `/v1/keys/${id}`, token });
    return reply === null ? null : (codeOf(reply.text) ?? reply.status);
  };
  return { service, verify, revoke };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

test('without free file descriptors, verdicts and changes that need one are UNAVAILABLE, until there are some', async () => {
  const { service, verify, revoke } = await startWithClients('postgresql');
  const [first, second] = [await makeKey(service), await makeKey(service)];
  expect([await verify(first.secret), await revoke(first.id)]).toEqual(['VALID', 200]);
  const { management, verification } = processesOf(service.process.pid ?? 0);
  const processes = [management, ...verification];
  expect(processes).toHaveLength(2);
  // Fewer than they have open: no other one can be opened.
  for (const pid of processes) limit(pid, 'nofile', 3);
  await query(
    database.url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  const codes = { verify: new Set(), revoke: new Set() };
  await until('nothing can be done', async () => {
    codes.verify.add(await verify(second.secret));
    codes.revoke.add(await revoke(first.id));
    return codes.verify.has('UNAVAILABLE') && codes.revoke.has('UNAVAILABLE') && service.output().includes('EMFILE');
  });
  for (let i = 0; i < 20; i += 1) expect(await verify(first.secret)).toBe('UNAVAILABLE');
  expect(await revoke(second.id)).toBe('UNAVAILABLE');
  // A new connection is closed without an answer.
  expect(await verify(first.secret, { close: true })).toBeNull();

  for (const pid of processes) limit(pid, 'nofile', 1024);
  await until('there are verdicts', async () => (await verify(second.secret)) === 'VALID');
  expect(await verify(first.secret)).toBe('REVOKED');
  await until('changes are made', async () => (await revoke(second.id)) === 200);
  expect(await verify(second.secret)).toBe('REVOKED');
  expect(processesOf(service.process.pid ?? 0)).toMatchObject({ management, verification });
});

test('a process without memory ends and is replaced; what was answered stays, and no verdict is wrong', async () => {
  const { service, verify, revoke } = await startWithClients('sqlite');
  const supervisor = service.process.pid ?? 0;
  for (const plane of ['verification', 'management'] as const) {
    const [revoked, kept] = [await makeKey(service), await makeKey(service)];
    expect([await verify(revoked.secret), await revoke(revoked.id)]).toEqual(['VALID', 200]);
    const pidOf = () => [processesOf(supervisor)[plane]].flat()[0] ?? 0;
    const before = pidOf();
    limit(before, 'as', 1);
    await until('it has been replaced', async () => {
      // Requests allocate memory.
      const calls = Array.from({ length: 50 }, () => verify(revoked.secret));
      if (plane === 'management') await Promise.all(Array.from({ length: 50 }, () => revoke(revoked.id)));
      for (const code of await Promise.all(calls)) expect(['REVOKED', 'UNAVAILABLE', null]).toContain(code);
      return ![0, before].includes(pidOf());
    });
    await until('there are verdicts', async () => (await verify(kept.secret)) === 'VALID');
    expect(await verify(revoked.secret)).toBe('REVOKED');
    await until('changes are made', async () => (await revoke(kept.id)) === 200);
    expect(await verify(kept.secret)).toBe('REVOKED');
  }
});
