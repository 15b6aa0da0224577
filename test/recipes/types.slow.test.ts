/** The examples for Node.js compile as their readers have them: with the built client, and with every check of TypeScript. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CodeBlock, sectionsOf } from '../support/documents.ts';

const run = promisify(execFile);

interface Example {
  readonly name: string;
  readonly language: string;
  readonly text: string;
}

const isProgram = ({ language }: CodeBlock) => language === 'js' || language === 'ts';
const examplesOf = (document: string): Example[] =>
  sectionsOf(document).flatMap(({ title, blocks }) =>
    blocks.filter(isProgram).map((block) => ({ name: `${document}: ${title}`, ...block })),
  );
const examples: readonly Example[] = [
  ...[
    'docs/start/quickstarts.md',
    'docs/tasks/gateways.md',
    'docs/tasks/signing.md',
    'docs/tasks/migrating.md',
  ].flatMap(examplesOf),
  ...['examples/express/api.js', 'examples/nginx/api.js'].map((name) => ({
    name,
    language: 'js',
    text: readFileSync(name, 'utf8'),
  })),
];

/** A JavaScript example is also checked in a file with TypeScript, into which many readers paste it. */
const files = examples.flatMap(({ name, language, text }, index) =>
  (language === 'ts' ? ['mts'] : ['mjs', 'mts']).map((extension) => ({
    file: `${index}-${extension}.${extension}`,
    title: `${name} (.${extension})`,
    text,
  })),
);

const oldCheck = `/** @param {string} key @returns {Promise<string | null>} */
export const ownerOf = async (key) => (key === 'known' ? 'its owner' : null);
`;

let directory: string;
let output = '';
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'latchkey-types-'));
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  for (const { file, text } of files) writeFileSync(join(directory, file), text);
  // Of docs/tasks/migrating.md, where it is the reader's own.
  writeFileSync(join(directory, 'old-check.mjs'), oldCheck);
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2023', types: ['node'], noEmit: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ allowJs: true, checkJs: true, skipLibCheck: true },
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mjs', '*.mts'] }));
  output = await run(resolve('node_modules/.bin/tsc'), ['-p', directory, '--pretty', 'false'], { cwd: directory }).then(
    () => '',
    ({ stdout }) => String(stdout),
  );
});
afterAll(() => rmSync(directory, { recursive: true }));

test('the documents have the quickstarts for Node.js', () => {
  expect(examples.map(({ name }) => name)).toEqual(
    expect.arrayContaining(
      ['Express', 'Fastify', 'Hono', 'Next.js'].map((title) => `docs/start/quickstarts.md: ${title}`),
    ),
  );
});

test.each(files.map(({ title, file }) => [title, file] as const))('%s compiles in strict mode', (_, file) => {
  expect(output.split('\n').filter((line) => line.startsWith(file))).toEqual([]);
});

test('nothing else is reported', () => {
  const known = (line: string) => files.some(({ file }) => line.startsWith(file)) || /^(\s|$)/.test(line);
  expect(output.split('\n').filter((line) => !known(line))).toEqual([]);
});
