/** What the documents point to is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';

const documents = [...readdirSync('.'), ...readdirSync('docs').map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);
const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts);

test.each(documents)('%s links to files that exist, and names scripts that exist', (document) => {
  const text = readFileSync(document, 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => target);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((target) => !existsSync(posix.join(posix.dirname(document), target)))).toEqual([]);
  const named = [...text.matchAll(/`npm run (?:-s )?([\w:-]+)/g)].map(([, script = '']) => script);
  expect(named.filter((script) => !scripts.includes(script))).toEqual([]);
});

test('ARCHITECTURE.md has every room, and none that is not there', () => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8');
  const rooms = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const table = [...text.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/[\w.]+/g) ?? []);
  const named = table.filter((name) => !name.endsWith('.ts'));
  expect(new Set(named)).toEqual(new Set(rooms.map(({ name }) => name)));
  const files = [...text.matchAll(/`((?:[a-z]+\/)+[\w-]+\.ts)`/g)].map(([, file = '']) => `src/${file}`);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
