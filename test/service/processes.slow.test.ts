// SECURITY.md: Bytes from outside; Hostile tenant
/** One supervisor, one management process, WORKERS verification processes and one that sends webhooks: none of them takes another down. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeKey, teamId, token, verdictOn } from '../support/calls.ts';
import { providers, temporaryDatabase } from '../support/databases.ts';
import { send } from '../support/gateway.ts';
import { type Instance, killInstances, startInstance, until } from '../support/instance.ts';
import { processesOf } from '../support/processes.ts';
import { startReceiver } from '../support/receivers.ts';
import { graphql, rest, sessionToken } from '../support/service.ts';

const stopped: number[] = [];

async function start(
  provider: 'sqlite' | 'postgresql' = 'sqlite',
  workers = 1,
  more: NodeJS.ProcessEnv = {},
): Promise<Instance> {
  const { directory: DATA_DIR, url: DATABASE_URL } = await temporaryDatabase(provider);
  return await startInstance({ DATA_DIR, DATABASE_URL, ...more }, workers);
}

function suspend(pid: number): void {
  stopped.push(pid);
  process.kill(pid, 'SIGSTOP');
}

afterEach(() => {
  for (const pid of stopped.splice(0)) succeedsNow(() => process.kill(pid, 'SIGCONT'));
});

const addWebhook = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';

/** Starts the service with a script that each of its processes runs first. */
const startWith = (script: string) =>
  start('sqlite', 1, { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` });

/** On SIGUSR2, a process never returns to its event loop. */
const spinsOnSignal = "process.on('SIGUSR2', () => { for (;;); })";

const codeOf = (instance: Instance, key: string) => verdictOn(instance, JSON.stringify({ key }));
const processes = ({ process: { pid = 0 } }: Instance) => processesOf(pid);
const succeeds = (act: () => Promise<unknown>) =>
  act().then(
    () => true,
    () => false,
  );

describe('when one process is stuck or ends', () => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await start('sqlite', 1, { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
  });
  afterAll(killInstances);

  it('verification answers while management is stopped', async () => {
    const { secret } = await makeKey(instance);
    const { management } = processes(instance);
    suspend(management);
    for (let i = 0; i < 20; i += 1) expect(await codeOf(instance, secret)).toBe('VALID');
    const unknown = await rest(instance.verifyUrl, null, 'GET', '/readyz');
    expect([unknown.status, unknown.body]).toEqual([200, { status: 'ready' }]);
  });

  it('verification goes on serving when management is killed, and management is started again on its port', async () => {
    const { secret } = await makeKey(instance);
    const { management } = processes(instance);
    process.kill(management, 'SIGKILL');
    const isBack = () => succeeds(() => makeKey(instance));
    await until('management is back', async () => {
      expect(await codeOf(instance, secret)).toBe('VALID');
      return await isBack();
    });
    expect(processes(instance).management).not.toBe(management);
    expect(instance.output()).toMatch(/"process":"management"[^\n]*"msg":"a process ended; it will be restarted"/);
  });

  it('management goes on serving when verification is killed, and verification is started again on its port', async () => {
    const { id, secret } = await makeKey(instance);
    const [verification = 0] = processes(instance).verification;
    process.kill(verification, 'SIGKILL');
    expect((await rest(instance.url, token, 'DELETE', `/v1/keys/${id}`)).status).toBe(200);
    await until('verification is back', () => succeeds(() => codeOf(instance, secret)));
    expect(await codeOf(instance, secret)).toBe('REVOKED');
    expect(processes(instance).verification).not.toContain(verification);
  });

  it('usage that was counted while management was away is written when it is back', async () => {
    const { id, secret } = await makeKey(instance);
    process.kill(processes(instance).management, 'SIGKILL');
    for (let i = 0; i < 5; i += 1) expect(await codeOf(instance, secret)).toBe('VALID');
    await until('lastUsedAt is written', async () => {
      const key = (await rest(instance.url, token, 'GET', `/v1/keys/${id}`).catch(() => null))?.body;
      return typeof key?.lastUsedAt === 'string';
    });
  });

  it('a holder who revokes a key while management is away gets 503, and the key is revoked when it is back', async () => {
    const { secret } = await makeKey(instance);
    const { management } = processes(instance);
    process.kill(management, 'SIGSTOP');
    const revokeSelf = () => rest(instance.verifyUrl, secret, 'DELETE', '/v1/keys/self');
    const first = revokeSelf();
    expect(await codeOf(instance, secret)).toBe('VALID');
    // Calls that wait for management fail when it ends, and so do later ones until it is started again.
    process.kill(management, 'SIGKILL');
    expect((await first).status).toBe(503);
    await until('revoked', async () => (await revokeSelf()).status === 200);
    expect(await codeOf(instance, secret)).toBe('REVOKED');
  });

  it('when the process that sends webhooks is killed, what was under way is sent again, and the planes go on', async () => {
    const [hanging, receiver] = [await startReceiver(() => 'hang'), await startReceiver()];
    const { management, sender, verification } = processes(instance);
    const managesWebhooks = sessionToken({ [teamId]: ['manage_webhooks'] });
    for (const { url } of [hanging, receiver]) {
      const { body } = await graphql(instance.url, managesWebhooks, addWebhook, { input: { teamId, url } });
      expect(body.errors).toBeUndefined();
    }
    await until('under way', () => hanging.requests.length > 0);
    process.kill(sender, 'SIGKILL');
    const { id, secret } = await makeKey(instance);
    expect(await codeOf(instance, secret)).toBe('VALID');
    expect((await rest(instance.url, token, 'DELETE', `/v1/keys/${id}`)).status).toBe(200);
    await until('sent', () => receiver.requests.some(({ body }) => body.includes('key.revoked')), timeoutMs);
    const [first] = hanging.requests;
    await until(
      'sent again',
      () => hanging.requests.filter((request) => request.id === first?.id).length > 1,
      timeoutMs,
    );
    expect(processes(instance)).toMatchObject({ management, verification });
    expect(processes(instance).sender).not.toBe(sender);
    await Promise.all([hanging.stop(), receiver.stop()]);
  });

  it('when management is killed, what it was sending ends: it is sent again, and must not arrive after later events', async () => {
    const hanging = await startReceiver(() => 'hang');
    const { management, sender } = processes(instance);
    const managesWebhooks = sessionToken({ [teamId]: ['manage_webhooks'] });
    const input = { teamId, url: hanging.url };
    const { body } = await graphql(instance.url, managesWebhooks, addWebhook, { input });
    expect(body.errors).toBeUndefined();
    await makeKey(instance);
    await until('under way', () => hanging.requests.length > 0);
    hanging.concurrent.max = 0;
    process.kill(management, 'SIGKILL');
    await until('sent again', () => hanging.requests.length > 1, timeoutMs);
    expect(hanging.concurrent.max).toBe(1);
    expect(processes(instance).sender).toBe(sender);
    await hanging.stop();
  });

  it('the process that sends webhooks has no variable of a secret or a database, and has opened no database', () => {
    const { management, sender } = processes(instance);
    const read = (pid: number, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
    const secret = /DATABASE_URL|DATA_DIR|SECRET|TOKEN|PEPPER|KEK|OIDC/;
    expect(read(management, 'environ')).toMatch(secret);
    expect(read(sender, 'environ')).not.toMatch(secret);
    const openFiles = (pid: number) =>
      readdirSync(`/proc/${pid}/fd`).map((fd) => {
        try {
          return readlinkSync(`/proc/${pid}/fd/${fd}`);
        } catch {
          return 'closed meanwhile';
        }
      });
    expect(openFiles(management).join()).toContain('latchkey.db');
    expect(openFiles(sender).join()).not.toContain('latchkey.db');
    expect(read(sender, 'maps')).not.toContain('better_sqlite3');
  });
});

describe('when the supervisor ends, or a process does not answer it', () => {
  afterEach(killInstances);

  it('all processes end within five seconds when the supervisor is killed, so that the ports are free for another', async () => {
    const instance = await start();
    const { management, sender, verification } = processes(instance);
    instance.process.kill('SIGKILL');
    await until('ended', () => [management, sender, ...verification].every(isGone), 5000);
  });

  it('processes that spin end too when the supervisor is killed', async () => {
    const instance = await startWith(spinsOnSignal);
    const { management, verification } = processes(instance);
    const all = [management, ...verification];
    for (const pid of all) process.kill(pid, 'SIGUSR2');
    await until('spinning', async () => !(await answers(instance.url)) && !(await answers(instance.verifyUrl)));
    instance.process.kill('SIGKILL');
    await until('ended', () => all.every(isGone), timeoutMs);
  });

  it('a process that is stopped and one that spins are replaced, and only these', async () => {
    const instance = await startWith(spinsOnSignal);
    const { secret } = await makeKey(instance);
    const { management, verification } = processes(instance);
    suspend(management);
    await until('management is replaced', () => replaced(instance, management), timeoutMs);
    expect(processes(instance).verification).toEqual(verification);
    await until('management is back', () => succeeds(() => makeKey(instance)), timeoutMs);
    const [spinning = 0] = verification;
    process.kill(spinning, 'SIGUSR2');
    await until('verification is replaced', () => replaced(instance, spinning), timeoutMs);
    await until('verification is back', () => succeeds(() => codeOf(instance, secret)), timeoutMs);
    expect(await codeOf(instance, secret)).toBe('VALID');
    expect(instance.output().match(/"msg":"a process does not answer; it is killed"/g)).toHaveLength(2);
    expect(await instance.stop()).toBe(0);
  });
});

describe('after SIGTERM', () => {
  afterEach(killInstances);

  it('processes that never end are killed at the deadline, and the exit code says so', async () => {
    // They drain, and answer the supervisor.
    const instance = await startWith("if (process.argv[1].includes('/service/')) process.exit = () => undefined");
    const { management, verification } = processes(instance);
    expect(await instance.stop()).toBe(1);
    expect([management, ...verification].every(isGone)).toBe(true);
    const killed = /"process":"([^"]+)","msg":"a process did not stop in time; it is killed"/g;
    expect([...instance.output().matchAll(killed)].map(([, name]) => name)).toEqual(['verification-1', 'management']);
  });

  it('the service ends although management is stopped', async () => {
    const instance = await start();
    const { management, verification } = processes(instance);
    suspend(management);
    expect(await instance.stop()).toBe(1);
    expect([management, ...verification].every(isGone)).toBe(true);
  });
});

/** For what takes more than ten seconds by design, on a machine that may be busy. */
const timeoutMs = 90_000;

const isGone = (pid: number) => !succeedsNow(() => process.kill(pid, 0));

async function answers(url: string): Promise<boolean> {
  return await succeeds(() => fetch(`${url}/healthz`, { signal: AbortSignal.timeout(500) }));
}

function replaced(instance: Instance, pid: number): boolean {
  const { management, verification } = processes(instance);
  return isGone(pid) && management > 0 && verification.length === 1 && verification[0] !== 0;
}

function succeedsNow(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

it.each(providers)('with WORKERS=2 on %s, the verification processes agree immediately', async (provider) => {
  const instance = await start(provider, 2);
  const { id, secret } = await makeKey(instance);
  // Connections go to the processes in turn: each of these agents keeps to one of them.
  const agents = Array.from({ length: 6 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const body = JSON.stringify({ key: secret });
  const verdict = async (agent: Agent) =>
    JSON.parse((await send(instance.verifyUrl, { method: 'POST', path: '/v1/verify', body, agent })).body).code;
  const verdicts = async () => new Set(await Promise.all(agents.map(verdict)));
  expect(await verdicts()).toEqual(new Set(['VALID']));
  for (let i = 0; i < 10; i += 1) {
    await rest(instance.url, token, 'PATCH', `/v1/keys/${id}`, { allowedIps: i % 2 === 0 ? ['10.0.0.1'] : [] });
    expect(await verdicts()).toEqual(new Set([i % 2 === 0 ? 'SOURCE_NOT_ALLOWED' : 'VALID']));
  }
  await rest(instance.url, token, 'DELETE', `/v1/keys/${id}`);
  expect(await verdicts()).toEqual(new Set(['REVOKED']));
  for (const agent of agents) agent.destroy();
  expect(processes(instance).verification).toHaveLength(2);

  const [first = 0] = processes(instance).verification;
  process.kill(first, 'SIGKILL');
  await until('replaced', () => /"process":"verification-\d"[^\n]*ready again/.test(instance.output()));
  expect(processes(instance).verification).toHaveLength(2);
  expect(await instance.stop()).toBe(0);
});
