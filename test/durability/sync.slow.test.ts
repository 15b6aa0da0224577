/** The proof that an acknowledged change is on the disk: what the process asked of the kernel, in its order. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { childrenOf } from '../support/processes.ts';
import { both, graphql, rest, sessionToken } from '../support/service.ts';
import { kill, waitUntilEnded } from './processes.ts';
import { DurableService, type Place, placeFor } from './service.ts';
import { sqliteDatabase } from './stores.ts';
import { tracedChanges } from './trace.ts';

const calls = 'read,recvfrom,recvmsg,pwrite64,write,writev,sendto,sendmsg,fdatasync,fsync';

/** Why nothing can be traced here; null when it can. */
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
    const trace = join(database.directory, '..', 'trace');
    const options = ['-f', '-yy', '-s', '128', '-o', trace, '-e', `trace=${calls}`, 'node'];
    // Not where the database is, which syncs its own directory.
    const secrets = join(database.directory, '..', 'secrets');
    const place = { ...(await placeFor(database)), directory: secrets };
    const service = new DurableService(place, 1, ['strace', ...options]);
    try {
      await service.ready(90_000);
      const acknowledged = await changeOneByOne(place);
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
    }
  },
);

/** Makes every kind of change over both transports, and returns the answers. */
async function changeOneByOne({ port }: Place): Promise<string[]> {
  const url = `http://127.0.0.1:${port}`;
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

it('the reader of traces tells a change that was synced from those that were not', () => {
  const socket = '31<TCP:[127.0.0.1:4000->127.0.0.1:5000]>';
  const wal = '19</data/latchkey.db-wal>';
  const asked = `7 read(${socket}, "DELETE /v1/keys/1 HTTP/1.1\\r\\nHost"..., 65536) = 99`;
  const wrote = `7 pwrite64(${wal}, "\\0\\0"..., 24, 32) = 24`;
  const synced = `7 fdatasync(${wal}) = 0`;
  const answered = `7 writev(${socket}, [{iov_base="HTTP/1.1 200 OK\\r\\n"..., iov_len=188}], 1) = 188`;
  const isSynced = (...lines: string[]) => tracedChanges(lines.join('\n')).map((change) => change.isSynced);
  expect(isSynced(asked, wrote, synced, answered)).toEqual([true]);
  expect(isSynced(asked, wrote, answered, synced)).toEqual([false]);
  expect(isSynced(asked, synced, wrote, answered)).toEqual([false]);
  expect(isSynced(asked, synced, answered)).toEqual([false]);
  expect(isSynced(asked, wrote, `7 fdatasync(${wal}) = -1 EIO (Input/output error)`, answered)).toEqual([false]);
  expect(isSynced(asked, wrote, '7 fsync(20</data/latchkey.db-nonces-wal>) = 0', answered)).toEqual([false]);
  // What one thread had not finished when another was heard of.
  const [begun, done] = [`7 fdatasync(${wal} <unfinished ...>`, '7 <... fdatasync resumed>) = 0'];
  expect(isSynced(asked, wrote, begun, '8 write(2</dev/null<char 1:3>>, "x", 1) = 1', done, answered)).toEqual([true]);
  expect(isSynced(asked, wrote, begun, answered.replace('7', '8'), done)).toEqual([false]);
});
