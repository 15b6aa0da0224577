/** Checks whether changes can be written: on a full or read-only disk, reads still work. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseProvider } from '../lib/database-address.ts';
import type { ChangeQueue, Work } from './changes/change-queue.ts';

/** The minimum time between test writes, because any client can request health checks. */
const intervalMs = 1000;
/** The maximum wait for the test write. A timeout is no failure: other writes may be queued. */
const maxWaitMs = 500;

/** Makes SQLite write a page, without changing data. */
const writePage: Work = async (transaction) => {
  await transaction.$executeRawUnsafe('PRAGMA user_version = 0');
};

/** Makes PostgreSQL allocate more than a page of audit entries, as changes do. Deletes these entries again. */
const writeEntries: Work = async (transaction) => {
  const revisions = [-1n, -2n, -3n, -4n, -5n];
  const common = { action: 'KEY_UPDATED', keyId: '', teamId: '', actor: '', requestId: '', at: new Date(0) } as const;
  // Random, because PostgreSQL can't compress random data.
  const data = revisions.map((revision) => ({ ...common, revision, changes: randomBytes(1200).toString('base64') }));
  await transaction.auditEntry.createMany({ data });
  await transaction.auditEntry.deleteMany({ where: { revision: { in: revisions } } });
};

export class WriteCheck {
  readonly #changes: Pick<ChangeQueue, 'problem' | 'probe'>;
  readonly #provider: DatabaseProvider;
  readonly #now: () => number;
  #running: Promise<void> | null = null;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(
    changes: Pick<ChangeQueue, 'problem' | 'probe'>,
    provider: DatabaseProvider,
    now: () => number = () => performance.now(),
  ) {
    this.#changes = changes;
    this.#provider = provider;
    this.#now = now;
  }

  /** Throws UNAVAILABLE if the last change or the last write of this check failed because of the disk. */
  async check(): Promise<void> {
    if (this.#running === null && this.#now() >= this.#nextAt && this.#mustWrite) this.#running = this.#write();
    if (this.#running !== null) await Promise.race([this.#running, pause(maxWaitMs, undefined, { ref: false })]);
    const { problem } = this.#changes;
    if (problem !== null) throw problem;
  }

  /** Writes in any case, and waits for the result. Throws UNAVAILABLE. */
  async write(): Promise<void> {
    await this.#changes.probe(this.#testWrite);
  }

  get #testWrite(): Work {
    return this.#provider === 'sqlite' ? writePage : writeEntries;
  }

  /** Whether to write: on PostgreSQL, only after a failure, because each write leaves rows for VACUUM. */
  get #mustWrite(): boolean {
    return this.#provider === 'sqlite' || this.#changes.problem !== null;
  }

  async #write(): Promise<void> {
    // The error is ignored here, because the queue keeps it in `problem`.
    await this.#changes.probe(this.#testWrite).catch(() => undefined);
    this.#nextAt = this.#now() + intervalMs;
    this.#running = null;
  }
}
