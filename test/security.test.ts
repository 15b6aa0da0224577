/** SECURITY.md claims nothing that no test holds. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const claims = [...read('SECURITY.md').matchAll(/\[([^\]]+)\]\((test\/[^)]+)\)/g)]
  .map(([, title = '', file = '']) => ({ title, file }))
  .filter(({ title, file }) => title !== file);

test('there are claims to check', () => {
  expect(claims.length).toBeGreaterThan(20);
});

test.each(claims)('$title is a test of $file', ({ title, file }) => {
  // As its source writes it: an apostrophe may be escaped.
  const source = read(file).replaceAll('\\u2019', '’').replaceAll("\\'", "'");
  expect([`'${title}'`, `"${title}"`].some((quoted) => source.includes(quoted))).toBe(true);
});
