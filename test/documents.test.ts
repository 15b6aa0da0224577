/** The documents agree with the repository: links, scripts, code blocks and the table of folders. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeIn, documents, sectionOf, sectionsOf, tableRows } from './support/documents.ts';
import { allowed } from './support/import-rules.ts';

const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts);

/** For each section with code blocks, the test that runs them. */
const testOfSection: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'Run it': '.ci/run',
    'A first key': 'test/readme.test.ts',
    'A first verification': 'test/readme.test.ts',
    'Protect an Express API': 'test/readme.test.ts',
  },
  'docs/edge.md': {
    'Run an edge': 'test/edge/process.slow.test.ts',
    'The feed': 'test/recipes/edge-upstream.slow.test.ts',
  },
  'docs/gateways.md': {
    nginx: 'test/recipes/gateways.slow.test.ts',
    Traefik: 'test/recipes/gateways.slow.test.ts',
    Envoy: 'test/recipes/gateways.slow.test.ts',
    'Signed bodies behind a gateway': 'test/recipes/middleware.slow.test.ts',
    Express: 'test/recipes/middleware.slow.test.ts',
    Fastify: 'test/recipes/middleware.slow.test.ts',
  },
  'docs/graphql.md': { 'Create a key': 'test/readme.test.ts' },
  'docs/identity-providers.md': {
    Auth0: 'test/identity-providers.test.ts',
    Keycloak: 'test/identity-providers.test.ts',
    'Secrets of your own': 'test/identity-providers.test.ts',
  },
  'docs/keys.md': {
    'Create a key with restrictions': 'test/keys-page.test.ts',
    'Read and change a key': 'test/keys-page.test.ts',
    'Rotate the secret': 'test/keys-page.test.ts',
    'Disable and enable a key': 'test/keys-page.test.ts',
    'Revoke a key': 'test/keys-page.test.ts',
  },
  'docs/migrating.md': { 'Import keys of another system': 'test/readme.test.ts' },
  'docs/operations.md': {
    systemd: 'test/recipes/systemd.slow.test.ts',
    Docker: 'test/recipes/dockerfile.slow.test.ts',
    'Load balancing': 'test/recipes/load-balancing.slow.test.ts',
    'Personal data': 'test/store/observed-sources.test.ts',
    'Changes in SQL': 'test/store/manual-changes.test.ts',
  },
  'docs/signing.md': {
    Python: 'test/signing-documents.test.ts',
    Debugging: 'test/signing-documents.test.ts',
  },
  'docs/tools.md': { 'Command line': 'test/readme.test.ts' },
  'docs/verification.md': {
    'Show a key to its holder': 'test/readme.test.ts',
    'Revoke a key with the key itself': 'test/readme.test.ts',
    'Sign requests': 'test/readme.test.ts',
  },
};

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

  test('has no code block that no test runs, and the test takes it from the document', () => {
    const tests = testOfSection[document] ?? {};
    const sections = sectionsOf(document);
    const fences = text.match(/^ *```/gm)?.length ?? 0;
    expect(sections.flatMap(({ blocks }) => blocks)).toHaveLength(fences / 2);
    const titles = sections
      .filter(({ blocks }) => blocks.some(({ language }) => !notRun.includes(language)))
      .map(({ title }) => title);
    expect(titles.sort()).toEqual(Object.keys(tests).sort());
    const notTaken = Object.entries(tests).filter(([title, file]) => {
      const source = readFileSync(file, 'utf8');
      return file !== '.ci/run' && !source.includes(`'${title}'`) && !source.includes(`'${document}'`);
    });
    expect(notTaken).toEqual([]);
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

test('the README leads to every document', () => {
  const linked = [...readFileSync('README.md', 'utf8').matchAll(/\]\(([^)#]+\.md)/g)].map(([, path]) => path);
  expect(documents.filter((document) => document !== 'README.md' && !linked.includes(document))).toEqual([]);
});

test('the table of folders in ARCHITECTURE.md agrees with the import rules and with src', () => {
  const documented: [string, readonly string[]][] = [];
  for (const [folder = '', , imports = ''] of tableRows(sectionOf('ARCHITECTURE.md', 'Folders').prose)) {
    const above = documented.map(([name]) => name);
    documented.push([codeIn(folder)[0] ?? '', imports === 'every folder above' ? above : codeIn(imports)]);
  }
  expect(Object.fromEntries(documented)).toEqual(allowed);
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(documented.map(([name]) => name).sort()).toEqual([...folders.map(({ name }) => name), 'main.ts'].sort());
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
