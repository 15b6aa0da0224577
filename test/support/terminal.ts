/** The built command on a pseudo-terminal, which `script` of util-linux opens. */
import { spawn } from 'node:child_process';
import { serviceEnvironment } from './instance.ts';

interface TerminalOutcome {
  readonly exitCode: number | null;
  /** What the terminal showed: the output of the command, and what the terminal echoed of the typed text. */
  readonly screen: string;
}

/** What is typed once the terminal shows a text. */
export interface Typed {
  readonly after: string;
  readonly text: string;
}

/** Runs a shell command, in which `latchkey` is the built command, at a terminal. */
export async function runAtTerminal(
  command: string,
  environment: NodeJS.ProcessEnv,
  answers: readonly Typed[] = [],
): Promise<TerminalOutcome> {
  const script = `latchkey() { '${process.execPath}' dist/cli/latchkey.js "$@"; }; ${command}`;
  // Without `--echo always`, a terminal that `script` opens for a program shows nothing of what is typed.
  const options = ['--quiet', '--return', '--echo', 'always', '--command', script, '/dev/null'];
  const env = { ...serviceEnvironment({ TERM: 'xterm-256color', SHELL: '/bin/bash' }), ...environment };
  const child = spawn('script', options, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = [...answers];
  let screen = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    screen += part;
    const [next] = waiting;
    const index = next === undefined ? -1 : screen.indexOf(next.after, seen);
    if (next === undefined || index === -1) return;
    seen = index + next.after.length;
    waiting.shift();
    child.stdin.write(next.text);
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (waiting.length > 0) throw new Error(`the terminal never showed ${waiting[0]?.after}: ${screen}`);
  return { exitCode, screen };
}
