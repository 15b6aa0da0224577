/** Runs the documented commands that print a link to the dashboard, and signs in with the link as a browser does. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { blockOf } from './documents.ts';

const run = promisify(execFile);
/** Chooses the team of the link. */
const chooseTeam = blockOf('docs/start/deploying.md', 'Sign in');

/**
 * Stands for docker, kubectl and systemd-run: runs the part of its arguments that starts with `node`, which they would
 * run beside the service, with its environment. Does nothing if there is none.
 */
const standIn = `#!/bin/sh
for word; do
  case $word in node) exec "$@" ;; [A-Z]*=*) [ "$before" = --setenv ] && export "$word" ;; esac
  before=$word
  shift
done`;

/** Runs the commands beside a service with this environment, and expects that the link among their output signs in there. */
export async function expectSignIn(
  commands: string,
  { url, environment, root = '.' }: { url: string; environment: NodeJS.ProcessEnv; root?: string },
): Promise<void> {
  const bin = await mkdtemp(join(tmpdir(), 'latchkey-stand-ins-'));
  try {
    for (const name of ['docker', 'kubectl', 'systemd-run']) {
      await writeFile(join(bin, name), standIn);
      await chmod(join(bin, name), 0o755);
    }
    const env = { ...environment, PATH: `${bin}:${process.env.PATH}` };
    const { stdout } = await run('sh', ['-euc', `${chooseTeam}\n${commands}`], { cwd: root, env });
    const [, origin, token] = /^(http:\/\/\S+?)\/#token=(\S+)$/m.exec(stdout) ?? [];
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const signedIn = await fetch(`${url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    expect([signedIn.status, await signedIn.json()]).toEqual([200, expect.objectContaining({ subject: 'local' })]);
    expect(signedIn.headers.get('set-cookie')).toContain('latchkey-session');
  } finally {
    await rm(bin, { recursive: true });
  }
}
