/** Webhooks and events on the command line: a program that reads events misses none, whatever happens in between. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Permission } from '../../src/domain/key/permission.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { listen, startGateway, stopListening } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand, serviceEnvironment, until } from '../support/instance.ts';
import { both, callerOf, sessionToken } from '../support/service.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const directory = temporaryDirectory().path;
const gateway = inTests(() => startGateway('sqlite', { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' }));
const managing: readonly Permission[] = [...both, 'manage_webhooks'];

/** A team of its own for each test, so that its events are known. */
function newTeam() {
  const teamId = randomUUID();
  const environment = (url = gateway.running.url) => ({
    LATCHKEY_URL: url,
    LATCHKEY_TEAM: teamId,
    LATCHKEY_TOKEN: sessionToken({ [teamId]: managing }),
  });
  const create = async (name: string): Promise<void> => {
    const input = { teamId, name, env: 'test' } as const;
    await createKey(gateway.management, callerOf({ [teamId]: both }), input);
  };
  const run = (args: readonly string[], input = '') => runCommand(args, environment(), input);
  return { teamId, environment, create, run, cursorFile: join(directory, `${teamId}.cursor`) };
}

const namesIn = (output: string) =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).data.key.name);

const following = new Set<ChildProcessByStdio<null, Readable, Readable>>();
afterEach(() => {
  for (const child of following) child.kill('SIGKILL');
  following.clear();
});

/** Starts `latchkey events tail --follow`. */
function follow(environment: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const child = spawn(process.execPath, ['dist/cli/latchkey.js', 'events', 'tail', '--follow', ...args], {
    env: serviceEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  following.add(child);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (part) => {
      output[stream] += part;
    });
  }
  const exit = once(child, 'close').then(([code, signal]) => code ?? signal);
  const printed = async (...names: readonly string[]) => {
    await until(`${names} are printed`, () => namesIn(output.stdout).length >= names.length);
    expect(namesIn(output.stdout)).toEqual(names);
  };
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return await exit;
  };
  return { child, output, exit, printed, stop };
}

