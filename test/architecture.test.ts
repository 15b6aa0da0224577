/** The files of src import only what ARCHITECTURE.md allows. */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { allowed, cruiseOptions } from './support/import-rules.ts';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !/^src\/(?:store\/generated|client\/dist)\//.test(file))
  .map((file) => ({ file, source: readFileSync(file, 'utf8') }));

describe('the files of src', () => {
  let result: ICruiseResult;
  beforeAll(async () => {
    const resolveOptions = { conditionNames: ['import', 'node', 'default', 'types'], exportsFields: ['exports'] };
    const { output } = await cruise(['src'], cruiseOptions, resolveOptions);
    if (typeof output === 'string') throw new Error('the result is not an object');
    result = output;
  });

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

/** An entry point may pass the environment to its reader, but not read it. */
function readsEnvironment(file: string, source: string): boolean {
  // A browser has no environment, and examples that it shows may use one.
  if (file === 'src/config/configuration.ts' || file.startsWith('src/dashboard/')) return false;
  const code = source.replaceAll(
    /(?:(?:read(?:Client|Edge)?|inherit|sender)Configuration|similarVariables)\(process\.env(?:, \w+)?\)|isSet\('\w+', process\.env\)/g,
    '',
  );
  return /\bprocess\s*\??\.\s*env\b|\bprocess\s*\[|=\s*process\b(?!\.)|['"](?:node:)?process['"]/.test(code);
}

test('only src/config reads the environment', () => {
  expect(sources.filter(({ file, source }) => readsEnvironment(file, source)).map(({ file }) => file)).toEqual([]);
});
