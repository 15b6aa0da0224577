/** Each section of SECURITY.md has tests or attacks. */
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { claimFiles } from './support/security-claims.ts';

const document = readFileSync('docs/SECURITY.md', 'utf8');

/** What follows is about the operator's part. */
const [claims = ''] = document.split('\n## What the operator must provide');

test('each section has a test file that names it, and each file names sections that exist', () => {
  const headings = [...claims.matchAll(/^(#{2,3}) (.+)$/gm)].map(([, level, title = '']) => ({ level, title }));
  const withoutParts = headings.filter(({ level }, i) => level === '###' || headings[i + 1]?.level !== '###');
  const named = claimFiles().flatMap(({ sections }) => sections);
  expect([...new Set(named)].sort()).toEqual(withoutParts.map(({ title }) => title).sort());
});

test('the list of bytes from outside links to files that test them', () => {
  const list = readFileSync('test/bytes-from-outside.md', 'utf8');
  const rows = list.split('\n').filter((line) => /^\| (?!\*\*|Bytes|---)/.test(line));
  const linksOf = (row: string) => [...row.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => posix.join('test', path));
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter((row) => linksOf(row).length === 0)).toEqual([]);
  expect(rows.flatMap(linksOf).filter((file) => !existsSync(file))).toEqual([]);
});

test('each attack that SECURITY.md names is one of npm run load -- hostile', () => {
  const links = [...document.matchAll(/\[([^\]]+)\]\(\.\.\/test\/load\/hostile\/attacks\/([^)]+)\)/g)];
  const attacks = links.map(([, name = '', file = '']) => ({ name, source: read(`attacks/${file}`) }));
  expect(attacks.length).toBeGreaterThan(15);
  expect(attacks.filter(({ name, source }) => !source.includes(`name: '${name}'`))).toEqual([]);
  const main = read('main.ts');
  expect(links.filter(([, , file = '']) => !main.includes(`./attacks/${file}`))).toEqual([]);
});

function read(path: string): string {
  return readFileSync(`test/load/hostile/${path}`, 'utf8');
}
