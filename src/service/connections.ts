/** What a port does about its connections, whatever is asked over them. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ReadingRules {
  /** A client that has not taken in the next piece of its answer after this, and … */
  readonly graceMs: number;
  /** … the time that the piece takes at this rate, is cut off. */
  readonly bytesPerSecond: number;
  readonly checkEveryMs: number;
}

const readingRules: ReadingRules = { graceMs: 5000, bytesPerSecond: 128 * 1024, checkEveryMs: 1000 };

interface Progress {
  /** Bytes that the kernel has taken. */
  handedOver: number;
  /** When there was last progress, or nothing to send. */
  since: number;
}

/**
 * Ends connections whose clients don't read: until its answer has been handed over to the kernel, a call holds memory
 * and, on the management port, a slot.
 */
export function cutSlowReaders(server: Server, rules: ReadingRules = readingRules): void {
  const connections = new Map<Socket, Progress>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { handedOver: 0, since: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  const timer = setInterval(() => {
    const now = performance.now();
    for (const [socket, progress] of connections) if (isTooSlow(socket, progress, now, rules)) socket.destroy();
  }, rules.checkEveryMs).unref();
  server.once('close', () => clearInterval(timer));
}

function isTooSlow(socket: Socket, progress: Progress, now: number, rules: ReadingRules): boolean {
  const unsent = socket.writableLength;
  if (unsent === 0) {
    progress.since = now;
    return false;
  }
  const handedOver = socket.bytesWritten - unsent;
  if (handedOver > progress.handedOver) {
    progress.handedOver = handedOver;
    progress.since = now;
    return false;
  }
  return now - progress.since > rules.graceMs + (unsent / rules.bytesPerSecond) * 1000;
}

/** For the database, files, logs, name servers and the supervisor. */
const reservedDescriptors = 100;
const minConnections = 16;

/**
 * Leaves file descriptors for all else that the process opens. A connection above the limit is closed when it comes,
 * and there is room again when others end.
 */
export function limitConnections(server: Server, maxDescriptors = openFilesLimit()): void {
  if (maxDescriptors === null) return;
  server.maxConnections = Math.max(minConnections, maxDescriptors - reservedDescriptors);
}

/** The process's own limit; null where there is none, or the system does not tell it in this way. */
function openFilesLimit(): number | null {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
