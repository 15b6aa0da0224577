/** The documents agree with the repository: links, scripts and code blocks. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documents, sectionOf, sectionsOf } from './support/documents.ts';

const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts);

/** The tests and their helpers, which take code blocks from documents by the title of the section. */
const sources = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && name !== 'documents.test.ts')
  .map((name) => readFileSync(`test/${name}`, 'utf8'));

const takenByCi = 'Run it';

/** Diagrams, and text that no program reads. */
const notRun = ['mermaid', 'text'];

describe.each(documents)('%s', (document) => {
  const text = readFileSync(document, 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map(([, path = '', anchor]) => ({
    target: path === '' ? document : posix.join(posix.dirname(document), path),
    anchor,
  }));

  test('links to files and sections that exist', () => {
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter(({ target }) => !existsSync(target))).toEqual([]);
    const toSections = links.filter(({ anchor }) => anchor !== undefined);
    expect(toSections.filter(({ target, anchor = '' }) => !anchorsOf(target).has(anchor))).toEqual([]);
  });

  test('names scripts that exist', () => {
    const named = [...text.matchAll(/`npm run (?:-s )?([\w:-]+)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !scripts.includes(script))).toEqual([]);
  });

  test('has no code block that no test takes from it', () => {
    const sections = sectionsOf(document);
    const fences = text.match(/^ *```/gm)?.length ?? 0;
    expect(sections.flatMap(({ blocks }) => blocks)).toHaveLength(fences / 2);
    const run = sections.filter(({ blocks }) => blocks.some(({ language }) => !notRun.includes(language)));
    const isTaken = (title: string) =>
      sources.some(
        (source) => source.includes(`'${title}'`) && (source.includes(document) || source.includes('./page.ts')),
      );
    expect(run.map(({ title }) => title).filter((title) => title !== takenByCi && !isTaken(title))).toEqual([]);
  });
});

test('CI starts with the command of the README', () => {
  const [install] = sectionOf('README.md', 'Run it').blocks[0]?.text.split('\n') ?? [];
  expect(readFileSync('.ci/run', 'utf8').split('\n')).toContain(install);
});

test('CHANGELOG.md has the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(sectionsOf('CHANGELOG.md').map(({ title }) => title.split(' ', 1)[0])).toContain(`[${version}]`);
});

test('the README leads to every document, and a document to those in the folder of its name', () => {
  const linked = documents.flatMap((document) => {
    const links = [...readFileSync(document, 'utf8').matchAll(/\]\(([^)#]+\.md)/g)];
    const targets = links.map(([, path = '']) => posix.join(posix.dirname(document), path));
    const folder = `${document.replace(/\.md$/, '')}/`;
    return document === 'README.md' ? targets : targets.filter((target) => target.startsWith(folder));
  });
  expect(documents.filter((document) => document !== 'README.md' && !linked.includes(document))).toEqual([]);
});

test('ARCHITECTURE.md names files that exist', () => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8');
  const files = [...text.matchAll(/`((?:[a-z]+\/)+[\w-]+\.ts)`/g)].map(([, file = '']) => `src/${file}`);
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(document: string): ReadonlySet<string> {
  const headings = readFileSync(document, 'utf8').matchAll(/^#{1,4} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
