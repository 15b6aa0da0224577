/** Should these fail, look at how the run itself ended: it may say that all is well. */
import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

it('a process that used the PostgreSQL of the tests ends with the exit code that it set', async () => {
  const script = `import('./test/support/embedded-postgres.ts').then(async ({ startPostgres }) => {
    process.exitCode = 3;
    await (await startPostgres()).stop();
  })`;
  const exitCode = await new Promise((resolve) => {
    execFile(process.execPath, ['-e', script], (error) => resolve(error?.code ?? 0));
  });
  expect(exitCode).toBe(3);
});
