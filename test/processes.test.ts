import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { nextOutput } from './support/processes.ts';

const start = (program: string) => spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });

it('the output of a process is awaited no longer than the process runs', async () => {
  expect(await nextOutput(start('console.log(4000)'))).toBe('4000');
  await expect(nextOutput(start('process.exit(3)'))).rejects.toThrow('the process ended with 3 and printed nothing');
  await expect(nextOutput(spawn('/no/such/program'))).rejects.toThrow('ENOENT');
});
