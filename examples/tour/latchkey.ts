/** The Latchkey of an example: the built service on an empty database. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Ports } from './ports.ts';
import { startProgram } from './program.ts';

const exampleTeam = '11111111-1111-4111-8111-111111111111';

export async function startLatchkey(directory: string, { management, verification }: Ports): Promise<void> {
  await startProgram({
    command: [process.execPath, 'dist/main.js'],
    environment: { DATA_DIR: directory, PORT: String(management), VERIFY_PORT: String(verification) },
    readyText: '"msg":"ready"',
  });
}

/** Returns the secret of a new key. */
export async function createKey(directory: string, { management }: Ports): Promise<string> {
  const environment = { ...process.env, DATA_DIR: directory };
  const command = ['dist/cli/latchkey.js', 'token', '--team', exampleTeam];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env: environment });
  const response = await fetch(`http://127.0.0.1:${management}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ teamId: exampleTeam, name: 'My first key', env: 'live' }),
  });
  const { secret } = (await response.json()) as { readonly secret?: string };
  if (secret === undefined) throw new Error(`the key could not be created: ${response.status}`);
  return secret;
}

export async function startEdge({ verification, edge }: Ports): Promise<void> {
  const upstream = `http://127.0.0.1:${verification}`;
  await startProgram({
    command: [process.execPath, 'dist/cli/latchkey.js', 'edge', '--upstream', upstream, '--port', String(edge)],
    readyText: '"msg":"ready"',
  });
}
