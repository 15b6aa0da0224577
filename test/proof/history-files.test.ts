/** Anyone can check a history in a file, and learns what is wrong with a malformed one. */
import { execFile } from 'node:child_process';
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { blockOf, sectionOf, tableRows } from '../support/documents.ts';
import { HistoryError } from './history/format.ts';
import { checkLines } from './history/read.ts';
import { writeHistory } from './history/recording.ts';
import { problemOf } from './history/violation.ts';

const folder = 'test/proof/history';

test('the checker and the recorder import only each other and Node.js, so that anyone can run them', () => {
  const imports = readdirSync(folder).flatMap((file) =>
    [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/\b(?:from|import)\b\s*\(?['"]([^'"]+)/g)].map(
      ([, name = '']) => name,
    ),
  );
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.filter((name) => !/^(?:node:[a-z/]+|\.\/[a-z-]+\.ts)$/.test(name))).toEqual([]);
});

test('the model of a key that the programs change keys by shares no code with the service or the checker', () => {
  const source = readFileSync('test/harness/key-model.ts', 'utf8');
  expect(source.match(/^import (?!type ).*$/gm)).toBeNull();
});

describe('the raw histories of docs/evidence/proof.md', () => {
  const rows = tableRows(sectionOf('docs/evidence/proof.md', 'Compared with others').prose);

  test('are all in its table', () => {
    const named = rows.map(([link = '']) => /\(histories\/(.*)\)/.exec(link)?.[1]);
    expect(named.sort()).toEqual(readdirSync('docs/evidence/histories').sort());
  });

  test.each(rows)('%s: the check says what the table says', async (link = '', ...numbers) => {
    const [, file = ''] = /\((.*)\)/.exec(link) ?? [];
    const { changes, verifications, telling, violationCount, maxLateMs } = await checkLines(
      createReadStream(`docs/evidence/${file}`).pipe(createGunzip()),
    );
    const window = violationCount === 0 ? '0' : `${maxLateMs.toFixed(0)} ms`;
    expect(numbers).toEqual([...[changes, verifications, telling, violationCount].map(String), window]);
    expect(telling).toBeGreaterThan(0);
    if (link.startsWith('[Latchkey')) expect(violationCount).toBe(0);
  });
});

describe('a history in a file', () => {
  const documented = blockOf('docs/evidence/proof.md', 'The format of a history');
  const [header = '', creation = '', ...rest] = documented.trimEnd().split('\n');

  const check = (...lines: readonly string[]) => checkLines(Readable.from(lines.map((line) => `${line}\n`)));

  test('can be as documented, and is judged as documented', async () => {
    const { violations } = await check(header, creation, ...rest);
    expect(violations.map(problemOf)).toEqual([
      'decided on an old state: "revoke" had been answered 812.00 ms before it started',
    ]);
  });

  test('is read back as it was written', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'latchkey-history-'));
    try {
      const file = join(directory, 'history.ndjson');
      const events = [creation, ...rest].map((line) => JSON.parse(line));
      await writeHistory(file, JSON.parse(header), events);
      expect(readFileSync(file, 'utf8')).toBe(documented);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test.each<[problem: string, ...lines: string[]]>([
    ['line 1: there is no header'],
    ['line 1: the header has no "clock"', '{"version":1}'],
    ['line 1: "version" of the header is not as expected: 2', header.replace('"version":1', '"version":2')],
    ['line 1: the header has an unknown field "leaseMS"', header.replace('leaseMs', 'leaseMS')],
    ['line 1: the clock has no "max"', header.replace(/,"max":[\d.]+/, '')],
    ['line 2: this is not JSON: {"at":', header, '{"at":'],
    ['line 2: the event is not an object', header, '[]'],
    ['line 2: the state has an unknown field "revokd"', header, creation.replace('"revoked"', '"revokd"')],
    [
      'line 2: "revoked" of the state is not as expected: 0',
      header,
      creation.replace('"revoked":false', '"revoked":0'),
    ],
    [
      'line 2: "allowed": expected IPv4 addresses and networks a.b.c.0/24, not "10.0.0.0/8"',
      header,
      creation.replace('"allowed":[]', '"allowed":["192.0.2.0/24","192.0.2.7","10.0.0.0/8"]'),
    ],
    [
      'line 2: "source" of the request is not as expected: "2001:db8::1"',
      header,
      rest[1]?.replace('"source":null', '"source":"2001:db8::1"') ?? '',
    ],
    [
      'line 1: "version" of the header is not as expected: an array',
      `{"version":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
    ],
    [`line 1: the header has an unknown field "${'x'.repeat(80)}…"`, `{"${'x'.repeat(100_000)}":1}`],
    ['line 2: the answer has no "at"', header, '{"answer":1}'],
    ['line 2: the answer has an unknown field "verdct"', header, '{"at":1,"answer":1,"verdct":{}}'],
    ['line 2: "code" of the verdict is not as expected: 1', header, '{"at":1,"answer":1,"verdict":{"code":1}}'],
    ['line 2: the call of a verification has an unknown field "__proto__"', header, '{"call":1,"__proto__":1}'],
    ['line 2: call 1 is answered, but was not made', header, '{"at":1,"answer":1}'],
    ['line 3: call 1 is not answered yet, and is made again', header, creation, creation],
  ])('is rejected with the number of the line: %s', async (problem, ...lines) => {
    await expect(check(...lines)).rejects.toThrow(new HistoryError(problem));
  });

  test('gets exit code 0 if the promise was kept, 1 if not, and 2 if it is malformed or for another error', async () => {
    const run = (lines: readonly string[], file = '-', first = '') =>
      new Promise<{ code: unknown; output: string }>((resolve) => {
        const child = execFile(
          process.execPath,
          ['--import', `data:text/javascript,${first}`, `${folder}/check-history.ts`, file],
          (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
        );
        child.stdin?.on('error', () => undefined);
        child.stdin?.end(lines.join('\n'));
      });
    const deep = `{"version":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const results = await Promise.all([
      run([header, creation]),
      run([header, creation, ...rest]),
      run(['{}']),
      run([deep]),
      run([], '/nowhere'),
      run([header, creation], '-', 'Number.isSafeInteger = () => { throw new RangeError() }'),
    ]);
    expect(results.map(({ code }) => code)).toEqual([0, 1, 2, 2, 2, 2]);
    expect(results[0]?.output).toContain('It proves nothing: no verification close to a change could have shown');
    expect(results[1]?.output).toContain('key 1 at api: decided on an old state: "revoke" had been answered 812.00 ms');
    expect(results[1]?.output).toContain('violations     1');
    expect(results[2]?.output).toContain('line 1: the header has no "version"');
  });
});
