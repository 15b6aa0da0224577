/** SECURITY.md names attacks, and security-tests.md the tests of its claims, whose outcome `security-claims.ts` checks. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { claimsOf, problemOf } from './support/security-claims.ts';

const document = readFileSync('SECURITY.md', 'utf8');

test('the claims have tests, under the headings of SECURITY.md, each in a file that exists', () => {
  const tests = read('test/security-tests.md');
  const headingsOf = (markdown: string) => markdown.match(/^###? .+$/gm) ?? [];
  expect(headingsOf(document)).toEqual(expect.arrayContaining(headingsOf(tests)));
  const claims = claimsOf(tests);
  expect(claims.length).toBeGreaterThan(40);
  const files = new Set(readdirSync('test', { recursive: true, encoding: 'utf8' }).map((name) => `test/${name}`));
  expect(claims.filter(({ file }) => !files.has(file))).toEqual([]);
});

test('a claim is proven by tests with exactly its title, all of which passed', () => {
  const title = 'on %s, a $kind (of ours) is rejected';
  const passed = { name: 'on sqlite, a key (of ours) is rejected', state: 'passed' };
  expect(problemOf(title, [passed])).toBeUndefined();
  expect(problemOf(title, [passed, { ...passed, state: 'skipped' }])).toBe('skipped');
  for (const name of [`${passed.name} at once`, passed.name.slice(1), 'on sqlite, a key is rejected']) {
    expect(problemOf(title, [{ ...passed, name }])).toBe('does not exist');
  }
});

test('each attack that SECURITY.md names is one of npm run load -- hostile', () => {
  const links = [...document.matchAll(/\[([^\]]+)\]\(test\/load\/hostile\/attacks\/([^)]+)\)/g)];
  const attacks = links.map(([, name = '', file = '']) => ({
    name,
    source: read(`test/load/hostile/attacks/${file}`),
  }));
  expect(attacks.filter(({ name, source }) => !source.includes(`name: '${name}'`))).toEqual([]);
  const main = read('test/load/hostile/main.ts');
  const unused = links.filter(([, , file = '']) => !main.includes(`./attacks/${file}`));
  expect(unused).toEqual([]);
});

function read(path: string): string {
  return readFileSync(path, 'utf8');
}
