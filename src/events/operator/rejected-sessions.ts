/**
 * Writes rejected session tokens to the log, for the operator. Unauthenticated callers can cause any number of them, so
 * they are counted in memory, and at most 100 entries are written every ten seconds.
 */
import { randomUUID } from 'node:crypto';
import { noSubject } from '../../domain/audit-entry.ts';
import { shareHolderOf } from '../../domain/source/client-network.ts';
import type { Scheduler } from '../../lib/scheduler.ts';
import { Decision, type NewEntry } from '../../store/changes/change.ts';
import { requestIdAt } from '../../store/rows/audit-log.ts';
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

/** Entries that may be in the log already, because the store answered too late. */
interface Batch {
  readonly entries: readonly NewEntry[];
  /** Which batch it is, in each of its entries. */
  readonly requestId: string;
  /** The revision of its first entry, if it was written. Null before the first attempt. */
  revision: bigint | null;
}

export const flushIntervalMs = 10_000;
/** The entries of one flush. The last one has the sum of all further networks and reasons. */
export const maxEntries = 100;
const maxReasonCharacters = 300;
const restName = 'rest';

export class RejectedSessions {
  readonly #options: RejectedSessionsOptions;
  #counts = new Map<string, Count>();
  /** Is written before what was counted since. */
  #unconfirmed: Batch | null = null;
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
    if (this.#unconfirmed !== null) await this.#flush();
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
      this.#flushing = this.#flushing.then(() => this.#flush());
    });
  }

  /** Never rejects. A batch that can't be written is tried again after ten seconds, and counted once. */
  async #flush(): Promise<void> {
    this.#unconfirmed ??= this.#takeBatch();
    if (this.#unconfirmed === null) return;
    try {
      await this.#write(this.#unconfirmed);
      this.#unconfirmed = null;
      if (this.#counts.size > 0) this.#schedule();
    } catch (error) {
      this.#options.report(error, 'rejected session tokens could not be written to the log; retrying later');
      this.#schedule();
    }
  }

  #takeBatch(): Batch | null {
    if (this.#counts.size === 0) return null;
    const [requestId, at] = [randomUUID(), this.#options.now()];
    const entries = [...this.#counts.values()].map(({ source, reason, count, from, to }) => {
      const details = { reason, count, from: from.toISOString(), to: to.toISOString() };
      return systemEntry({ action: 'SESSION_REJECTED', teamId: '', keyId: noSubject, source, details }, requestId, at);
    });
    this.#counts = new Map();
    return { entries, requestId, revision: null };
  }

  async #write(batch: Batch): Promise<void> {
    const { entries, requestId } = batch;
    await this.#options.store.changes.submit<void, string | null>({
      queueKey: 'rejected sessions',
      load: { read: async (client) => (batch.revision === null ? null : await requestIdAt(client, batch.revision)) },
      decide: (earlier, revision) => {
        if (earlier === requestId) return new Decision(undefined);
        batch.revision = revision;
        return new Decision(undefined, { entries });
      },
    });
  }
}
