/** A thread of `npm run prove -- simulate`, which runs a share of the episodes. */
import { parentPort, workerData } from 'node:worker_threads';
import { breakBuild } from './broken-builds.ts';
import type { RunOptions } from './run.ts';

export interface Share extends RunOptions {
  readonly broken: string | undefined;
}

const { broken, ...options }: Share = workerData;
if (broken !== undefined) breakBuild(broken);
// Loaded only now, so that the build can be broken.
const { run } = await import('./run.ts');
parentPort?.postMessage(await run(options));
