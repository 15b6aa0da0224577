/**
 * Finds files of the project at run time. This module is two folders below the project, both in `src/lib` and in the
 * bundles of `dist/chunks`, so that its relative URLs hold in both.
 */
import { extname } from 'node:path';

/** Returns the URL of a file of the project, such as `schema.graphql`. */
export function projectFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}

/** Returns the URL of an entry point: the TypeScript file when run from source, the bundle when run from the build. */
export function entryPoint(name: string): URL {
  return new URL(`../${name}${extname(import.meta.filename)}`, import.meta.url);
}
