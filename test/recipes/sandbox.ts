/**
 * The restrictions that systemd and Docker have in common, without either: an unprivileged user without capabilities, and
 * a file system of which nothing but the state directory and /tmp can be written.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { verifyAt } from '../support/gateway.ts';
import { both, rest, sessionToken } from '../support/service.ts';

export const run = promisify(execFile);

/** Those of the commands that fail here. */
export async function failing(commands: readonly (readonly string[])[]): Promise<string[]> {
  const tried = commands.map(([command = '', ...args]) => {
    const failed = () => [[command, ...args].join(' ')];
    return run(command, args).then(() => [], failed);
  });
  return (await Promise.all(tried)).flat();
}

/** Returns why no sandbox is possible here; empty if one is. */
export async function whyNoSandbox(): Promise<string> {
  if (userInfo().uid !== 0) return 'only root can become another user';
  const missing = await failing([
    ['unshare', '--mount', 'true'],
    ['setpriv', '--version'],
  ]);
  return missing.length === 0 ? '' : `these fail: ${missing.join(', ')}`;
}

interface Confined {
  /** What is seen at `workingDirectory`. */
  readonly application: string;
  readonly workingDirectory: string;
  readonly stateDirectory: string;
  readonly user: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** What to run it under, such as a tracer. */
  readonly under?: readonly string[];
}

interface ConfinedService {
  /** Where its state directory is outside. */
  readonly state: string;
  readonly url: string;
  readonly verifyUrl: string;
  /** As an orchestrator does it; answers the exit code. */
  readonly stop: () => Promise<number | null>;
  /** What it has written: each file's owner, and what others may do with it. */
  readonly written: () => Promise<{ readonly name: string; readonly uid: number; readonly forOthers: number }[]>;
  readonly remove: () => Promise<void>;
}

const script = `
  mount -t tmpfs none /opt; mkdir /opt/state; mount --bind "$STATE" /opt/state
  mkdir /opt/node; mount --bind "$NODE" /opt/node
  mkdir -p "$PLACE"; mount --bind "$APPLICATION" "$PLACE"
  mount -t tmpfs none /var/lib; mkdir -p "$STATE_PLACE"; mount --bind /opt/state "$STATE_PLACE"
  mount -t tmpfs -o mode=1777 none /tmp
  for place in "$PLACE" /opt /var/lib /; do mount -o remount,bind,ro "$place"; done
  cd "$PLACE"
  exec setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups --no-new-privs --bounding-set=-all "$@"`;

/** Resolves when it is ready. */
export async function startConfined(confined: Confined): Promise<ConfinedService> {
  const { user, environment, command, under = [] } = confined;
  const state = await mkdtemp(join(tmpdir(), 'latchkey-state-'));
  await chmod(state, 0o700);
  await chown(state, user, user);
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const confine = ['unshare', '--mount', 'sh', '-euc', script, 'sh'];
  const started = ['env', '-i', `PATH=/opt/node:${process.env.PATH}`, ...variables, ...command];
  const [first = '', ...args] = [...under, ...confine, ...started];
  const child = spawn(first, args, {
    env: {
      PATH: process.env.PATH,
      NODE: dirname(process.execPath),
      APPLICATION: confined.application,
      PLACE: confined.workingDirectory,
      STATE: state,
      STATE_PLACE: confined.stateDirectory,
      USER_ID: String(user),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const remove = async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await exit;
    await rm(state, { recursive: true, force: true });
  };
  const ready = await readiness(child).catch(async (error) => {
    await remove();
    throw error;
  });
  return {
    state,
    url: ready.url.replace('0.0.0.0', '127.0.0.1'),
    verifyUrl: ready.verifyUrl.replace('0.0.0.0', '127.0.0.1'),
    stop: async () => {
      process.kill(ready.pid, 'SIGTERM');
      return (await exit)[0];
    },
    written: async () => {
      const names = await readdir(state);
      return await Promise.all(
        names.map(async (name) => {
          const { uid, mode } = await stat(join(state, name));
          return { name, uid, forOthers: mode & 0o077 };
        }),
      );
    },
    remove,
  };
}

/** Creates a key and verifies it, with a verifier token if there is one. */
export async function expectVerdict({ url, verifyUrl }: ConfinedService, token = ''): Promise<void> {
  const teamId = randomUUID();
  const session = sessionToken({ [teamId]: both });
  const { body } = await rest(url, session, 'POST', '/v1/keys', { teamId, name: 'A key', env: 'live' });
  expect((await verifyAt(verifyUrl, { key: body.secret }, token)).body).toMatchObject({ valid: true, teamId });
}

async function readiness({ stdout }: ChildProcess): Promise<{ url: string; verifyUrl: string; pid: number }> {
  if (stdout === null) throw new Error('no output');
  for await (const line of createInterface(stdout)) {
    if (line.includes('"msg":"ready"')) {
      // No reader is left, and the sandbox must not wait for one.
      stdout.resume();
      return JSON.parse(line);
    }
  }
  throw new Error('the service has ended before it was ready');
}
