/** Ends a process whose supervisor has ended. */
import { Worker } from 'node:worker_threads';
import { entryPoint } from '../../lib/project-files.ts';

/**
 * Node.js ends the process when its channel to the supervisor closes, but notices that only between two turns of the
 * event loop. A thread of its own also notices it while the event loop is blocked. `supervisor` is a process id.
 */
export function endWithSupervisor(supervisor: number): void {
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 };
  new Worker(entryPoint('service/processes/watchdog-thread'), {
    workerData: supervisor,
    resourceLimits,
    execArgv: [],
  }).unref();
}
