import { sqltag as sql } from '@prisma/client/runtime/client';
import type { ChangeQueue } from '../changes/change-queue.ts';
import { takeRevisions } from '../changes/revisions.ts';
import { maxChanges } from '../feed/key-feed.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { keyBatchSize, type PurgeableKeys, purgeableKeys } from './purgeable-keys.ts';

/** Rows per transaction. A small batch does not delay changes and stays within the statement timeout. */
export const purgeBatchSize = 2000;
/** Its place among all writes, which take turns. */
const turn = { holder: 'the purge' };

/** Removes rows in batches until a batch is not full. Returns the number of removed rows. */
export async function purgeInBatches(removeBatch: () => Promise<number>, batchSize = purgeBatchSize): Promise<number> {
  for (let removed = 0; ; ) {
    const batch = await removeBatch();
    removed += batch;
    if (batch < batchSize) return removed;
  }
}

type Remove = (transaction: Prisma.TransactionClient) => Promise<Prisma.BatchPayload>;

/** Returns up to where the operator has got the log (src/events/operator); null if the subscription has not started. */
async function operatorCursor(transaction: Prisma.TransactionClient): Promise<bigint | null> {
  const row = await transaction.eventProgress.findUnique({ where: { id: 'operator' } });
  const { revision } = (row?.state ?? {}) as { readonly revision?: string };
  return revision === undefined ? null : BigInt(revision);
}

/** Deletes data whose retention has ended, in batches between other changes. */
export class Purge {
  readonly #changes: ChangeQueue;
  readonly #slowReader: PrismaClient;
  readonly #mayContinue: () => Promise<boolean>;

  constructor(changes: ChangeQueue, slowReader: PrismaClient, mayContinue = async () => true) {
    this.#changes = changes;
    this.#slowReader = slowReader;
    this.#mayContinue = mayContinue;
  }

