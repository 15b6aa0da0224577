/** A thread that kills the process when its parent, the supervisor, has ended. */
import { workerData } from 'node:worker_threads';

const intervalMs = 1000;

// The process gets another parent when its parent ends. SIGKILL loses nothing that could still be written: the main
// thread is blocked, or ends the process itself at the same time.
setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, intervalMs);
