/** The proof that an acknowledged change is on the disk: the system calls of the process, in their order. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { childrenOf, kill, waitUntilEnded } from '../../support/processes.ts';
import { both, graphql, rest, sessionToken } from '../../support/service.ts';
import { sqliteDatabase, temporaryDirectory } from '../../support/temporary-database.ts';
import { placeFor } from './stores.ts';
import { tracedChanges } from './trace.ts';

const calls = 'read,recvfrom,recvmsg,pwrite64,write,writev,sendto,sendmsg,fdatasync,fsync';

/** Returns why nothing can be traced here; null if it can. */
function obstacle(): string | null {
  const { error, status, stderr } = spawnSync('strace', ['-f', '-e', 'trace=none', 'true'], { encoding: 'utf8' });
  if (error !== undefined) return 'strace is not installed';
  return status === 0 ? null : `strace may not trace: ${stderr.trim()}`;
}

const reason = obstacle();
if (reason !== null) console.log(`Skipped, the proof that SQLite is synced before an answer: ${reason}`);

it.skipIf(reason !== null)(
  'generated secrets, and on SQLite every change, are on the disk before an answer',
  async () => {
    const database = await sqliteDatabase();
    const scratch = temporaryDirectory();
    const trace = join(scratch.path, 'trace');
    const strace = ['strace', '-f', '-yy', '-s', '128', '-o', trace, '-e', `trace=${calls}`];
    // Not where the database is, which syncs its own directory.
    const secrets = join(scratch.path, 'secrets');
    const { server: service } = await placeFor({ ...database, directory: secrets });
    try {
      service.spawn({}, strace);
      await service.ready(90_000);
      const acknowledged = await changeOneByOne(service.url);
      const [node = 0] = childrenOf(service.pid);
      // strace ends with the supervisor and its processes, and then has written everything.
      kill(node, 'SIGKILL');
      expect(await waitUntilEnded([service.pid], 10_000)).toEqual([]);
      const text = readFileSync(trace, 'utf8');
      expect(text.indexOf('secrets.json.')).toBeGreaterThan(0);
      expect(text.slice(text.indexOf('secrets.json.'))).toMatch(new RegExp(`fsync\\(\\d+<${secrets}>`));
      const traced = tracedChanges(text);
      expect(traced.map(({ request, status }) => `${request} ${status}`)).toEqual(acknowledged);
      expect(traced.filter(({ walWrites }) => walWrites === 0)).toEqual([]);
      expect(traced.filter(({ isSynced }) => !isSynced)).toEqual([]);
    } finally {
      await service.kill();
      await database.remove();
      scratch.remove();
    }
  },
);

/** Makes every kind of change over both transports, and returns the answers. */
async function changeOneByOne(url: string): Promise<string[]> {
  const teamId = randomUUID();
  const token = sessionToken({ [teamId]: both });
  const acknowledged: string[] = [];
  const overRest = async (method: string, path: string, body?: object) => {
    const answer = await rest(url, token, method, path, body);
    acknowledged.push(`${method} ${path} ${answer.status}`);
    return answer.body;
  };
  const overGraphql = async (name: string, type: string, argument: string, value: unknown) => {
    const query = `mutation ($value: ${type}) { ${name}(${argument}: $value) { apiKey { id } } }`;
    const answer = await graphql(url, token, query, { value });
    expect(answer.body.errors).toBeUndefined();
    acknowledged.push(`POST /graphql ${answer.status}`);
    return answer.body.data[name].apiKey;
  };
  const { id } = await overRest('POST', '/v1/keys', { teamId, name: 'A key', env: 'live' });
  await overRest('PATCH', `/v1/keys/${id}`, { name: 'Another name', allowedIps: ['10.0.0.1'] });
  for (const change of ['enable', 'rotate', 'disable']) await overRest('POST', `/v1/keys/${id}/signing/${change}`);
  await overRest('DELETE', `/v1/keys/${id}`);
  const other = await overGraphql('createKey', 'CreateKeyInput!', 'input', { teamId, name: 'Third', env: 'test' });
  for (const name of ['enableSigning', 'rotateSigningSecret', 'disableSigning', 'revokeKey'])
    await overGraphql(name, 'UUID!', 'id', other.id);
  expect(acknowledged.filter((line) => !/ 20[01]$/.test(line))).toEqual([]);
  return acknowledged;
}