  /** Returns a purge that calls back before each transaction, and ends once it gets false. */
  while(mayContinue: () => Promise<boolean>): Purge {
    return new Purge(this.#changes, this.#slowReader, mayContinue);
  }

  async idempotentCreates(now: Date): Promise<void> {
    const where = { expiresAt: { lte: now } };
    await this.#remove((transaction) => transaction.idempotentCreate.deleteMany({ where, limit: purgeBatchSize }));
  }

  async endedSessions(now: Date): Promise<void> {
    const where = { expiresAt: { lte: now } };
    await this.#remove((transaction) => transaction.endedSession.deleteMany({ where, limit: purgeBatchSize }));
  }

  async usageHours(before: Date): Promise<void> {
    const old = { where: { hour: { lt: before } }, limit: purgeBatchSize };
    await this.#remove((transaction) => transaction.usageHour.deleteMany(old));
    await this.#remove((transaction) => transaction.teamUsageHour.deleteMany(old));
    const oldDays = { where: { day: { lt: before } }, limit: purgeBatchSize };
    await this.#remove((transaction) => transaction.usageDay.deleteMany(oldDays));
    await this.#remove((transaction) => transaction.secretUsageHour.deleteMany(old));
    await this.#remove((transaction) => transaction.rejectedHour.deleteMany(old));
    const unused = { where: { lastUsedAt: { lt: before } }, limit: purgeBatchSize };
    await this.#remove((transaction) => transaction.derivedUse.deleteMany(unused));
  }

  /** Deletes the verifiers that were not heard of since a time. */
  async verifiers(before: Date): Promise<void> {
    const old = { where: { seenAt: { lt: before } }, limit: purgeBatchSize };
    await this.#remove((transaction) => transaction.verifier.deleteMany(old));
  }

  /** Deletes when changes were answered, before a time. */
  async answeredChanges(before: Date): Promise<void> {
    const old = { where: { answeredAt: { lt: before } }, limit: purgeBatchSize };
    await this.#remove((transaction) => transaction.answeredChange.deleteMany(old));
  }

  /** Deletes the observed sources that were last seen before a time. */
  async observedSources(before: Date): Promise<void> {
    const old = { where: { lastAt: { lt: before } }, limit: purgeBatchSize };
    await this.#remove((transaction) => transaction.observedSource.deleteMany(old));
  }

  async sourceDays(before: Date): Promise<void> {
    const old = { where: { day: { lt: before } }, limit: purgeBatchSize };
    await this.#remove((transaction) => transaction.sourceDay.deleteMany(old));
  }

  /**
   * Deletes the audit entries before a time. Returns their number. Keeps those that an enabled webhook of their team
   * has yet to get, by its cursor or its deliveries, and with `isOperatorSubscribed` those that the subscription of the
   * operator has yet to get.
   */
  async auditEntries(before: Date, isOperatorSubscribed: boolean): Promise<number> {
    return await this.#remove(async (transaction) => {
      const passed = isOperatorSubscribed ? await operatorCursor(transaction) : null;
      const count = await transaction.$executeRaw`
        DELETE FROM "AuditEntry" WHERE "revision" IN (
          SELECT a."revision" FROM "AuditEntry" a
          WHERE a."at" < ${before} ${passed === null ? sql`` : sql`AND a."revision" <= ${passed}`} AND NOT EXISTS (
            SELECT 1 FROM "Webhook" w
            WHERE w."teamId" = a."teamId" AND w."disabledAt" IS NULL AND (w."cursor" < a."revision" OR EXISTS (
              SELECT 1 FROM "Delivery" d
              WHERE d."webhookId" = w."id" AND d."revision" = a."revision" AND d."nextAttemptAt" IS NOT NULL)))
          LIMIT ${purgeBatchSize})`;
      return { count };
    });
  }

  /** Deletes the deliveries before a time. Keeps those of a webhook that are pending. */
  async deliveries(before: Date): Promise<void> {
    await this.#remove(async (transaction) => {
      const count = await transaction.$executeRaw`
        DELETE FROM "Delivery" WHERE ("webhookId", "revision") IN (
          SELECT d."webhookId", d."revision" FROM "Delivery" d
          WHERE d."createdAt" < ${before} AND NOT EXISTS (
            SELECT 1 FROM "Webhook" w
            WHERE w."id" = d."webhookId" AND d."nextAttemptAt" IS NOT NULL)
          LIMIT ${purgeBatchSize})`;
      return { count };
    });
  }

  /**
   * Deletes the keys that were revoked before a time, if `purgeableKeys` has them: with the others, a secret would be
   * forgotten that could be stored again.
   *
   * A cache that has not read a revocation can't read it from a deleted row. So this method first invalidates every
   * cache, with a new revision. It deletes only keys with an earlier one, so that clocks don't matter.
   */
  async revokedKeys(before: Date): Promise<number> {
    // With millions of keys, passing over the kept ones takes seconds, in which no key could be changed.
    const first = (of: PurgeableKeys) => queryStore(() => purgeableKeys(this.#slowReader, of));
    const old = { before, from: new Date(0) };
    if ((await first(old)).length === 0 || !(await this.#mayContinue())) return 0;
    const revision = await this.#forgetCaches();
    // Each batch starts where the last one ended, so that no kept key is read twice.
    let { from } = old;
    return await purgeInBatches(async () => {
      const batch = await first({ before, from, revision });
      from = batch.at(-1)?.revokedAt ?? from;
      const ids = batch.map(({ id }) => id);
      return await this.#purgeKeys({ ...old, revision, ids });
    }, keyBatchSize);
  }

  /** Invalidates every cache. Returns the new revision. */
  async #forgetCaches(): Promise<bigint> {
    // Every version of Latchkey clears a cache that is more than `maxChanges` revisions behind.
    const { current } = await this.#changes.housekeep((client) => takeRevisions(client, maxChanges + 1), turn);
    return current;
  }

  /** Deletes those of the keys that can still be purged. Returns their number. */
  async #purgeKeys(purgeable: PurgeableKeys & { readonly ids: string[] }): Promise<number> {
    const { ids } = purgeable;
    // Usage rows are deleted in separate batches, because a key can have thousands.
    const rows = { where: { keyId: { in: ids } }, limit: purgeBatchSize };
    await this.#remove((transaction) => transaction.usageHour.deleteMany(rows));
    await this.#remove((transaction) => transaction.usageDay.deleteMany(rows));
    await this.#remove((transaction) => transaction.secretUsageHour.deleteMany(rows));
    await this.#remove((transaction) => transaction.observedSource.deleteMany(rows));
    await this.#remove((transaction) => transaction.sourceDay.deleteMany(rows));
    await this.#remove((transaction) => transaction.exposure.deleteMany(rows));
    await this.#remove((transaction) => transaction.derivedUse.deleteMany(rows));
    if (ids.length === 0 || !(await this.#mayContinue())) return 0;
    return await this.#changes.housekeep(async (transaction) => {
      const keys = await purgeableKeys(transaction, purgeable);
      const purged = { in: keys.map(({ id }) => id) };
      await transaction.keyUsage.deleteMany({ where: { keyId: purged } });
      await transaction.secretUse.deleteMany({ where: { keyId: purged } });
      await transaction.rotatedSecret.deleteMany({ where: { keyId: purged } });
      return (await transaction.apiKey.deleteMany({ where: { id: purged } })).count;
    }, turn);
  }

  async #remove(remove: Remove): Promise<number> {
    return await purgeInBatches(async () => {
      return (await this.#mayContinue()) ? (await this.#changes.housekeep(remove, turn)).count : 0;
    });
  }
}
