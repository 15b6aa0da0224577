import { once } from 'node:events';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/config/configuration.ts';
import { changeStoredRing, generatedSecrets } from '../../src/config/secrets-file.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

let root: string;
/** Does not exist before the first start. */
let directory: string;
let path: string;

beforeEach(() => {
  root = temporaryDirectory().path;
  directory = join(root, 'not', 'there', 'yet');
  path = join(directory, 'secrets.json');
});

const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

describe('generated secrets', () => {
  it('are made when there are none, of 256 bits each, in a file for its owner alone, and stay the same', async () => {
    const first = generatedSecrets(directory);
    const { isNew, jwtSecret, peppers, signingKeks } = first;
    expect(isNew).toBe(true);
    const secrets = [Buffer.from(jwtSecret, 'base64'), peppers.current.bytes, signingKeks.current.bytes];
    expect(secrets.map(({ length }) => length)).toEqual([32, 32, 32]);
    expect([await modeOf(path), await modeOf(directory)]).toEqual(['600', '700']);
    expect(await readdir(directory)).toEqual(['secrets.json']);
    const contents = await readFile(path, 'utf8');
    for (const next of [generatedSecrets(directory), generatedSecrets(directory)]) {
      expect(next).toEqual({ ...first, isNew: false });
    }
    expect(await readFile(path, 'utf8')).toBe(contents);
  });

  it('are all different from one another and from those of another directory, ids included', () => {
    const values = [directory, join(root, 'other')].flatMap((place) => {
      const { jwtSecret, peppers, signingKeks } = generatedSecrets(place);
      const keys = [peppers.current, signingKeks.current];
      return [jwtSecret, ...keys.map(({ id }) => id), ...keys.map(({ bytes }) => bytes.toString('base64'))];
    });
    expect(values).toHaveLength(10);
    expect(new Set(values).size).toBe(10);
  });

  it.each([0o644, 0o640, 0o604, 0o660, 0o666, 0o777])(
    'are made private again when other users can read their file (mode %#o)',
    async (mode) => {
      const first = generatedSecrets(directory);
      await chmod(path, mode);
      expect(generatedSecrets(directory)).toEqual({ ...first, isNew: false });
      expect(await modeOf(path)).toBe('600');
    },
  );

  it('leave a stricter mode as it is', async () => {
    generatedSecrets(directory);
    await chmod(path, 0o400);
    generatedSecrets(directory);
    expect(await modeOf(path)).toBe('400');
  });
});

