/**
 * The systemd unit. No systemd runs as process 1 on the machines of developers and CI, so that its own tools judge
 * the unit, and the test starts what ExecStart says under the restrictions that matter: an unprivileged user without
 * capabilities, and a file system of which nothing but the state directory and /tmp can be written. strace lists the
 * system calls and sockets that are used; systemd lists those that its filter allows.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../support/instance.ts';
import { jwtSecret } from '../support/service.ts';
import { expectSignIn } from '../support/sign-in.ts';
import { recipe, variablesOf } from './page.ts';
import { expectVerdict, failing, run, startConfined, whyNoSandbox } from './sandbox.ts';

const { prose, blocks } = recipe('One machine');
const text = await readFile('deploy/systemd/latchkey.service', 'utf8');

/** Every value of a setting, in their order. */
const settings = (name: string) =>
  [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
function setting(name: string): string {
  const [value, ...more] = settings(name);
  if (value === undefined || more.length > 0)
    throw new Error(`the unit has ${name} ${more.length + 1} times, or never`);
  return value;
}

const judges = await failing([['systemd-analyze', '--version']]);
if (judges.length > 0) console.warn('The unit is not judged: there is no systemd-analyze; Debian has it in systemd');

describe('the unit', () => {
  const test = it.skipIf(judges.length > 0);
  let file: string;

  beforeAll(async () => {
    file = join(await mkdtemp(join(tmpdir(), 'latchkey-unit-')), 'latchkey.service');
    await writeFile(file, text);
  });
  afterAll(() => rm(dirname(file), { recursive: true }));

  test('has no mistake that systemd knows of', async () => {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', file]);
    // It looks at the units of this machine too.
    const complaints = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('latchkey'));
    expect(complaints).toStrictEqual([]);
  });

  test('exposes little, as systemd counts it: at most 1.5 of 10', async () => {
    const judged = run('systemd-analyze', ['security', '--offline=true', '--threshold=15', '--no-pager', file]);
    await expect(judged).resolves.toMatchObject({
      stdout: expect.stringMatching(/Overall exposure level .*: 1\.\d OK/),
    });
  });

  test('waits at a stop for longer than a drain takes', () => {
    // Without DRAIN_GRACE_MS, which must be added: open requests get 8 s, and the processes 5 s more to end.
    expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(8 + 5);
    expect(setting('Environment')).not.toContain('DRAIN_GRACE_MS');
  });
});

const tracer = await failing([['strace', '--version']]);
const obstacle = [await whyNoSandbox(), ...tracer, ...judges].filter((reason) => reason !== '').join(', ');
if (obstacle !== '') console.warn(`What the unit starts is not started: ${obstacle}`);

describe('what the unit starts', () => {
  const test = it.skipIf(obstacle !== '');
  /** Of those that DynamicUser chooses from. */
  const user = 61_234;

  test('serves, writes its own directory only, makes no call that the unit forbids, and ends in time', async () => {
    expect(settings('ProtectSystem')).toStrictEqual(['strict']);
    expect(settings('CapabilityBoundingSet')).toStrictEqual(['']);
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-systemd-'));
    const trace = join(directory, 'trace');
    const stateDirectory = `/var/lib/${setting('StateDirectory')}`;
    const environment = variablesOf(setting('Environment'));
    expect(environment.DATA_DIR).toBe(stateDirectory);
    const service = await startConfined({
      application: process.cwd(),
      workingDirectory: setting('WorkingDirectory'),
      stateDirectory,
      user,
      environment: { ...environment, JWT_SECRET: jwtSecret, PORT: '0', VERIFY_PORT: '0' },
      command: setting('ExecStart').split(' '),
      under: ['strace', '-f', '-qq', '-o', trace],
    });
    try {
      await expectVerdict(service);
      const commands = blocks[2]
        ?.replaceAll(`${setting('WorkingDirectory')}/`, '')
        .replaceAll(environment.DATA_DIR ?? '', service.state);
      const settingsOfService = { PORT: new URL(service.url).port, VERIFY_PORT: new URL(service.verifyUrl).port };
      await expectSignIn(commands ?? '', {
        url: service.url,
        environment: { ...settingsOfService, JWT_SECRET: jwtSecret },
      });

      const told = Date.now();
      expect(await service.stop()).toBe(0);
      expect(Date.now() - told).toBeLessThan(1000 * Number(setting('TimeoutStopSec')));

      const written = await service.written();
      expect(written.map(({ name }) => name)).toEqual(expect.arrayContaining(['latchkey.db', 'secrets.json']));
      // By UMask, and by the service itself.
      const strange = async () =>
        (await service.written()).filter(({ uid, forOthers }) => uid !== user || forOthers !== 0);
      expect(await strange()).toStrictEqual([]);

      const variables = { DATA_DIR: service.state, JWT_SECRET: jwtSecret };
      const copy = join(directory, 'copy');
      expect(await runCommand(['backup', copy], variables)).toMatchObject({ exitCode: 0 });
      expect(await runCommand(['restore', copy, '--replace'], variables)).toMatchObject({ exitCode: 0 });
      expect(await strange()).not.toStrictEqual([]);
      const [, handOver = ''] = /`(chown [^`]+)`/.exec(prose) ?? [];
      await run('sh', ['-euc', handOver.replaceAll(`/var/lib/private/${setting('StateDirectory')}`, service.state)]);
      expect(await strange()).toStrictEqual([]);

      await expectAllowed(await readFile(trace, 'utf8'));
    } finally {
      await service.remove();
      await rm(directory, { recursive: true });
    }
  });

  /** Of the calls since node was started: each is one that the filter knows, each socket of a family that is allowed. */
  async function expectAllowed(trace: string): Promise<void> {
    const [command = ''] = setting('ExecStart').split(' ');
    const started = trace.search(new RegExp(`^\\d+ +execve\\("[^"]*/${command}".* = 0$`, 'm'));
    expect(started).toBeGreaterThan(0);
    const calls = trace.slice(started).split('\n').slice(1);
    const used = new Set(calls.flatMap((line) => /^\d+ +(\w+)\(/.exec(line)?.[1] ?? []));
    expect(used.size).toBeGreaterThan(30);
    const [allowed = '', withheld = ''] = settings('SystemCallFilter');
    const permitted = await callsOf(allowed.split(' '));
    for (const name of await callsOf(withheld.replace('~', '').split(' '))) permitted.delete(name);
    expect([...used].filter((name) => !permitted.has(name))).toStrictEqual([]);

    const families = new Set(calls.flatMap((line) => /^\d+ +socket(?:pair)?\((\w+)/.exec(line)?.[1] ?? []));
    const open = setting('RestrictAddressFamilies').split(' ');
    expect([...families].map((family) => family.replace('_LOCAL', '_UNIX')).filter((f) => !open.includes(f))).toEqual(
      [],
    );
  }

  async function callsOf(names: readonly string[]): Promise<Set<string>> {
    const calls = new Set<string>();
    for (const name of names) {
      if (!name.startsWith('@')) calls.add(name);
      else {
        const { stdout } = await run('systemd-analyze', ['syscall-filter', name]);
        const members = [...stdout.matchAll(/^ {4}(@?[\w-]+)$/gm)].map(([, member = '']) => member);
        for (const member of await callsOf(members)) calls.add(member);
      }
    }
    return calls;
  }
});
