/** Long commands, such as `npm run bench`, show how far they are. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

function stderrOf(script: string): string[] {
  const code = `import { startCountdown, startProgress } from './test/support/progress.ts';\n${script}`;
  const { stdout, stderr } = spawnSync('node', ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(stdout).toBe('');
  return stderr.trimEnd().split('\n');
}

it('without a terminal, each step is a line on standard error with its number and the elapsed time', () => {
  const lines = stderrOf(`
    const progress = startProgress(2);
    progress.next('create, round 1 of 2');
    progress.next('create, round 2 of 2');
    progress.stop();`);
  expect(lines).toEqual(['1 of 2, after 0 s: create, round 1 of 2', '2 of 2, after 0 s: create, round 2 of 2']);
});

it('without a terminal, a command of a fixed duration prints how much of it has passed', () => {
  expect(stderrOf(`startCountdown(90, 'the load is running')();`)).toEqual(['0 of 90 s: the load is running']);
});
