import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary-database.ts';

/** Creates unreferenced statements, and runs the garbage collector after each thousand of them. */
const script = `
  import Database from 'better-sqlite3';
  import { Store } from './src/store/store.ts';
  const file = process.argv[1];
  const store = await Store.open({ provider: 'sqlite', file });
  let collected = 0;
  const registry = new FinalizationRegistry(() => { collected += 1; });
  for (let round = 0; round < 10; round += 1) {
    const database = new Database(file, { readonly: true });
    for (let i = 0; i < 1000; i += 1) {
      const statement = database.prepare('SELECT ' + i);
      statement.get();
      registry.register(statement, i);
    }
    database.close();
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
    await store.ping();
  }
  await store.close();
  for (let round = 0; collected <= 5000 && round < 1000; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(collected > 5000 ? 'collected' : 'only ' + collected + ' were collected');
`;

it('collecting thousands of SQLite statements and exiting does not abort the process', async () => {
  const directory = temporaryDirectory();
  const ended = await new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--expose-gc', '--input-type=module', '--eval', script, `${directory.path}/gc.db`],
      { cwd: fileURLToPath(new URL('../..', import.meta.url)), timeout: 200_000 },
      (error, stdout) => resolve({ code: error?.code ?? 0, signal: error?.signal ?? null, stdout }),
    );
  });
  directory.remove();
  expect(ended).toEqual({ code: 0, signal: null, stdout: 'collected\n' });
});
