import { runCommand } from '../support/instance.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

export interface Finding {
  readonly what: string;
  readonly state: string;
  readonly note: string;
}

/** Runs `latchkey doctor` with free ports, in an empty directory, and without a secret for session tokens unless it is given. */
export async function findings(environment: NodeJS.ProcessEnv) {
  const free = { PORT: '0', VERIFY_PORT: '0', JWT_SECRET: undefined, DATA_DIR: temporaryDirectory().path };
  const { stdout, exitCode } = await runCommand(['doctor', '--json'], { ...free, ...environment });
  const list: Finding[] = JSON.parse(stdout);
  return { exitCode, list, of: (what: string) => list.find((finding) => finding.what.startsWith(what)) };
}
