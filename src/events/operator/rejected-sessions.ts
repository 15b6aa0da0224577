/**
 * Writes rejected session tokens to the log, for the operator. Unauthenticated callers can cause any number of them, so
 * they are counted in memory, and at most 100 entries are written every ten seconds.
 */
import { randomUUID } from 'node:crypto';
import { noSubject } from '../../domain/audit-entry.ts';
import { shareHolderOf } from '../../domain/source/client-network.ts';
import type { Scheduler } from '../../lib/scheduler.ts';
import { Decision, nothing } from '../../store/changes/change.ts';
import type { Store } from '../../store/store.ts';
import { systemEntry } from '../system-entry.ts';

export interface RejectedSessionsOptions {
  readonly store: Pick<Store, 'changes'>;
  readonly scheduler: Pick<Scheduler, 'afterIfAlive'>;
  readonly now: () => Date;
  readonly report: (error: unknown, what: string) => void;
}

interface Count {
  /** The address of the first call. Calls from other addresses of its IPv6 network are counted with it. */
  readonly source: string | null;
  readonly reason: string;
  readonly from: Date;
  to: Date;
  count: number;
}

export const flushIntervalMs = 10_000;
/** The entries of one flush. The last one has the sum of all further networks and reasons. */
export const maxEntries = 100;
const maxReasonCharacters = 300;
const restName = 'rest';

export class RejectedSessions {
  readonly #options: RejectedSessionsOptions;
  #counts = new Map<string, Count>();
  #isScheduled = false;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: RejectedSessionsOptions) {
    this.#options = options;
  }

  /** Counts a rejected session token by the network of the address and the reason. */
  readonly add = (source: string | null, reason: string): void => {
    const now = this.#options.now();
    const text = reason.slice(0, maxReasonCharacters);
    this.#merge(`${shareHolderOf(source)} ${text}`, { source, reason: text, from: now, to: now, count: 1 });
    this.#schedule();
  };

  /** Writes what was counted. */
  async close(): Promise<void> {
    await this.#flushing;
    await this.#flush();
  }

  #merge(name: string, added: Count): void {
    const existing = this.#counts.get(name);
    if (existing !== undefined) {
      existing.count += added.count;
      existing.to = added.to;
    } else if (name === restName || this.#counts.size < maxEntries - 1) {
      this.#counts.set(name, added);
    } else {
      const rest = { source: null, reason: 'Several reasons, from more addresses than are listed.' };
      this.#merge(restName, { ...added, ...rest });
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.scheduler.afterIfAlive(flushIntervalMs, () => {
      this.#isScheduled = false;
      this.#flushing = this.#flush();
    });
  }

  /**
   * Never rejects. If the counts can't be written, they are added to the next ones. They are counted twice if they were
   * written, but the store answered too late.
   */
  async #flush(): Promise<void> {
    const counts = this.#counts;
    if (counts.size === 0) return;
    this.#counts = new Map();
    try {
      await this.#write([...counts.values()]);
    } catch (error) {
      this.#options.report(error, 'rejected session tokens could not be written to the log; retrying later');
      const later = this.#counts;
      this.#counts = counts;
      for (const [name, count] of later) this.#merge(name, count);
      this.#schedule();
    }
  }

  async #write(counts: readonly Count[]): Promise<void> {
    const [requestId, at] = [randomUUID(), this.#options.now()];
    const entries = counts.map(({ source, reason, count, from, to }) => {
      const details = { reason, count, from: from.toISOString(), to: to.toISOString() };
      return systemEntry({ action: 'SESSION_REJECTED', teamId: '', keyId: noSubject, source, details }, requestId, at);
    });
    await this.#options.store.changes.submit({
      queueKey: 'rejected sessions',
      load: nothing,
      decide: () => new Decision(undefined, { entries }),
    });
  }
}
