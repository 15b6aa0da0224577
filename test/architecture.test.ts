/** The files of src import only what ARCHITECTURE.md allows. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { allowed, cruiseOptions, packagesOf } from './support/import-rules.ts';

async function cruiseSources(baseDir: string): Promise<ICruiseResult> {
  const resolveOptions = { conditionNames: ['import', 'node', 'default', 'types'], exportsFields: ['exports'] };
  const { output } = await cruise(['src'], { ...cruiseOptions, baseDir }, resolveOptions);
  if (typeof output === 'string') throw new Error('the result is not an object');
  return output;
}

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !/^src\/(?:store\/generated|client\/dist)\//.test(file))
  .map((file) => ({ file, source: readFileSync(file, 'utf8') }));

describe('the files of src', () => {
  let result: ICruiseResult;
  beforeAll(async () => {
    result = await cruiseSources(process.cwd());
  }, 60_000);

  it('break no import rule', () => {
    expect(result.summary.violations.map(({ from, to, rule }) => `${from}: ${to} (${rule.name})`)).toEqual([]);
  });

  it('are all read, with every import that a search in the text finds', () => {
    const statement = /^(?:import|export)\s[^;'"`]*?\bfrom\s'([^']+)'|\bimport\('([^']+)'\)/gm;
    const found = sources.flatMap(({ file, source }) =>
      Array.from(source.matchAll(statement), ([, from, imported]) => `${file} ${from ?? imported}`),
    );
    const read = result.modules.flatMap(({ source, dependencies }) =>
      dependencies.map((dependency) => `${source} ${dependency.protocol ?? ''}${dependency.module}`),
    );
    expect(found.length).toBeGreaterThan(1000);
    const inText = (line: string) => !/ src\/dashboard\/key\/signing-examples/.test(` ${line}`);
    expect(found.filter((line) => inText(line) && !read.includes(line))).toEqual([]);
    expect(
      sources.map(({ file }) => file).filter((file) => !result.modules.some(({ source }) => source === file)),
    ).toEqual([]);
  });

  it('are in known folders, and none is called index.ts', () => {
    const entries = new Set(sources.map(({ file }) => file.split('/')[1]));
    expect([...entries].sort()).toEqual(Object.keys(allowed).sort());
    const names = sources.filter(({ file }) => posix.basename(file) === 'index.ts' && !file.includes('/generated/'));
    expect(names).toEqual([]);
  });
});

describe('the import rules', () => {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-imports-'));
  afterAll(() => rmSync(root, { recursive: true }));
  const places = Object.keys(allowed);
  const fileIn = (place: string, name: string) => (place === 'main.ts' ? 'src/main.ts' : `src/${place}/${name}.ts`);
  const cases: { readonly file: string; readonly source: string; readonly breaks: boolean }[] = [];
  const add = (file: string, source: string, breaks: boolean) => cases.push({ file, source, breaks });

  for (const [from, others] of Object.entries(allowed)) {
    if (from === 'main.ts') continue;
    for (const to of places.filter((place) => place !== from && place !== 'main.ts')) {
      const breaks = !others.includes(to);
      add(fileIn(from, `uses-${to}`), `import type { A } from '../${to}/target.ts';\nexport type B = A;`, breaks);
    }
    for (const [folder, names] of Object.entries(packagesOf)) {
      const [name = ''] = names.filter((pattern) => pattern !== '@prisma');
      const specifier = name === '@opentelemetry' ? '@opentelemetry/api' : name;
      add(fileIn(from, `uses-package-of-${folder}`), `import '${specifier}';`, from !== folder);
    }
  }
  add('src/main.ts', `import './service/target.ts';`, false);
  add('src/cli/starts.ts', `await import('../main.ts');`, false);
  add('src/service/starts.ts', `await import('../main.ts');`, true);
  add('src/store/exports.ts', `export * from '../manage/target.ts';`, true);
  add('src/manage/loads.ts', `export const rest = async () => await import('../rest/target.ts');`, true);
  add('src/rest/generated/deep.ts', `import '../../http/target.ts';`, true);
  add('src/http/requires.cts', `const pg = require('pg');`, true);
  add('src/http/adapter.ts', `import { PrismaPg } from '@prisma/adapter-pg';`, true);
  add('src/manage/generated.ts', `import type { Prisma } from '../store/generated/client.ts';`, true);
  add('src/verify/sqlite.ts', `import { DatabaseSync } from 'node:sqlite';`, true);
  add('src/domain/package.ts', `import { z } from 'zod';`, true);
  add('src/domain/builtin.ts', `import { hash } from 'node:crypto';`, false);
  add('src/dashboard/value.ts', `import { A } from '../domain/target.ts';`, true);
  add('src/dashboard/limit.ts', `import { A } from '../domain/limits.ts';`, false);
  // A circle is reported once.
  add('src/graphql/one.ts', `import type { Two } from './two.ts';\nexport type One = Two;`, true);
  add('src/graphql/two.ts', `import type { One } from './one.ts';\nexport type Two = One;`, false);

  let broken: ReadonlySet<string>;
  beforeAll(async () => {
    const targets = places.filter((place) => place !== 'main.ts').map((place) => fileIn(place, 'target'));
    const files = [...targets, 'src/domain/limits.ts', 'src/store/generated/client.ts'].map((file) => ({
      file,
      source: 'export type A = 1;',
    }));
    for (const { file, source } of [...files, ...cases]) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), source);
    }
    symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
    const { summary } = await cruiseSources(root);
    broken = new Set(summary.violations.map(({ from }) => from));
  }, 60_000);

  it('find every import that they forbid, of each folder, package and kind', () => {
    const forbidden = cases.filter(({ breaks }) => breaks).map(({ file }) => file);
    expect(forbidden.length).toBeGreaterThan(200);
    expect(forbidden.filter((file) => !broken.has(file))).toEqual([]);
  });

  it('find nothing else', () => {
    const permitted = cases.filter(({ breaks }) => !breaks).map(({ file }) => file);
    expect(permitted.length).toBeGreaterThan(50);
    expect(permitted.filter((file) => broken.has(file))).toEqual([]);
  });
});

/** An entry point may pass the environment to its reader, but not read it. */
function readsEnvironment(file: string, source: string): boolean {
  // A browser has no environment, and examples that it shows may use one.
  if (file === 'src/config/configuration.ts' || file.startsWith('src/dashboard/')) return false;
  const code = source.replaceAll(
    /(?:read(?:Client|Edge)?Configuration|similarVariables)\(process\.env(?:, \w+)?\)/g,
    '',
  );
  return /\bprocess\s*\??\.\s*env\b|\bprocess\s*\[|=\s*process\b(?!\.)|['"](?:node:)?process['"]/.test(code);
}

describe('only src/config reads the environment', () => {
  test('in the files of src', () => {
    expect(sources.filter(({ file, source }) => readsEnvironment(file, source)).map(({ file }) => file)).toEqual([]);
  });

  test.each([
    ['src/service/compose/traces.ts', 'const port = process.env.PORT;', true],
    ['src/manage/read/page.ts', 'const { env } = process;', true],
    ['src/main.ts', `import { env } from 'node:process';`, true],
    ['src/cli/operate/ring.ts', 'readConfiguration(process.env);', false],
  ])('%s with %j', (file, source, expected) => {
    expect(readsEnvironment(file, source)).toBe(expected);
  });
});
