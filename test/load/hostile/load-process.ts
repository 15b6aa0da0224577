/** A load generator in a process of its own: the victim's client or an attacker. Its parent sends the plan, then `stop`. */

import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../../harness/statistics.ts';
import { type RawAnswer, RawConnection } from '../raw-connection.ts';
import type { LoadPlan, LoadReport } from './load.ts';

const tickMs = 1;
/** How long `stop` waits for the answers that are still due. */
const lastAnswersTimeoutMs = 5000;
/** So that a server that rejects connections is not called in a busy loop. */
const brokenPauseMs = 20;

class Generator {
  readonly #plan: LoadPlan;
  readonly #connections: readonly RawConnection[];
  readonly #free: RawConnection[];
  /** When the calls were due that no connection is free for. */
  readonly #waiting: number[] = [];
  readonly #inProgress = new Map<RawConnection, number>();
  readonly #latencies: number[] = [];
  readonly #ownDelays: number[] = [];
  readonly #others: Record<string, number> = {};
  readonly #startedAt = performance.now();
  #served = 0;
  #rejected = 0;
  #due = 0;
  #next = 0;
  #stopping = false;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    const port = Number(new URL(plan.url).port);
    this.#connections = Array.from({ length: plan.connections }, (_, i) => {
      return new RawConnection(port, plan.addresses[i % plan.addresses.length] ?? '127.0.0.1');
    });
    this.#free = [...this.#connections];
  }

  start(): void {
    if (this.#plan.perSecond !== undefined) this.#tick(this.#plan.perSecond, this.#startedAt);
    else for (const connection of this.#free.splice(0)) this.#call(connection, performance.now());
  }

  #tick(perSecond: number, expectedAt: number): void {
    if (this.#stopping) return;
    const now = performance.now();
    this.#ownDelays.push(now - expectedAt);
    for (; this.#startedAt + (this.#due * 1000) / perSecond <= now; this.#due += 1) {
      const dueAt = this.#startedAt + (this.#due * 1000) / perSecond;
      const connection = this.#free.pop();
      if (connection === undefined) this.#waiting.push(dueAt);
      else this.#call(connection, dueAt);
    }
    setTimeout(() => this.#tick(perSecond, now + tickMs), tickMs);
  }

  #call(connection: RawConnection, dueAt: number): void {
    const { requests } = this.#plan;
    this.#inProgress.set(connection, dueAt);
    connection.send(requests[this.#next++ % requests.length] ?? '', (answer) => {
      this.#inProgress.delete(connection);
      this.#count(answer, performance.now() - dueAt);
      this.#continue(connection, answer);
    });
  }

  #continue(connection: RawConnection, answer: RawAnswer | null): void {
    const { perSecond, pauseMs = 0 } = this.#plan;
    const again = () => {
      if (this.#stopping) return;
      if (perSecond === undefined) return this.#call(connection, performance.now());
      const dueAt = this.#waiting.shift();
      if (dueAt === undefined) this.#free.push(connection);
      else this.#call(connection, dueAt);
    };
    const waitMs = answer === null ? brokenPauseMs : pauseMs;
    if (waitMs > 0) setTimeout(again, waitMs);
    else again();
  }

  #count(answer: RawAnswer | null, latencyMs: number): void {
    const status = answer?.status ?? 0;
    if (status >= 200 && status < 300 && answer?.text.includes(this.#plan.expected ?? '') === true) {
      this.#served += 1;
      this.#latencies.push(latencyMs);
    } else if (status === 429 || status === 503) this.#rejected += 1;
    else this.#add(answer === null ? 'broken' : `status ${status}`, 1);
  }

  #add(what: string, count: number): void {
    this.#others[what] = (this.#others[what] ?? 0) + count;
  }

  async stop(): Promise<LoadReport> {
    this.#stopping = true;
    const stoppedAt = performance.now();
    while (this.#inProgress.size > 0 && performance.now() < stoppedAt + lastAnswersTimeoutMs) await pause(10);
    const unanswered = [...this.#inProgress.values(), ...this.#waiting];
    if (unanswered.length > 0) this.#add('unanswered', unanswered.length);
    this.#latencies.push(...unanswered.map((dueAt) => performance.now() - dueAt));
    for (const connection of this.#connections) connection.close();
    return {
      seconds: (stoppedAt - this.#startedAt) / 1000,
      served: this.#served,
      rejected: this.#rejected,
      others: this.#others,
      p50Ms: percentile(this.#latencies, 0.5),
      p99Ms: percentile(this.#latencies, 0.99),
      maxMs: percentile(this.#latencies, 1),
      ownDelayP99Ms: percentile(this.#ownDelays, 0.99),
    };
  }
}

process.once('message', (plan: LoadPlan) => {
  if (plan.niceness !== undefined) setPriority(plan.niceness);
  const generator = new Generator(plan);
  generator.start();
  process.once('message', async () => {
    const report = await generator.stop();
    process.send?.(report, () => process.exit());
  });
  process.send?.('started');
});
// The parent is gone, so nothing else would stop the load.
process.once('disconnect', () => process.exit());
