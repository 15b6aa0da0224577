// This module is two folders below the project's root, both in `src/lib` and as a bundle in `dist/chunks`.
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** Returns the URL of a file of the project, such as `schema.graphql`. */
export function projectFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}

/** Returns the URL of an entry point: a TypeScript file in `src`, or a bundle in `dist`. */
export function entryPoint(name: string): URL {
  return new URL(`../${name}${extname(import.meta.filename)}`, import.meta.url);
}

/** Returns the version of Latchkey. */
export function projectVersion(): string {
  return JSON.parse(readFileSync(projectFile('package.json'), 'utf8')).version;
}
