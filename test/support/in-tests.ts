import { afterAll, beforeAll } from 'vitest';

/**
 * Starts something before the tests of a file or a block, and stops it after them. What is returned has the properties of
 * what was started, for the tests and their helpers.
 */
export function inTests<T extends { readonly stop: () => Promise<unknown> }>(start: () => Promise<T>): T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started?.stop());
  const get = (_: object, name: string | symbol): unknown => {
    if (started === undefined) throw new Error('only tests and hooks can use it');
    return Reflect.get(started, name);
  };
  // Each property is read from what was started.
  return new Proxy({}, { get }) as T;
}
