/** Ends a process whose supervisor has ended. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/**
 * Node.js ends the process when its channel to the supervisor closes, but notices that only between two turns of the
 * event loop. A thread of its own also notices it while the event loop is blocked. `supervisor` is a process id.
 */
export function endWithSupervisor(supervisor: number): void {
  const thread = new URL(`../service/watchdog-thread${extname(import.meta.filename)}`, import.meta.url);
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 };
  new Worker(thread, { workerData: supervisor, resourceLimits, execArgv: [] }).unref();
}
