/** Finds out whether changes can be written. The disk can be full or read-only while reads still work. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BulkDialect } from './changes/bulk-rows.ts';
import type { ChangeQueue, Work } from './changes/change-queue.ts';

/** Health checks are public, so they write at most this often. */
const intervalMs = 1000;
/** A write that waits for others is not a failed one. */
const maxWaitMs = 500;

/** Makes SQLite write a page, without changing anything that is used. */
const writePage: Work = async (transaction) => {
  await transaction.$executeRawUnsafe('PRAGMA user_version = 0');
};

/** Makes PostgreSQL find space for more than a page of audit entries, which every change writes. They are never visible. */
const writeEntries: Work = async (transaction) => {
  const revisions = [-1n, -2n, -3n, -4n, -5n];
  const common = { action: 'KEY_UPDATED', keyId: '', teamId: '', actor: '', requestId: '', at: new Date(0) } as const;
  // Random, so that it is not compressed.
  const data = revisions.map((revision) => ({ ...common, revision, changes: randomBytes(1200).toString('base64') }));
  await transaction.auditEntry.createMany({ data });
  await transaction.auditEntry.deleteMany({ where: { revision: { in: revisions } } });
};

export class WriteCheck {
  readonly #changes: Pick<ChangeQueue, 'problem' | 'probe'>;
  readonly #dialect: BulkDialect;
  readonly #now: () => number;
  #running: Promise<void> | null = null;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(
    changes: Pick<ChangeQueue, 'problem' | 'probe'>,
    dialect: BulkDialect,
    now: () => number = () => performance.now(),
  ) {
    this.#changes = changes;
    this.#dialect = dialect;
    this.#now = now;
  }

  /** Throws UNAVAILABLE if the last change or the last write of this check failed because of the disk. */
  async check(): Promise<void> {
    if (this.#running === null && this.#now() >= this.#nextAt && this.#mustWrite) this.#running = this.#write();
    if (this.#running !== null) await Promise.race([this.#running, pause(maxWaitMs, undefined, { ref: false })]);
    const { problem } = this.#changes;
    if (problem !== null) throw problem;
  }

  /** On PostgreSQL only after a failure, because each write leaves rows for VACUUM. */
  get #mustWrite(): boolean {
    return this.#dialect === 'sqlite' || this.#changes.problem !== null;
  }

  async #write(): Promise<void> {
    // The queue keeps the problem.
    await this.#changes.probe(this.#dialect === 'sqlite' ? writePage : writeEntries).catch(() => undefined);
    this.#nextAt = this.#now() + intervalMs;
    this.#running = null;
  }
}
