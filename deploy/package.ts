/**
 * `npm run package` writes latchkey-server-<version>.tgz: the built service for another machine that has Node.js. It is
 * complete, so that `tar` installs it, or npm without a registry and without scripts. The first argument is the
 * directory to write to.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { minimumNode } from '../src/service/node-version.ts';

const [destination = '.'] = process.argv.slice(2);
const root = join(import.meta.dirname, '..');
const stage = mkdtempSync(join(tmpdir(), 'latchkey-package-'));

try {
  const { files, ...manifest } = readJson(join(root, 'package.json'));
  const { name, version, description, license, type, dependencies } = manifest;
  // `dist` contains the other dependencies.
  for (const file of files) copy(root, stage, file);
  const driver = takeDriver(join(root, 'node_modules/better-sqlite3'), join(stage, 'node_modules/better-sqlite3'));
  writeJson(join(stage, 'package.json'), {
    ...{ name, version, description, private: true, license, type },
    // What the service tells an operator to run.
    scripts: {
      start: 'exec node dist/main.js',
      token: 'exec node dist/cli/latchkey.js token',
      'sign-in': 'exec node dist/cli/latchkey.js sign-in',
    },
    bin: { latchkey: 'dist/cli/latchkey.js' },
    engines: { node: `>=${minimumNode}` },
    dependencies: { [driver]: dependencies[driver] },
    bundleDependencies: [driver],
  });
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', resolve(destination)];
  process.stdout.write(execFileSync('npm', args, { cwd: stage }));
} finally {
  rmSync(stage, { recursive: true });
}

/** Copies what runs on Linux: without the C sources and without the binaries of other systems, 18 of 27 MB. */
function takeDriver(from: string, to: string): string {
  const binaries = readdirSync(join(from, 'prebuilds')).filter((file) => file.startsWith('linux'));
  for (const path of ['LICENSE', 'lib', ...binaries.map((file) => join('prebuilds', file))]) copy(from, to, path);
  // Without its dependency, which only a compiler needs.
  const { name, version, license, main, exports, engines } = readJson(join(from, 'package.json'));
  writeJson(join(to, 'package.json'), { name, version, license, main, exports, engines });
  return name;
}

function copy(from: string, to: string, path: string): void {
  if (!existsSync(join(from, path))) throw new Error(`${path} is missing: run npm ci`);
  cpSync(join(from, path), join(to, path), { recursive: true });
}

function readJson(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
