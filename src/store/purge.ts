import type { ChangeQueue } from './change-queue.ts';
import type { Prisma } from './generated/sqlite/client.ts';
import { maxChanges } from './key-feed.ts';

/** Rows per transaction, so that it neither delays changes nor takes longer than a statement may. */
export const purgeBatchSize = 2000;
/** Each key has five indexes and rows of its own in other tables. */
const keyBatchSize = 500;

/** Calls until a batch was not full. Returns how many rows were removed. */
export async function purgeInBatches(removeBatch: () => Promise<number>, batchSize = purgeBatchSize): Promise<number> {
  for (let removed = 0; ; ) {
    const batch = await removeBatch();
    removed += batch;
    if (batch < batchSize) return removed;
  }
}

type Remove = (transaction: Prisma.TransactionClient) => Promise<Prisma.BatchPayload>;

/** Removes for good what the database need not keep any longer, between the changes of others. */
export class Purge {
  readonly #changes: ChangeQueue;
  #stopped = false;

  constructor(changes: ChangeQueue) {
    this.#changes = changes;
  }

  /** A purge under way ends after its present batch; nothing else is removed from then on. */
  stop(): void {
    this.#stopped = true;
  }

  /** The idempotency records that have expired. */
  async idempotentCreates(now: Date): Promise<void> {
    const where = { expiresAt: { lte: now } };
    await this.#remove((transaction) => transaction.idempotentCreate.deleteMany({ where, limit: purgeBatchSize }));
  }

  /** The hourly counts before a moment. */
  async usageHours(before: Date): Promise<void> {
    const old = { where: { hour: { lt: before } }, limit: purgeBatchSize };
    await this.#remove((transaction) => transaction.usageHour.deleteMany(old));
    await this.#remove((transaction) => transaction.teamUsageHour.deleteMany(old));
  }

  /** The audit entries before a moment. Returns how many there were. */
  async auditEntries(before: Date): Promise<number> {
    const where = { at: { lt: before } };
    return await this.#remove((transaction) => transaction.auditEntry.deleteMany({ where, limit: purgeBatchSize }));
  }

  /**
   * The keys that were revoked before a moment, with their use. Imported keys stay: the row of a revoked one is what
   * keeps the same secret, imported by another team or by its other digest, from being accepted. A key made here can't be
   * imported. Returns how many there were.
   *
   * An instance that has not asked the store since before such a key was revoked may have it in its cache as valid, and
   * would never learn of the revocation from a row that is gone. So first of all every cache is made to be forgotten;
   * only keys that were revoked before that are purged, whatever the clock of the instance that revoked them said.
   */
  async revokedKeys(before: Date): Promise<number> {
    const old = { revokedAt: { lt: before }, importRevision: null };
    const revision = this.#stopped ? null : await this.#forgetCaches(old);
    if (revision === null) return 0;
    const where = { ...old, revision: { lt: revision } };
    return await purgeInBatches(() => this.#purgeKeys(where), keyBatchSize);
  }

  /** Returns the revision from which on no cache has anything of before; null where there are no such keys. */
  async #forgetCaches(where: Prisma.ApiKeyWhereInput): Promise<bigint | null> {
    let revision: bigint | null = null;
    await this.#changes.perform(async (transaction) => {
      if ((await transaction.apiKey.findFirst({ where, select: { id: true } })) === null) return;
      // A cache that is so many changes behind is not brought up to date, but filled anew, in every version.
      const increment = maxChanges + 1;
      const { current } = await transaction.revision.update({ where: { id: 1 }, data: { current: { increment } } });
      revision = current;
    });
    return revision;
  }

  async #purgeKeys(where: Prisma.ApiKeyWhereInput): Promise<number> {
    let ids: string[] = [];
    await this.#changes.perform(async (transaction) => {
      const rows = await transaction.apiKey.findMany({ where, select: { id: true }, take: keyBatchSize });
      ids = rows.map(({ id }) => id);
    });
    // A key can have thousands of hours.
    const hours = { where: { keyId: { in: ids } }, limit: purgeBatchSize };
    await this.#remove((transaction) => transaction.usageHour.deleteMany(hours));
    let removed = 0;
    if (ids.length === 0 || this.#stopped) return removed;
    await this.#changes.perform(async (transaction) => {
      const keys = await transaction.apiKey.findMany({
        where: { AND: [where, { id: { in: ids } }] },
        select: { id: true },
      });
      const purged = { in: keys.map(({ id }) => id) };
      await transaction.keyUsage.deleteMany({ where: { keyId: purged } });
      removed = (await transaction.apiKey.deleteMany({ where: { id: purged } })).count;
    });
    return removed;
  }

  async #remove(remove: Remove): Promise<number> {
    return await purgeInBatches(async () => {
      let removed = 0;
      if (this.#stopped) return removed;
      await this.#changes.perform(async (transaction) => {
        removed = (await remove(transaction)).count;
      });
      return removed;
    });
  }
}