describe('a damaged file of secrets', () => {
  const canary = 'Y2FuYXJ5LWNhbmFyeS1jYW5hcnktY2FuYXJ5LWNhbmE=';
  const good = { jwtSecret: canary, pepper: { id: 'p', base64: canary }, signingKek: { id: 'k', base64: canary } };

  beforeEach(async () => {
    generatedSecrets(directory);
  });

  it('is told apart from an intact one, which is used', async () => {
    await writeFile(path, JSON.stringify(good));
    expect(generatedSecrets(directory)).toMatchObject({ jwtSecret: canary, isNew: false });
  });

  it('may hold rings, of which the first key is current; a ring is replaced whole, for its owner alone', async () => {
    const older = { id: 'older', base64: canary };
    await writeFile(path, JSON.stringify({ ...good, pepper: [good.pepper, older] }));
    expect([...generatedSecrets(directory).peppers.byId.keys()]).toEqual(['p', 'older']);
    changeStoredRing(directory, 'pepper', ([first, ...rest]) => [...rest, ...(first === undefined ? [] : [first])]);
    const { jwtSecret, peppers, signingKeks } = generatedSecrets(directory);
    expect([jwtSecret, peppers.current.id, signingKeks.current.id]).toEqual([canary, 'older', 'k']);
    expect([...peppers.byId.keys()]).toEqual(['older', 'p']);
    expect([await readdir(directory), await modeOf(path)]).toEqual([['secrets.json'], '600']);
  });

  const short = canary.slice(0, 20);
  it.each([
    ['empty', ''],
    ['cut off', JSON.stringify(good).slice(0, -10)],
    ['overwritten', `${canary} is no JSON`],
    ['of zeros', '\0'.repeat(300)],
    ['null', 'null'],
    ['a list', JSON.stringify([good])],
    ...Object.entries({
      'with an empty ring': { pepper: [] },
      'with one id for two keys': { pepper: [good.pepper, good.pepper] },
      'without the JWT secret': { jwtSecret: undefined },
      'with a short JWT secret': { jwtSecret: canary.slice(0, 31) },
      'without the pepper': { pepper: undefined },
      'without the key-encryption key': { signingKek: undefined },
      'without an id': { pepper: { base64: canary } },
      'with an empty id': { pepper: { id: '', base64: canary } },
      'with a pepper that is no base64': { pepper: { id: 'p', base64: `${canary}!` } },
      'with an empty pepper': { pepper: { id: 'p', base64: '' } },
      'with half a pepper': { pepper: { id: 'p', base64: short } },
      'with half a key-encryption key': { signingKek: { id: 'k', base64: short } },
    }).map(([what, damage]): [string, string] => [what, JSON.stringify({ ...good, ...damage })]),
  ] satisfies [string, string][])(
    'is rejected with its path, without its contents, and kept as it is: %s',
    async (_, contents) => {
      await writeFile(path, contents);
      const error = thrownBy(() => generatedSecrets(directory));
      if (!(error instanceof ConfigurationError)) throw error;
      expect(error.problems).toEqual([
        `${path}: can't be read; restore it from a backup: without it, no key in the database can be verified`,
      ]);
      expect(`${error.stack} ${error.cause}`).not.toContain(canary.slice(0, 20));
      expect(await readFile(path, 'utf8')).toBe(contents);
    },
  );
});

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return new Error('nothing was thrown');
}

/** As built, because processes and threads of their own run it. */
const built = new URL('../../src/config/secrets-file.ts', import.meta.url).href;
const summary = `({ jwtSecret, peppers, signingKeks, isNew }) =>
  [isNew, jwtSecret, ...[peppers.current, signingKeks.current].flatMap(({ id, bytes }) => [id, bytes.toString('hex')])].join(' ')`;

function expectOneGeneration(summaries: readonly string[]): void {
  const created = summaries.filter((line) => line.startsWith('true '));
  const values = summaries.map((line) => line.slice(line.indexOf(' ')));
  expect(values[0]).toMatch(/^ \S{44} [\da-f]{8} [\da-f]{64} [\da-f]{8} [\da-f]{64}$/);
  expect(new Set(values).size).toBe(1);
  expect(created).toHaveLength(1);
}

describe('several first starts at once', () => {
  it('end with the same secrets, also when they share a process id, as in containers on one volume', async () => {
    const threads = 4;
    const rounds = 40;
    const script = `
      const { parentPort, workerData } = require('node:worker_threads');
      const arrived = new Int32Array(workerData.barrier);
      import(${JSON.stringify(built)}).then(({ generatedSecrets }) => {
        const summaries = [];
        for (let round = 0; round < ${rounds}; round += 1) {
          Atomics.add(arrived, round, 1);
          Atomics.notify(arrived, round);
          for (let count = 0; (count = Atomics.load(arrived, round)) < ${threads}; ) Atomics.wait(arrived, round, count);
          try {
            summaries.push((${summary})(generatedSecrets(workerData.directory + round)));
          } catch (error) {
            summaries.push(String(error));
          }
        }
        parentPort.postMessage(summaries);
      });`;
    const barrier = new SharedArrayBuffer(rounds * Int32Array.BYTES_PER_ELEMENT);
    const workers = Array.from(
      { length: threads },
      () => new Worker(script, { eval: true, workerData: { barrier, directory } }),
    );
    const answers: string[][] = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0]));
    for (let round = 0; round < rounds; round += 1) {
      expectOneGeneration(answers.map((summaries) => summaries[round] ?? ''));
      expect(await readdir(directory + round)).toEqual(['secrets.json']);
    }
  });
});
