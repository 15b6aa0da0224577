/**
 * Builds the package into `dist`. The entries for Node.js are CommonJS, which ES modules re-export: two copies would
 * double the size, and the classes of one copy would differ from those of the other. `fetch` is built in both formats,
 * because other runtimes load only ES modules.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';

const forNode = ['client', 'express', 'fastify'] as const;
const forAll = 'fetch';
const entries = [...forNode, forAll] as const;
const [commonJs, esModules, types] = ['dist/cjs', 'dist/esm', 'dist/types'] as const;

/** The declaration files that are already copied. */
const copied = new Set<string>();

rmSync('dist', { recursive: true, force: true });
const chunks = await bundle('cjs', entries, commonJs);
await bundle('esm', [forAll], esModules);
for (const name of forNode) {
  const exported = chunks.find((chunk) => chunk.name === name && chunk.isEntry)?.exports ?? [];
  write(join(esModules, `${name}.js`), `export { ${exported.join(', ')} } from '../cjs/${name}.js';\n`);
}
write(join(commonJs, 'package.json'), JSON.stringify({ type: 'commonjs' }));

execFileSync('tsc', ['-p', '.', '--emitDeclarationOnly', '--outDir', types], { stdio: 'inherit' });
for (const name of entries) {
  copyTypes(join(types, 'client', `${name}.d.ts`));
  write(join(commonJs, `${name}.d.ts`), `export * from './types/client/${name}.js';\n`);
  write(join(esModules, `${name}.d.ts`), `export * from '../cjs/${name}.js';\n`);
}
rmSync(types, { recursive: true });

/** Minifies the code, but keeps the names of functions and classes for readable stack traces. */
async function bundle(format: 'cjs' | 'esm', names: readonly string[], dir: string): Promise<OutputChunk[]> {
  const input = Object.fromEntries(names.map((name) => [name, `${name}.ts`]));
  const build = await rolldown({ platform: 'node', input, external: ['fastify'] });
  const mangle = { keepNames: { function: true, class: true } };
  const minify = { compress: true, mangle, codegen: { removeWhitespace: true } };
  const { output } = await build.write({ dir, format, minify, chunkFileNames: '[name].js' });
  await build.close();
  return output.filter((part) => part.type === 'chunk');
}

/** Copies a declaration file and its imports, because only these files describe public types. */
function copyTypes(file: string): void {
  const target = join(commonJs, 'types', file.slice(types.length));
  const text = readFileSync(file, 'utf8');
  mkdirSync(dirname(target), { recursive: true });
  cpSync(file, target);
  for (const [, path = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]*)\.(?:js|ts)['"]/g)) {
    const imported = join(dirname(file), `${path}.d.ts`);
    if (!seen(imported)) copyTypes(imported);
  }
}

function seen(file: string): boolean {
  const known = copied.has(resolve(file));
  copied.add(resolve(file));
  return known;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
