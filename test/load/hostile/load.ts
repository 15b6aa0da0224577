/** Load generators, each in a process of its own. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface LoadPlan {
  readonly url: string;
  /** Whole HTTP requests, sent in turn and from the first one again. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** The local addresses that the connections come from, in turn. */
  readonly addresses: readonly string[];
  /**
   * Calls a second, however long the answers take. Each latency counts from when its call was due, and so includes the
   * time for which the server stalls. Absent: each connection sends its next call when it has its answer.
   */
  readonly perSecond?: number;
  /** Without `perSecond`: how long a connection waits between an answer and its next call. */
  readonly pauseMs?: number;
  /** A text that an answer with a 2xx status must contain to count as served. */
  readonly expected?: string;
  /** The niceness of the process. Absent: that of its parent. */
  readonly niceness?: number;
}

export interface LoadReport {
  readonly seconds: number;
  /** Answered with 2xx and the expected text. */
  readonly served: number;
  /** Answered with 429 or 503. */
  readonly rejected: number;
  /** All other outcomes by their count: statuses, `broken` connections, calls `unanswered` at the end. */
  readonly others: Readonly<Record<string, number>>;
  /** Of the served calls and of those without an answer; NaN where there are none. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** How late the generator's own timer was, 99 times of 100: a large value means that the machine is too busy. */
  readonly ownDelayP99Ms: number;
}

/** A load that runs. */
export interface Load {
  readonly stop: () => Promise<LoadReport>;
}

export async function startLoad(plan: LoadPlan): Promise<Load> {
  // JSON has no NaN, which is the latency where nothing was served.
  const child = fork(fileURLToPath(new URL('load-process.ts', import.meta.url)), { serialization: 'advanced' });
  const message = async <Message>(): Promise<Message> => {
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('a load generator ended unexpectedly')));
    return (await Promise.race([once(child, 'message'), ended]))[0];
  };
  child.send(plan);
  await message<'started'>();
  return {
    stop: async () => {
      const report = message<LoadReport>();
      child.send('stop');
      return await report;
    },
  };
}

export async function runLoad(start: () => Promise<Load>, seconds: number): Promise<LoadReport> {
  const load = await start();
  await pause(seconds * 1000);
  return await load.stop();
}

/** Attackers run at a lower priority than the service and its victim: in reality they have machines of their own. */
export const attackerNiceness = 19;

/** Starts an attack in which each connection has an address of its own, unless `options` has other addresses. */
export async function flood(
  url: string,
  requests: readonly string[],
  connections: number,
  options: Pick<LoadPlan, 'expected' | 'perSecond'> & { readonly addresses?: readonly string[] } = {},
) {
  const addresses = attackerAddresses(connections);
  return await startLoad({ url, requests, connections, addresses, niceness: attackerNiceness, ...options });
}

/** Addresses of the loopback network, none of which is the victim's. */
export function attackerAddresses(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `127.1.${i >> 8}.${i & 255}`);
}

export const victimAddress = '127.0.0.1';
