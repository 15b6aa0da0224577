/** package.json says what runs and on which Node.js. */
import { readFileSync } from 'node:fs';
import { type Plugin, rolldown } from 'rolldown';
import { build } from 'vite';
import { expect, it } from 'vitest';
import rolldownConfig from '../deploy/rolldown.config.ts';
import { minimumNode } from '../src/service/node-version.ts';

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const manifest = read('package.json');

it('dependencies are the packages that the service contains or loads, and those of the dashboard what only the pages contain', async () => {
  const own: string[] = Object.keys(manifest.dependencies);
  const bundle = collector();
  const service = await rolldown({ ...rolldownConfig, plugins: [bundle.plugin] });
  await service.generate();
  expect([...bundle.imported].filter((name) => !own.includes(name))).toEqual([]);
  expect(own.filter((name) => !bundle.needs(name))).toEqual([]);

  const ofPages = Object.keys(read('src/dashboard/package.json').dependencies);
  const pages = collector();
  const configFile = 'src/dashboard/vite.config.ts';
  await build({ configFile, logLevel: 'warn', build: { write: false }, plugins: [pages.plugin] });
  expect([...pages.imported].filter((name) => ![...own, ...ofPages].includes(name))).toEqual([]);
  expect(ofPages.filter((name) => own.includes(name) || !pages.needs(name))).toEqual([]);
});

it('engines accept the Node.js of the README, and without the one that npm installs, what the service accepts', () => {
  const [, oldest] = /and Node\.js ([\d.]+) or later with npm/.exec(readFileSync('README.md', 'utf8')) ?? [];
  expect(manifest.engines.node).toBe(`^${oldest} || >=${minimumNode}`);
  const [, launcher] = /needs Node\.js ([\d.]+) or later/.exec(readFileSync('with-node.sh', 'utf8')) ?? [];
  expect(launcher).toBe(minimumNode);
});

it('keeps npm 10 from compiling better-sqlite3, for which it would need Python and a compiler', () => {
  // npm writes package-lock.json without this line. Add it again: docs/CONTRIBUTING.md, "Workarounds in package.json".
  const { packages } = read('package-lock.json');
  expect(packages['node_modules/better-sqlite3'].gypfile).toBe(false);
});

it('has at most 20 scripts', () => {
  expect(Object.keys(manifest.scripts).length).toBeLessThanOrEqual(20);
});

/** Collects the packages of a build: what its own files import, and what its files are of. */
function collector() {
  const imported = new Set<string>();
  const contained = new Set<string>();
  const plugin: Plugin = {
    name: 'collector',
    buildEnd() {
      for (const id of this.getModuleIds()) {
        const info = this.getModuleInfo(id);
        if (isInPackage(id)) contained.add(packageOf(id));
        else
          for (const target of [...(info?.importedIds ?? []), ...(info?.dynamicallyImportedIds ?? [])])
            if (isInPackage(target)) imported.add(packageOf(target));
      }
    },
  };
  // A package that is not imported is the peer of one that is.
  return { plugin, imported, needs: (name: string) => contained.has(name) || imported.has(name) };
}

/** External packages are named as in the import. Other ids without a path are modules of Node.js and of plugins. */
function isInPackage(id: string): boolean {
  return id.includes('/node_modules/') || /^@?[a-z][\w-]*(?:\/|$)/.test(id);
}

/** The name of the package of a file or of an external import. */
function packageOf(id: string): string {
  const [scope = '', name = ''] = id
    .slice(id.lastIndexOf('/node_modules/') + 1)
    .replace('node_modules/', '')
    .split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}