describe('events tail', () => {
  it('prints what is new since it last ended, each event once and in order, as one JSON object per line', async () => {
    const { teamId, create, run, cursorFile } = newTeam();
    const tail = () => run(['events', 'tail', '--from-start', '--cursor-file', cursorFile]);
    await create('a');
    await create('b');
    const first = await tail();
    expect({ ...first, stdout: namesIn(first.stdout) }).toEqual({ exitCode: 0, stdout: ['a', 'b'], stderr: '' });
    const [event = ''] = first.stdout.split('\n');
    expect(JSON.parse(event)).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      type: 'key.created',
      data: { teamId },
    });
    expect(statSync(cursorFile).mode & 0o777).toBe(0o600);
    for (const name of ['c', 'd', 'e']) await create(name);
    expect(namesIn((await tail()).stdout)).toEqual(['c', 'd', 'e']);
    expect((await tail()).stdout).toBe('');
    const after = await run(['events', 'tail', '--after', JSON.parse(event).id]);
    expect(namesIn(after.stdout)).toEqual(['b', 'c', 'd', 'e']);
  });

  it('prints only the given types, and continues after those that it has skipped', async () => {
    const { create, run, cursorFile } = newTeam();
    await create('a');
    const tail = (types: string) =>
      run(['events', 'tail', '--from-start', '--types', types, '--cursor-file', cursorFile]);
    expect((await tail('key.revoked,key.expired')).stdout).toBe('');
    await create('b');
    expect(namesIn((await tail('key.created')).stdout)).toEqual(['b']);
  });

  it('prints an event as it happens, and after Ctrl+C or SIGKILL exactly what it has missed', async () => {
    const { environment, create, cursorFile } = newTeam();
    await create('before');
    const started = async () => {
      const tail = follow(environment(), '--cursor-file', cursorFile);
      await until('the position is stored', () => existsSync(cursorFile));
      return tail;
    };
    const first = await started();
    await create('a');
    await first.printed('a');
    expect([await first.stop('SIGINT'), first.output.stderr]).toEqual([0, '']);
    await create('b');
    await create('c');
    const second = await started();
    await second.printed('b', 'c');
    await create('d');
    await second.printed('b', 'c', 'd');
    const { id } = JSON.parse(second.output.stdout.split('\n')[2] ?? '');
    await until('the position after it is stored', () => JSON.parse(readFileSync(cursorFile, 'utf8')).after === id);
    await second.stop('SIGKILL');
    await create('e');
    const third = await started();
    await third.printed('e');
    expect([await third.stop('SIGTERM'), third.output.stderr]).toEqual([0, '']);
  });

  it('continues when the service is reachable again, with what happened meanwhile', async () => {
    const { environment, create, cursorFile } = newTeam();
    const proxy = await startTcpProxy(Number(new URL(gateway.running.url).port));
    onTestFinished(proxy.stop);
    const url = `http://127.0.0.1:${proxy.port}`;
    const tail = follow(environment(url), '--cursor-file', cursorFile);
    await until('the position is stored', () => existsSync(cursorFile));
    await proxy.cut();
    await until('it has noticed', () => tail.output.stderr.includes('\n'));
    await create('a');
    await create('b');
    await proxy.restore();
    await tail.printed('a', 'b');
    await create('c');
    await tail.printed('a', 'b', 'c');
    expect(tail.output.stderr).toMatch(/^UNREACHABLE: .+\nTrying again\.\n$/);
    expect(await tail.stop('SIGINT')).toBe(0);
  });

  it('waits as long as a busy service asks, and repeats the same request', async () => {
    const answers: ((response: ServerResponse) => void)[] = [
      (response) =>
        response.writeHead(200).end('{"events": [{"id": "evt_1", "data": {"key": {"name": "a"}}}], "next": "evt_1"}'),
      (response) => response.writeHead(429, { 'retry-after': '1' }).end('{"code": "RATE_LIMITED", "detail": "Wait."}'),
      (response) => response.writeHead(502).end('<html>'),
      (response) =>
        response.writeHead(200, { 'content-length': '1000' }).write('{"events": [', () => response.destroy()),
      (response) =>
        response.writeHead(200).end('{"events": [{"id": "evt_2", "data": {"key": {"name": "b"}}}], "next": "evt_2"}'),
    ];
    const requests: (readonly [url: string | undefined, ms: number])[] = [];
    const service = createServer(({ url }, response) => {
      requests.push([url, performance.now()]);
      answers.shift()?.(response);
    });
    const url = await listen(service);
    onTestFinished(() => stopListening(service));
    const { teamId, environment } = newTeam();
    const tail = follow(environment(url), '--types', 'key.created,key.revoked');
    await tail.printed('a', 'b');
    const query = `/v1/events?teamId=${teamId}&limit=500`;
    const types = 'types=key.created%2Ckey.revoked';
    const waiting = `${query}&after=evt_1&${types}&wait=30`;
    const paths = requests.map(([path]) => path);
    expect(paths.slice(0, 5)).toEqual([`${query}&after=latest&${types}`, waiting, waiting, waiting, waiting]);
    const [, , [, rejectedMs] = ['', 0], [, againMs] = ['', 0]] = [requests[0], requests[0], requests[1], requests[2]];
    expect(againMs - rejectedMs).toBeGreaterThanOrEqual(1000);
    expect(tail.output.stderr).toBe(`RATE_LIMITED: ${url}: Wait.\nTrying again.\n`);
    expect(await tail.stop('SIGTERM')).toBe(0);
  });

  it('ends when the reader of its output has gone', async () => {
    const { environment, create } = newTeam();
    const tail = follow(environment(), '--from-start');
    await create('a');
    await tail.printed('a');
    tail.child.stdout.destroy();
    await create('b');
    expect([await tail.exit, tail.output.stderr]).toEqual([0, '']);
  });

  it('rejects bad input, and starts at no other place than it was told', async () => {
    const { teamId, run, cursorFile, environment } = newTeam();
    const [garbage, foreign, folder] = [`${cursorFile}.garbage`, `${cursorFile}.foreign`, `${cursorFile}.d`];
    writeFileSync(garbage, 'evt_1');
    writeFileSync(foreign, JSON.stringify({ teamId: randomUUID(), after: 'evt_1' }));
    mkdirSync(folder);
    const wrong: readonly (readonly [args: readonly string[], outcome: RegExp])[] = [
      [[], /^2 NO_START: .*\nRun latchkey events tail --help\n$/],
      [['--from-start', '--after', 'evt_1'], /^2 .*cannot be used with/],
      [['--from-start', '--types', 'key.created,'], /^2 .*Expected types separated by commas/],
      [['--from-start', '--types', 'key.invented'], /^1 BAD_USER_INPUT: .*types/],
      [['--after', 'evt_AAAAAAAAAAAAAAAAAAAAAA'], /^1 BAD_USER_INPUT: .*after/],
      [['--cursor-file', garbage], /^1 BAD_FILE: .*is not a cursor file/],
      [['--cursor-file', foreign], /^2 OTHER_TEAM: /],
      [['--cursor-file', folder], /^1 BAD_FILE: .*is not a cursor file/],
      [['--cursor-file', join(directory, 'no', 'such', 'file')], /^1 BAD_FILE: .*ENOENT/],
    ];
    const outcomes = await Promise.all(wrong.map(([args]) => run(['events', 'tail', ...args])));
    for (const [i, { exitCode, stdout, stderr }] of outcomes.entries()) {
      expect(stdout).toBe('');
      expect(`${exitCode} ${stderr}`).toMatch(wrong[i]?.[1] ?? /never/);
    }
    expect(readFileSync(garbage, 'utf8')).toBe('evt_1');
    const LATCHKEY_TOKEN = sessionToken({ [teamId]: ['manage_keys'] });
    const forbidden = await runCommand(['events', 'tail', '--follow'], { ...environment(), LATCHKEY_TOKEN });
    expect(forbidden).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^FORBIDDEN: /) });
  });
});

