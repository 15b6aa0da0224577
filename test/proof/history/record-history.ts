/**
 * `npm run prove -- record-history --team ID [--management URL] [--endpoint URL] …`: records a history of keys that are changed
 * while they are presented to an HTTP endpoint. docs/evidence/proof.md describes it. The exit code is 0 if all changes succeeded
 * and requests got verdicts, 1 if not, and 2 if it could not start.
 */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describedDriver } from './described-driver.ts';
import type { Driver } from './driver.ts';
import { Recorder } from './record.ts';
import { type Options, parseOptions } from './record-options.ts';
import { writeEvents } from './recording.ts';

interface Prepared {
  readonly options: Options;
  readonly driver: Driver;
  /** Opened before the run, so that a wrong path does not lose it. */
  readonly output: FileHandle;
}

async function prepare(args: readonly string[]): Promise<Prepared> {
  const options = parseOptions(args);
  const { driver: file, description = join(import.meta.dirname, 'latchkey.json') } = options;
  const driver = file === null ? describedDriver(await readFile(description, 'utf8')) : await loadDriver(file);
  return { options, driver, output: await open(options.output, 'w') };
}

async function loadDriver(file: string): Promise<Driver> {
  const driver: Partial<Driver> = await import(pathToFileURL(resolve(file)).href);
  const { create, revoke, disable, enable, verify } = driver;
  if (create === undefined || revoke === undefined) throw new Error(`--driver: ${file} must export create and revoke`);
  const always = { create, revoke, ...(verify && { verify }) };
  if (disable === undefined && enable === undefined) return always;
  if (disable !== undefined && enable !== undefined) return { ...always, disable, enable };
  throw new Error(`--driver: ${file} must export both disable and enable, or neither`);
}

async function run({ options, driver, output }: Prepared): Promise<void> {
  const { management, team, endpoint, isAccepted, isRejected, seconds, keys, leaseMs } = options;
  const api = { url: management, team, token: process.env.LATCHKEY_TOKEN ?? '' };
  const target = { api, driver, endpoint, isAccepted, isRejected };
  const recorder = new Recorder(target, { seconds, keys, pauseMs: 200 });
  await recorder.run();
  const { recording, errors, verdicts, failures, firstFailure } = recorder;
  await writeEvents(output, recording.stop(leaseMs), recording.events);
  await output.close();
  for (const error of errors) console.error(error);
  const requests = verdicts + failures;
  if (failures > 0) {
    console.error(`${failures} of ${requests} requests to ${endpoint} got no verdict; the first: ${firstFailure}`);
  }
  if (requests === 0) console.error('no key was presented');
  console.log(
    `${options.output} has ${recording.events.length} events; now run: npm run prove -- check-history ${options.output}`,
  );
  if (errors.length > 0 || verdicts === 0) process.exitCode = 1;
}

const prepared = await prepare(process.argv.slice(2)).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  console.error(message.replaceAll(/\s*\n\s*/g, ' '));
  process.exitCode = 2;
  return null;
});
if (prepared !== null) await run(prepared);
