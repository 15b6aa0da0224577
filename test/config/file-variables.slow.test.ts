/** Secrets in files, in the processes of a running service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { makeKey } from '../support/calls.ts';
import { verifyAt } from '../support/gateway.ts';
import { killInstances, startInstance, until } from '../support/instance.ts';
import { kill, processesOf } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

afterEach(killInstances);

it('a process that is restarted has the secrets of the start, also if a file has changed since', async () => {
  const { path: directory } = temporaryDirectory();
  const file = join(directory, 'verifier_tokens');
  const [atStart, changed] = ['the-token-at-the-start', 'the-token-after-the-change'];
  writeFileSync(file, `${atStart}\n`);
  const service = await startInstance({ DATA_DIR: join(directory, 'data'), VERIFIER_TOKENS_FILE: file });
  const { secret } = await makeKey(service);
  writeFileSync(file, `${changed}\n`);
  const { pid = 0 } = service.process;
  const [before = 0] = processesOf(pid).verification;
  kill(before, 'SIGKILL');
  await until('the process is replaced', () => service.output().includes('a process is ready again'));
  expect(processesOf(pid).verification).not.toContain(before);
  expect((await verifyAt(service.verifyUrl, { key: secret }, atStart)).body.code).toBe('VALID');
  expect((await verifyAt(service.verifyUrl, { key: secret }, changed)).status).toBe(401);
});
