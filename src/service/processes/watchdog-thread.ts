/** The thread of the watchdog. */
import { workerData } from 'node:worker_threads';

const intervalMs = 1000;

// A process whose parent ends gets another parent. Nothing can be written properly then: the main thread is blocked, or
// it ends the process itself at the same time.
setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, intervalMs);
