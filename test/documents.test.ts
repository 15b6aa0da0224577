/** The documents agree with the repository: links, scripts and code blocks. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { routes } from '../src/rest/routes.ts';
import { codeIn, documents, sectionOf, sectionsOf, tableRows } from './support/documents.ts';

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

describe('docs', () => {
  // GitHub shows the other two at a pull request and at the list of vulnerabilities.
  const forGithub = ['docs/CONTRIBUTING.md', 'docs/SECURITY.md'];
  const pages = documents.filter((document) => document.startsWith('docs/') && !forGithub.includes(document));
  const wordsOf = (document: string) => readFileSync(document, 'utf8').split(/\s+/).filter(Boolean).length;
  const inFolders = (...folders: readonly string[]) =>
    pages.filter((page) => folders.some((folder) => page.startsWith(`docs/${folder}/`)));

  it('has each page in one of the four groups, except the specification', () => {
    const grouped = inFolders('start', 'tasks', 'reference', 'evidence');
    expect(pages.filter((page) => !grouped.includes(page) && page !== 'docs/specification.md')).toEqual([]);
  });

  it('has no page of more than 2,500 words', () => {
    // One looks a code up there, and reads no more.
    const read = pages.filter((page) => page !== 'docs/reference/errors.md');
    expect(read.map((page) => ({ page, words: wordsOf(page) })).filter(({ words }) => words > 2500)).toEqual([]);
  });

  it('needs at most 20,000 words to start and to do each task', () => {
    const words = inFolders('start', 'tasks').map(wordsOf);
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(20_000);
  });
});

test('ARCHITECTURE.md names files that exist', () => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8');
  const files = [...text.matchAll(/`((?:[a-z]+\/)+[\w-]+\.ts)`/g)].map(([, file = '']) => `src/${file}`);
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test('ARCHITECTURE.md lists ten files to read first, and says something about each', () => {
  const list = sectionOf('ARCHITECTURE.md', 'Read these ten files first').prose;
  const files = [...list.matchAll(/^\d+\. \[([\w./-]+)\]\(\1\): .{20,}$/gm)].map(([, file]) => file);
  expect(new Set(files).size).toBe(10);
});

describe('docs/specification.md', () => {
  const links = (cell: string) => [...cell.matchAll(/\]\(\.\.\/([^)#]+)\)/g)].map(([, path = '']) => path);
  const rowsOf = (title: string) => tableRows(sectionOf('docs/specification.md', title).prose);

  test('maps each endpoint to a route of the description, and to the operation of the schema that the route runs', () => {
    const { paths } = parse(readFileSync('openapi.yaml', 'utf8'));
    const operations = new Set<string>(routes.map(({ operation }) => operation.field));
    const calls = rowsOf('Operations').map(([section = '', _, route = '', operation = '']) => {
      const [method = '', path = ''] = codeIn(route)[0]?.split(' ') ?? [];
      const described = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const [name = ''] = codeIn(operation);
      const runs = operations.has(name);
      return { section: section.split(' ', 1)[0], described: described !== undefined, runs };
    });
    const expected = ['4.1', '4.2', '4.3', '4.4', '4.5', '4.6', '4.7'];
    expect(calls).toEqual(expected.map((section) => ({ section, described: true, runs: true })));
  });

  test('names code and tests for each part, and a decision with its reason for what is open', () => {
    const parts = [...rowsOf('Operations'), ...rowsOf('Fields, states and rules')];
    const open = rowsOf('What the specification leaves open');
    for (const row of parts) {
      const [code = '', tests = ''] = row.slice(-2);
      const [files, tested] = [links(code), links(tests)];
      expect([row[0], files.every((file) => file.startsWith('src/')) && files.length > 0]).toEqual([row[0], true]);
      expect([row[0], tested.some((file) => /^test\/.*\.(?:test|browser)\.ts$/.test(file))]).toEqual([row[0], true]);
    }
    for (const row of open) expect(row.filter((cell) => cell !== '')).toHaveLength(4);
    const sections = [...parts, ...open].flatMap(([section = '']) => section.match(/^\d/) ?? []);
    expect([...new Set(sections)].sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });
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
