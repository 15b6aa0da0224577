/** `npm run example -- <name>`: starts Latchkey and an example, and prints what to try. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examples } from './tour/examples.ts';
import { createKey, startLatchkey } from './tour/latchkey.ts';
import { readPorts } from './tour/ports.ts';
import { stopPrograms } from './tour/program.ts';

const [name = ''] = process.argv.slice(2);
const example = examples[name];
if (example === undefined) {
  console.error(`usage: npm run example -- ${Object.keys(examples).join('|')}`);
  process.exit(2);
}
const ports = readPorts(process.env);
const directory = await mkdtemp(join(tmpdir(), 'latchkey-example-'));

let ending: Promise<never> | undefined;

async function end(exitCode: number): Promise<never> {
  ending ??= stop(exitCode);
  return await ending;
}

async function stop(exitCode: number): Promise<never> {
  await stopPrograms();
  await rm(directory, { recursive: true, force: true });
  process.exit(exitCode);
}

// The terminal and npm both pass Ctrl-C on.
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 0],
] as const) {
  process.on(signal, () => void end(exitCode));
}

try {
  await startLatchkey(directory, ports);
  const key = await createKey(directory, ports);
  const url = await example.start(ports, directory);
  console.log(`
${example.title}: ${url}

Try it in another terminal. The last call gets 401, because the key is revoked:

  KEY=${key}
  curl -i ${url} -H "Authorization: Bearer $KEY"
  curl -X DELETE http://127.0.0.1:${ports.verification}/v1/keys/self -H "Authorization: Bearer $KEY"
  curl -i ${url} -H "Authorization: Bearer $KEY"

Ctrl-C stops the example.
`);
} catch (error) {
  // The terminal ends the programs too.
  if (ending === undefined) console.error(error instanceof Error ? error.message : String(error));
  await end(1);
}