describe('webhooks', () => {
  const receive = async (status: number) => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      request.resume();
      response.writeHead(status).end('taken');
    });
    const url = await listen(server);
    onTestFinished(() => stopListening(server));
    return { url: `${url}/hook`, received };
  };

  it('are added with the secret alone on standard output, listed, changed, rotated and deleted', async () => {
    const { teamId, run } = newTeam();
    const json = async (...args: readonly string[]) => {
      const { exitCode, stdout, stderr } = await run(['webhooks', ...args, '--json']);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      return JSON.parse(stdout);
    };
    const types = ['--types', 'key.created, key.expiring'];
    const created = await run(
      ['webhooks', 'create', '--url', '-', '--description', 'Ours', ...types],
      'https://example.com/s3cret\n',
    );
    expect(created).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^whsec_[\w+/]{43}=\n$/) });
    expect(created.stderr).toMatch(
      /^[0-9a-f-]{36} {2}https:\/\/example\.com\/s3cret {2}key\.created, key\.expiring\n$/,
    );
    const id = created.stderr.slice(0, 36);
    const [listed, ...others] = await json('list');
    expect(others).toEqual([]);
    expect(listed).toMatchObject({
      id,
      teamId,
      description: 'Ours',
      types: ['key.created', 'key.expiring'],
      lastDelivery: null,
    });
    expect((await run(['webhooks', 'list'])).stdout).toMatch(/key\.created,key\.expiring +standard +enabled +none\n$/);

    const changes = ['--form', 'ocsf', '--remove', 'description', 'types', '--disable'];
    expect(await json('update', id, ...changes)).toMatchObject({
      form: 'OCSF',
      description: null,
      types: [],
      disabledReason: 'MANUAL',
    });
    expect((await run(['webhooks', 'list'])).stdout).toMatch(/all +ocsf +disabled \(manual\)/);
    expect(await json('update', id, '--enable')).toMatchObject({ disabledAt: null });

    const rotated = await run(['webhooks', 'rotate-secret', id, '--overlap', '2h']);
    expect(rotated).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^whsec_/),
      stderr: expect.stringContaining('signs until'),
    });
    expect(rotated.stdout).not.toBe(created.stdout);
    expect((await json('rotate-secret', id, '--overlap', '0')).previousSecretExpiresAt).toBeNull();
    expect(await json('create', '--url', 'https://example.com/b', '--signature', 'v1a')).toMatchObject({
      secret: expect.stringMatching(/^whpk_/),
    });
    expect((await run(['webhooks', 'delete', id])).stdout).toBe(`Deleted ${id}\n`);
    expect((await run(['webhooks', 'delete', id])).stderr).toMatch(/^WEBHOOK_NOT_FOUND: /);
    // A dozen processes.
  });

  it('are tested, and the command says whether the event was delivered', async () => {
    const { run } = newTeam();
    const [good, bad] = [await receive(204), await receive(500)];
    const add = async ({ url }: { url: string }) =>
      (await run(['webhooks', 'create', '--url', url])).stderr.slice(0, 36);
    const [goodId = '', badId = ''] = await Promise.all([good, bad].map(add));
    const [delivered, failed] = await Promise.all([
      run(['webhooks', 'test', goodId, '--json']),
      run(['webhooks', 'test', badId]),
    ]);
    expect(delivered).toMatchObject({ exitCode: 0, stderr: '' });
    const { eventId, ...delivery } = JSON.parse(delivered.stdout);
    expect(delivery).toMatchObject({ type: 'webhook.tested', outcome: 'DELIVERED', attempts: 1, status: 204 });
    expect(good.received).toContain(eventId);
    expect(failed).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/responseBody +taken/),
      stderr: expect.stringMatching(/^NOT_DELIVERED: it answered 500/),
    });
    const listed = await run(['webhooks', 'deliveries', badId, '--outcome', 'failed']);
    expect(listed.stdout).toMatch(/^EVENT +TYPE .*\nevt_\S+ +webhook\.tested +failed +1 +500 /);
  });

  it('get events again on request: single ones, or those of a time range', async () => {
    const { create, run } = newTeam();
    const { url, received } = await receive(204);
    const id = (await run(['webhooks', 'create', '--url', url, '--types', 'key.created'])).stderr.slice(0, 36);
    await create('a');
    await create('b');
    const events = (await run(['events', 'tail', '--from-start', '--types', 'key.created'])).stdout.trim().split('\n');
    const [first = '', second = ''] = events.map((event) => JSON.parse(event).id);
    const replay = (...args: readonly string[]) => run(['webhooks', 'replay', id, ...args]);
    expect(await replay('--event', first)).toEqual({ exitCode: 0, stdout: '1 event is sent again\n', stderr: '' });
    expect((await replay('--event', first, '--event', second)).stdout).toBe('2 events are sent again\n');
    expect((await replay('--from', '1h')).stdout).toBe('2 events are sent again\n');
    expect((await replay('--from', '2h', '--to', '1h')).stdout).toBe('0 events are sent again\n');
    await until('the events have arrived', () => new Set(received).size === 2);
    expect(new Set(received)).toEqual(new Set([first, second]));
  });

  it('are rejected without repeating the URL, which may contain a secret', async () => {
    const { run } = newTeam();
    const rejected = await run(['webhooks', 'create', '--url', 'http://example.com/averysecretpart', '--types', 'a.b']);
    expect(rejected.exitCode).toBe(1);
    expect(rejected.stderr).toMatch(/^BAD_USER_INPUT: /);
    expect(rejected.stderr).not.toContain('averysecret');
  });
});
