/**
 * Peppers and key-encryption keys are exchanged while instances serve: in the steps of docs/tasks/operations.md, no good key
 * is ever rejected, whatever else is changed meanwhile, and at the end nothing needs the old key-encryption key.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { at } from './recipes/page.ts';
import { enableSigning, type MadeKey, makeKey, token, verdictOn, verifyBody } from './support/calls.ts';
import { temporaryDatabase } from './support/databases.ts';
import { blockOf, sectionOf } from './support/documents.ts';
import { type Instance, killInstances, runCommand, serviceEnvironment, startInstance } from './support/instance.ts';
import { rest } from './support/service.ts';
import type { TemporaryDatabase } from './support/temporary-database.ts';

let database: TemporaryDatabase;

afterEach(async () => {
  await killInstances();
  await database.remove();
});

/** One instance or several; while one of them restarts, calls go to another. */
class Fleet {
  readonly #instances: Instance[] = [];
  #turn = 0;

  constructor(instances: readonly Instance[]) {
    this.#instances.push(...instances);
  }

  /** Repeats a call if the instance can't be reached, because it restarts, or if its store does not answer in time. */
  async call<T>(make: (instance: Instance) => Promise<T>): Promise<T> {
    for (;;) {
      this.#turn += 1;
      const instance = this.#instances[this.#turn % this.#instances.length];
      if (instance === undefined) throw new Error('no instance');
      try {
        return await make(instance);
      } catch (error) {
        if (!(error instanceof TypeError) && !String(error).includes('503')) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async restart(environment: NodeJS.ProcessEnv): Promise<void> {
    for (const [i, instance] of this.#instances.entries()) {
      expect(await instance.stop()).toBe(0);
      this.#instances[i] = await startInstance(environment);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#instances.map((instance) => instance.stop()));
  }
}

interface Load {
  readonly verdicts: () => number;
  /** Of whatever was not VALID. */
  readonly failures: readonly string[];
  readonly end: () => Promise<void>;
}

/** Verifies good keys, signed and not, and rotates, disables and enables the secrets of others, without a pause. */
async function startLoad(fleet: Fleet): Promise<Load> {
  const failures: string[] = [];
  let verdicts = 0;
  let over = false;
  const check = async (key: MadeKey, signingSecret: string | undefined, what: string) => {
    // A new signature for each attempt: the first may have been used before its answer was lost.
    const code = await fleet.call(async (instance) => await verdictOn(instance, await verifyBody(key, signingSecret)));
    verdicts += 1;
    // Without it, the load would leave the starting instances no time.
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (code !== 'VALID') failures.push(`${what}: ${code}`);
  };
  const verify = async (key: MadeKey, signingSecret?: string) => {
    while (!over) await check(key, signingSecret, signingSecret === undefined ? 'a key' : 'a signed request');
  };
  const churn = async (key: MadeKey) => {
    const change = (how: string) =>
      fleet.call(async (instance) => {
        const answer = await rest(instance.url, token, 'POST', `/v1/keys/${key.id}/signing/${how}`);
        if (answer.status === 503) throw new Error('503');
        return answer;
      });
    while (!over) {
      await change('disable');
      const enabled = await change('enable');
      // Made before, but its answer was lost in a restart: the next round starts anew.
      if (enabled.status === 409) continue;
      await check(key, enabled.body.signingSecret, 'a fresh secret');
      await check(key, (await change('rotate')).body.signingSecret, 'a rotated secret');
      await check(await fleet.call(makeKey), undefined, 'a new key');
    }
  };
  const keys = await Promise.all(Array.from({ length: 8 }, () => fleet.call(makeKey)));
  const [a, b, c, d, ...others] = keys;
  if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('too few keys');
  const secrets = await Promise.all(others.map((key) => fleet.call((instance) => enableSigning(instance, key))));
  const loops = [verify(a), verify(b), churn(c), churn(d), ...others.map((key, i) => verify(key, secrets[i]))];
  const done = Promise.all(loops.map((loop) => loop.catch((error) => failures.push(String(error)))));
  return {
    verdicts: () => verdicts,
    failures,
    end: async () => {
      over = true;
      await done;
    },
  };
}

it('two instances on PostgreSQL rotate the key ring without rejecting a valid key', async () => {
  database = await temporaryDatabase('postgresql');
  const ringKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
  // An underscore is a wildcard to LIKE: the old ids would also match each other.
  const [oldPepper, newPepper, oldKek, newKek] = ['p_1', 'px1', 'k_1', 'kx1'].map(ringKey);
  const common = { DATABASE_URL: database.url, DATA_DIR: database.directory };
  const rings = (peppers: string, keks: string) => ({ ...common, KEY_PEPPERS: peppers, SIGNING_KEKS: keks });
  const before = rings(`${oldPepper}`, `${oldKek}`);
  const added = rings(`${oldPepper},${newPepper}`, `${oldKek},${newKek}`);
  const promoted = rings(`${newPepper},${oldPepper}`, `${newKek},${oldKek}`);
  const after = rings(`${newPepper},${oldPepper}`, `${newKek}`);

  const fleet = new Fleet(await Promise.all([startInstance(before), startInstance(before)]));
  const load = await startLoad(fleet);
  await fleet.restart(added);
  const early = await runCommand(['rewrap'], promoted);
  expect(early.exitCode).toBe(1);
  expect(early.stderr).toContain('no service was ever started with kx1 as the first key-encryption key');
  await fleet.restart(promoted);
  const rewrapped = await runCommand(['rewrap'], promoted);
  expect(rewrapped).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^[4-6] signing secrets re-wrapped with kx1\n$/),
  });
  expect(await runCommand(['rewrap'], promoted)).toMatchObject({ stdout: '0 signing secrets re-wrapped with kx1\n' });
  await fleet.restart(after);
  const verdictsBefore = load.verdicts();
  while (load.verdicts() < verdictsBefore + 50 && load.failures.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await load.end();
  await fleet.stop();
  expect(load.failures).toEqual([]);
  expect(load.verdicts()).toBeGreaterThan(100);

  const report = await runCommand(['ring', 'list', '--json'], after);
  const needed = expect.toSatisfy((count: number) => count > 0);
  expect(JSON.parse(report.stdout)).toEqual([
    { ring: 'pepper', definedIn: 'KEY_PEPPERS', id: 'px1', role: 'current', neededBy: needed },
    { ring: 'pepper', definedIn: 'KEY_PEPPERS', id: 'p_1', role: 'older or next', neededBy: needed },
    { ring: 'signing-kek', definedIn: 'SIGNING_KEKS', id: 'kx1', role: 'current', neededBy: needed },
  ]);
  const withoutPepper = { ...after, KEY_PEPPERS: `${newPepper}` };
  await expect(startInstance(withoutPepper)).rejects.toThrow(
    'KEY_PEPPERS: p_1 is missing, and keys or management keys in the database',
  );
});

it('one instance on SQLite does the same with the rings of secrets.json', async () => {
  database = await temporaryDatabase('sqlite');
  const environment = { DATABASE_URL: database.url, DATA_DIR: database.directory };
  const ring = (...args: string[]) => runCommand(['ring', ...args], environment);
  const secrets = () => JSON.parse(readFileSync(join(database.directory, 'secrets.json'), 'utf8'));
  const fleet = new Fleet([await startInstance(environment)]);
  const { id: oldKek } = secrets().signingKek;
  const { id: oldPepper } = secrets().pepper;
  const load = await startLoad(fleet);
  for (const purpose of ['signing-kek', 'pepper']) expect((await ring('add', purpose)).exitCode).toBe(0);
  expect(secrets().signingKek[0].id).toBe(oldKek);
  await fleet.restart(environment);
  for (const purpose of ['signing-kek', 'pepper']) expect((await ring('promote', purpose)).exitCode).toBe(0);
  const newKek = secrets().signingKek[0].id;
  expect(newKek).not.toBe(oldKek);
  await fleet.restart(environment);
  const tooEarly = await ring('remove', 'signing-kek', oldKek);
  expect(tooEarly).toMatchObject({ exitCode: 1, stdout: '' });
  expect(tooEarly.stderr).toMatch(new RegExp(`[1-9] keys, management keys or webhooks still need ${oldKek}`));
  expect(await runCommand(['rewrap'], environment)).toMatchObject({ exitCode: 0 });
  expect((await ring('remove', 'signing-kek', newKek)).stderr).toContain(`${newKek} is current`);
  expect((await ring('remove', 'signing-kek', oldKek)).exitCode).toBe(0);
  expect((await ring('remove', 'pepper', oldPepper)).stderr).toContain(`keys still need ${oldPepper}`);
  await fleet.restart(environment);
  await load.end();
  await fleet.stop();
  expect(load.failures).toEqual([]);
  expect(secrets().signingKek.map(({ id }: { id: string }) => id)).toEqual([newKek]);
  expect((await ring('list')).stdout).not.toContain(oldKek);
});

const generated = blockOf('docs/tasks/operations.md', 'Rotation');
const ownSecrets = blockOf('docs/tasks/operations.md', 'Rotation', 1);
const ringFile = /SIGNING_KEKS_FILE=([\w/]+)/.exec(sectionOf('docs/tasks/operations.md', 'Rotation').prose)?.[1] ?? '';

it.each([
  ['generated secrets', generated],
  ['secrets in files', ownSecrets],
])('the commands for %s replace the key-encryption key without rejecting a valid key', async (_, commands) => {
  database = await temporaryDatabase('sqlite');
  const file = join(database.directory, 'signing_keks');
  const isOwn = commands === ownSecrets;
  if (isOwn) writeFileSync(file, `k1:${randomBytes(32).toString('base64')}\n`);
  const environment = {
    ...{ DATABASE_URL: database.url, DATA_DIR: database.directory },
    ...(isOwn ? { SIGNING_KEKS_FILE: file } : {}),
  };
  const idsOf = async () => {
    const { stdout } = await runCommand(['ring', 'list', '--json'], environment);
    const keys: { readonly ring: string; readonly id: string }[] = JSON.parse(stdout);
    return keys.filter(({ ring }) => ring === 'signing-kek').map(({ id }) => id);
  };
  const fleet = new Fleet([await startInstance(environment)]);
  const [before] = await idsOf();
  const load = await startLoad(fleet);

  let restarts = 0;
  await runWithRestarts(isOwn ? at(commands, { [ringFile]: file }) : commands, environment, async () => {
    restarts += 1;
    await fleet.restart(environment);
  });
  expect(restarts).toBe(3);
  const verdictsBefore = load.verdicts();
  await expect
    .poll(() => load.verdicts() - verdictsBefore + load.failures.length, { timeout: 60_000 })
    .toBeGreaterThan(20);
  await load.end();
  await fleet.stop();
  expect(load.failures).toEqual([]);
  const after = await idsOf();
  expect(after).toHaveLength(1);
  expect(after).not.toContain(before);
});

/** Runs commands of a document. `systemctl restart latchkey` in them waits for `restart`. */
async function runWithRestarts(
  commands: string,
  environment: NodeJS.ProcessEnv,
  restart: () => Promise<void>,
): Promise<void> {
  const script = `
    npx() { shift; node dist/cli/latchkey.js "$@"; }
    systemctl() { echo restart >&3; read -r _ <&4; }
    ${commands}`;
  const child = spawn('sh', ['-euc', script], {
    env: serviceEnvironment(environment),
    stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  const [, , , asked, answered] = child.stdio;
  if (!(asked instanceof Readable) || !(answered instanceof Writable)) throw new Error('there are no pipes');
  for await (const _ of createInterface(asked)) {
    await restart();
    answered.write('restarted\n');
  }
  expect(await exit).toEqual([0, null]);
}
