/** Real gateways, where they are installed: each runs as a process of a test, in a directory of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';

const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** Returns the path of an installed program, or undefined. */
export function installed(name: string): string | undefined {
  return directories.map((directory) => join(directory, name)).find((file) => existsSync(file));
}

interface Program {
  readonly path: string;
  readonly args: (directory: string) => readonly string[];
  /** Written into its directory: the name of each file with its text. */
  readonly files: (directory: string) => Readonly<Record<string, string>>;
  /** It has started when it accepts connections there. */
  readonly port: number;
}

/** Starts a program and waits until it accepts connections. Returns how to end it and remove its directory. */
export async function startProgram({ path, args, files, port }: Program): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-gateway-'));
  for (const [name, text] of Object.entries(files(directory))) await writeFile(join(directory, name), text);
  const environment = { ...process.env, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const child = spawn(path, args(directory), { stdio: ['ignore', 'pipe', 'pipe'], env: environment, cwd: directory });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      output += part;
    });
  }
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${path} has ended: ${output}`);
    await after(10);
  }
  return async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
    await rm(directory, { recursive: true });
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
