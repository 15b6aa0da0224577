/** The rooms of src/ and which way the arrows between them point. */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { allowed } from './support/import-rules.ts';

const root = new URL('../', import.meta.url);
/** The dashboard runs in a browser: of the domain it may take types, and these rules, which need nothing of Node. */
const browserRules = ['allowed-source.ts', 'ip-address.ts', 'limits.ts'];

function placeOf(file: string): string {
  const [, first = '', ...rest] = file.split('/');
  return rest.length > 0 || first === 'main.ts' ? first : 'src';
}

/** Every `import … from 'x'`, `export … from 'x'`, `import 'x'`, `import('x')` and `require('x')`. */
function importsOf(source: string) {
  const statement =
    /(?:\b(?<keyword>import|export)\s+(?<type>type\s)?[^;'"`]*?\bfrom|\bimport|\b(?:import|require)\s*\()\s*['"`](?<from>[^'"`]+)['"`]/g;
  return [...source.matchAll(statement)].map(({ groups }) => ({
    from: groups?.from ?? '',
    typeOnly: groups?.type !== undefined,
  }));
}

function problemsOf(file: string, source: string): string[] {
  const place = placeOf(file);
  const may = allowed[place];
  if (may === undefined) return [`${file}: ${place} is no room that is known`];
  const problems: string[] = [];
  for (const { from, typeOnly } of importsOf(source)) {
    if (from.startsWith('.')) {
      const target = placeOf(posix.join(posix.dirname(file), from));
      if (target !== place && !may.includes(target)) problems.push(`${file}: must not import ${from}`);
      if (place === 'dashboard' && target === 'domain' && !typeOnly && !browserRules.includes(posix.basename(from)))
        problems.push(`${file}: may import types only from ${from}`);
    } else if (place === 'domain' && !from.startsWith('node:')) {
      problems.push(`${file}: must not import ${from}`);
    } else if (place !== 'store' && /^(?:@prisma|prisma|better-sqlite3|node:sqlite|pg|pg-.*)(?:\/|$)/.test(from)) {
      problems.push(`${file}: only the store imports ${from}`);
    } else if (place !== 'metrics' && /^prom-client(?:\/|$)/.test(from)) {
      // The others bump plain numbers: nothing of it is loaded where nobody asks, or runs in the path of a request.
      problems.push(`${file}: only metrics imports ${from}`);
    } else if (place !== 'traces' && from.startsWith('@opentelemetry/')) {
      problems.push(`${file}: only traces imports ${from}`);
    }
  }
  // An entry point may hand the environment to its reader, but not look into it.
  const code = source.replaceAll(/(?:read(?:Client)?Configuration|similarVariables)\(process\.env(?:, \w+)?\)/g, '');
  if (
    file !== 'src/config/configuration.ts' &&
    // A browser has none; examples that it shows may speak of one.
    place !== 'dashboard' &&
    /\bprocess\s*\??\.\s*env\b|\bprocess\s*\[|=\s*process\b(?!\.)|['"](?:node:)?process['"]/.test(code)
  )
    problems.push(`${file}: only src/config/configuration.ts reads the environment`);
  if (posix.basename(file) === 'index.ts' && !file.includes('/generated/'))
    problems.push(`${file}: no file is called index.ts`);
  return problems;
}

const files = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !/^src\/(?:store\/generated|client\/dist)\//.test(file))
  .map((file) => ({ file, source: readFileSync(new URL(file, root), 'utf8') }));

test('no room imports another against the arrows, a driver outside the store, or the environment', () => {
  expect(files.flatMap(({ file, source }) => problemsOf(file, source))).toEqual([]);
});

test('the imports that are there are seen', () => {
  const seen = files.flatMap(({ file, source }) => importsOf(source).map(({ from }) => `${file} ${from}`));
  expect(seen).toContain('src/main.ts ./service/start.ts');
  expect(seen).toContain('src/domain/allowed-source.ts ./ip-address.ts');
  expect(seen).toContain('src/store/database.ts better-sqlite3');
});

test.each([
  ['src/domain/text.ts', `import { Keys } from '../store/keys.ts';`, 'must not import ../store/keys.ts'],
  ['src/domain/text.ts', `import type { Keys } from '../store/keys.ts';`, 'must not import ../store/keys.ts'],
  ['src/domain/text.ts', `import { z } from 'zod';`, 'must not import zod'],
  ['src/store/keys.ts', `export * from '../manage/page.ts';`, 'must not import ../manage/page.ts'],
  ['src/manage/page.ts', `const rest = await import('../rest/routes.ts');`, 'must not import ../rest/routes.ts'],
  ['src/manage/page.ts', `import '../config/configuration.ts';`, 'must not import ../config/configuration.ts'],
  ['src/graphql/server.ts', `import {\n  Store,\n} from "../store/store.ts";`, 'must not import ../store/store.ts'],
  ['src/rest/generated/gql.ts', `import '../../http/app.ts';`, 'must not import ../../http/app.ts'],
  ['src/http/app.ts', `import { a } from '../service/traces.ts';`, 'must not import ../service/traces.ts'],
  ['src/verify/verdict.ts', `import { a } from '../manage/page.ts';`, 'must not import ../manage/page.ts'],
  ['src/gateway/server.ts', `import { a } from '../store/store.ts';`, 'must not import ../store/store.ts'],
  ['src/client/sign.ts', `import { a } from '../verify/verifier.ts';`, 'must not import ../verify/verifier.ts'],
  ['src/dashboard/app.ts', `import { a } from '../domain/text.ts';`, 'may import types only from ../domain/text.ts'],
  ['src/config/configuration.ts', `import { a } from '../service/traces.ts';`, 'must not import ../service/traces.ts'],
  ['src/service/traces.ts', `import '../main.ts';`, 'must not import ../main.ts'],
  ['src/main.ts', `import { Store } from './store/store.ts';`, 'must not import ./store/store.ts'],
  ['src/manage/page.ts', `import pg from 'pg';`, 'only the store imports pg'],
  ['src/gateway/server.ts', `import { Counter } from 'prom-client';`, 'only metrics imports prom-client'],
  ['src/gateway/server.ts', `import { trace } from '@opentelemetry/api';`, 'only traces imports @opentelemetry/api'],
  ['src/metrics/server.ts', `import { a } from '../verify/verifier.ts';`, 'must not import ../verify/verifier.ts'],
  ['src/service/traces.ts', `import Database from 'better-sqlite3';`, 'only the store imports better-sqlite3'],
  ['src/http/app.ts', `import { A } from '@prisma/adapter-pg';`, 'only the store imports @prisma/adapter-pg'],
  ['src/service/traces.ts', 'const port = process.env.PORT;', 'only src/config/configuration.ts reads the environment'],
  ['src/manage/page.ts', 'const { env } = process;', 'only src/config/configuration.ts reads the environment'],
  ['src/main.ts', `import { env } from 'node:process';`, 'only src/config/configuration.ts reads the environment'],
  ['src/store/index.ts', '', 'no file is called index.ts'],
  ['src/helpers/a.ts', '', 'helpers is no room that is known'],
])('a violation is told: %s with %j', (file, source, problem) => {
  expect(problemsOf(file, source)).toEqual([`${file}: ${problem}`]);
});

test.each([
  ['src/domain/text.ts', `import { createHmac } from 'node:crypto';\nimport { rejected } from './parsed.ts';`],
  ['src/client/sign.ts', `import { contentDigest } from '../domain/content-digest.ts';`],
  ['src/dashboard/app.ts', `import type { KeyEnv } from '../domain/api-key.ts';`],
  ['src/store/database.ts', `import { PrismaPg } from '@prisma/adapter-pg';`],
  ['src/tools/ring.ts', `import { a } from '../config/configuration.ts';\nreadConfiguration(process.env);`],
  ['src/rest/generated/index.ts', `export * from './gql.ts';`],
])('what is allowed is not told: %s with %j', (file, source) => {
  expect(problemsOf(file, source)).toEqual([]);
});
