/** Runs `promtool`, which Debian has in the package prometheus. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Returns what it prints. Rejects if it is not installed. */
export async function runPromtool(args: readonly string[], input: string): Promise<string> {
  const promtool = spawn('promtool', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const outputs = Promise.all([text(promtool.stdout), text(promtool.stderr)]);
  promtool.stdin.on('error', () => undefined).end(input);
  await once(promtool, 'spawn');
  return (await outputs).join('');
}

export const isPromtoolMissing = await runPromtool(['--version'], '').then(
  () => false,
  () => true,
);
if (isPromtoolMissing)
  console.warn('promtool is not installed: some checks of metrics and of the dashboard are skipped');
