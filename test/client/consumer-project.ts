/** A TypeScript project outside the repository that has installed the packed client, as its users do. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The ways in which TypeScript can resolve the package, each with the module format of the compiled program. */
export const resolutions = {
  nodenext: { type: 'module', module: 'nodenext', moduleResolution: 'nodenext' },
  'node16 in CommonJS': { type: 'commonjs', module: 'node16', moduleResolution: 'node16' },
  bundler: { type: 'module', module: 'esnext', moduleResolution: 'bundler' },
} as const;

export type Resolution = keyof typeof resolutions;

export interface ConsumerProject {
  /** Compiles programs, by name, with every check of TypeScript. Resolves to their folder; rejects with the errors. */
  readonly compile: (programs: Readonly<Record<string, string>>, resolution: Resolution) => Promise<string>;
  readonly remove: () => void;
}

/** Packs what is built, so that other tests that use it are not disturbed. Resolves to the file and its contents. */
export async function packClient(directory: string) {
  const words = [
    'pack',
    '--workspace=@latchkey/client',
    '--ignore-scripts',
    '--json',
    `--pack-destination=${directory}`,
  ];
  const { stdout } = await run('npm', words);
  const answer: PackAnswer = JSON.parse(stdout);
  const [packed] = Object.values(answer);
  if (packed === undefined) throw new Error('npm packed nothing');
  return {
    file: join(directory, packed.filename),
    sizeBytes: packed.size,
    paths: packed.files.map(({ path }) => path),
  };
}

/** npm 10 answers an array, npm 11 and later may answer an object by name. */
type PackAnswer = Readonly<
  Record<
    string,
    { readonly filename: string; readonly size: number; readonly files: readonly { readonly path: string }[] }
  >
>;

export async function createProject(packages: readonly string[]): Promise<ConsumerProject> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-consumer-'));
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true }));
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: directory,
  });
  const types = packages.some((name) => name.startsWith('@types/node@')) ? ['node'] : [];
  return {
    compile: async (programs, resolution) => {
      const { type, ...modules } = resolutions[resolution];
      const folder = mkdtempSync(join(directory, 'compiled-'));
      const compilerOptions = { ...modules, ...strictOptions, types };
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      for (const [name, source] of Object.entries(programs)) writeFileSync(join(folder, `${name}.ts`), source);
      await run(resolve('node_modules/.bin/tsc'), ['-p', folder]).catch(({ stdout }) => {
        throw new Error(String(stdout));
      });
      return folder;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const strictOptions = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
};

const readme = readFileSync('src/client/README.md', 'utf8');

/** The program in a section of the package's README. */
export function readmeProgram(title: string): string {
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  const [, program] = /^```ts\n(.*?)^```$/ms.exec(section ?? '') ?? [];
  if (program === undefined) throw new Error(`the README of the client has no program in the section ${title}`);
  return program;
}
