/** SECURITY.md names attacks, and security-tests.md the tests of its claims, whose outcome `security-claims.ts` checks. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Claim, claimsOf, type TestOutcome, unproven } from './support/security-claims.ts';

const document = readFileSync('SECURITY.md', 'utf8');
const claim: Claim = { title: 'on %s, a $kind (of ours) is rejected', file: 'test/a.test.ts' };
const passed: TestOutcome = {
  file: 'test/a.test.ts',
  name: 'on sqlite, a key (of ours) is rejected',
  state: 'passed',
};

test('the claims have tests, under the headings of SECURITY.md, each in a file that exists', () => {
  const tests = read('test/security-tests.md');
  const headingsOf = (markdown: string) => markdown.match(/^###? .+$/gm) ?? [];
  expect(headingsOf(document)).toEqual(expect.arrayContaining(headingsOf(tests)));
  const claims = claimsOf(tests);
  expect(claims.length).toBeGreaterThan(40);
  const files = new Set(readdirSync('test', { recursive: true, encoding: 'utf8' }).map((name) => `test/${name}`));
  expect(claims.filter(({ file }) => !files.has(file))).toEqual([]);
});

test('a claim is proven by a test of that title that has passed, in all its variants', () => {
  const variant = { ...passed, name: 'on postgresql, a key (of ours) is rejected' };
  expect(unproven([claim], [passed, variant])).toEqual({ errors: [], noted: [] });
  const failed = unproven([claim], [passed, { ...variant, state: 'failed' }]);
  expect(failed.errors).toEqual([expect.stringMatching(/did not pass$/)]);
});

test('a claim is not proven by a test with another title, nor by one of another file', () => {
  const [longer, shorter] = [`${passed.name} at once`, passed.name.slice(1)];
  for (const name of [longer, shorter, 'on sqlite, a key is rejected']) {
    expect(unproven([claim], [{ ...passed, name }]).errors).toEqual([expect.stringMatching(/no such test$/)]);
  }
  const elsewhere = { ...passed, file: 'test/b.test.ts' };
  const other = { ...passed, name: 'something else' };
  expect(unproven([claim], [elsewhere, other]).errors).toHaveLength(1);
});

test('a claim whose test was skipped is not proven, and said so', () => {
  const { errors, noted } = unproven([claim], [{ ...passed, state: 'skipped' }]);
  expect(errors).toEqual([]);
  expect(noted).toEqual([expect.stringMatching(/was skipped$/)]);
});

test('each attack that SECURITY.md names is one of npm run hostile', () => {
  const links = [...document.matchAll(/\[([^\]]+)\]\(test\/hostile\/attacks\/([^)]+)\)/g)];
  const attacks = links.map(([, name = '', file = '']) => ({ name, source: read(`test/hostile/attacks/${file}`) }));
  expect(attacks.filter(({ name, source }) => !source.includes(`name: '${name}'`))).toEqual([]);
  const main = read('test/hostile/main.ts');
  const unused = links.filter(([, , file = '']) => !main.includes(`./attacks/${file}`));
  expect(unused).toEqual([]);
});

function read(path: string): string {
  return readFileSync(path, 'utf8');
}
