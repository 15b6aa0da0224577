/** package.json says what runs and on which Node.js. */
import { readFileSync } from 'node:fs';
import { type Plugin, rolldown } from 'rolldown';
import { build } from 'vite';
import { expect, it } from 'vitest';
import rolldownConfig from '../deploy/rolldown.config.ts';
import { minimumNode } from '../src/service/node-version.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

it('dependencies are the packages that the service and the dashboard contain or load', async () => {
  const imported = new Set<string>();
  const contained = new Set<string>();
  const collector: Plugin = {
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
  const service = await rolldown({ ...rolldownConfig, plugins: [collector] });
  await service.generate();
  const configFile = 'src/dashboard/vite.config.ts';
  await build({ configFile, logLevel: 'warn', build: { write: false }, plugins: [collector] });

  const dependencies = Object.keys(manifest.dependencies);
  expect([...imported].filter((name) => !dependencies.includes(name))).toEqual([]);
  // A package that is not imported is the peer of one that is.
  expect(dependencies.filter((name) => !contained.has(name) && !imported.has(name))).toEqual([]);
});

it('engines accept the Node.js of the README, and without the one that npm installs, what the service accepts', () => {
  const [, oldest] = /and Node\.js ([\d.]+) or later with npm/.exec(readFileSync('README.md', 'utf8')) ?? [];
  expect(manifest.engines.node).toBe(`^${oldest} || >=${minimumNode}`);
  const [, launcher] = /needs Node\.js ([\d.]+) or later/.exec(readFileSync('with-node.sh', 'utf8')) ?? [];
  expect(launcher).toBe(minimumNode);
});

it('keeps npm 10 from compiling better-sqlite3, for which it would need Python and a compiler', () => {
  // npm writes package-lock.json without this line. Add it again: docs/CONTRIBUTING.md, "Workarounds in package.json".
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  expect(packages['node_modules/better-sqlite3'].gypfile).toBe(false);
});

it('has at most 20 scripts', () => {
  expect(Object.keys(manifest.scripts).length).toBeLessThanOrEqual(20);
});

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
