/** Handles half-closed connections and slow readers of a port, and limits the number of connections. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';

/**
 * Answers clients that close their side after the request, as health checks and `curl` in a pipe may do (RFC 9112,
 * section 9.6). By default, Node closes such connections at once, and loses every answer that waits for the store.
 */
export function answerHalfClosed(server: Server): void {
  // Node does not document this option, but tests it (test-http-allow-half-open.js).
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** A client may read nothing for `graceMs` plus the time that the unsent bytes take at `bytesPerSecond`. */
const readingRules = { graceMs: 5000, bytesPerSecond: 128 * 1024, checkEveryMs: 1000 };
type ReadingRules = Readonly<typeof readingRules>;

/** `handedOver`: bytes that the kernel has taken. `since`: the last time with progress or without unsent bytes. */
type Progress = { handedOver: number; since: number };

/** Closes connections of clients that don't read: a call holds memory and a slot until the kernel has its response. */
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
  const handedOver = socket.bytesWritten - unsent;
  if (unsent === 0 || handedOver > progress.handedOver) {
    progress.handedOver = handedOver;
    progress.since = now;
    return false;
  }
  return now - progress.since > rules.graceMs + (unsent / rules.bytesPerSecond) * 1000;
}

/** File descriptors for the database, files, logs and the supervisor, and for open DNS queries. */
const reservedDescriptors = 400;
const minConnections = 16;

/** Limits the connections, so that descriptors remain for everything else. Closes further connections at once. */
export function limitConnections(server: NetServer, maxDescriptors = openFilesLimit()): void {
  if (maxDescriptors === null) return;
  const reserved = Math.min(reservedDescriptors, Math.ceil(maxDescriptors / 2));
  server.maxConnections = Math.max(minConnections, maxDescriptors - reserved);
}

/** Returns the process's limit of open files; null if it has no limit, or if the system has no /proc. */
function openFilesLimit(): number | null {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
