import { sqltag as sql } from '@prisma/client/runtime/client';
import type { Delivery, DeliveryOutcome } from '../../domain/webhook/delivery.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import { type BulkRows, deliveryTable, insertion } from '../changes/bulk-rows.ts';
import { type ChangeCaller, Decision, type RowWrite } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { purgeBatchSize, purgeInBatches } from './purge.ts';
import { webhookWithId } from './webhooks.ts';

export interface DeliveryListing {
  readonly webhookId: string;
  readonly outcome?: DeliveryOutcome | null | undefined;
  /** Only events before this revision. */
  readonly before?: bigint | null | undefined;
  /** The revision of the last event to read. */
  readonly last?: bigint | null | undefined;
  readonly limit: number;
}

/**
 * How many deliveries to an endpoint are kept. Older ones are deleted, a batch for each `trimDeliveries`, unless they are
 * pending, or after the cursor, so that an event that an instance before 0.2 has sent is not sent again.
 * docs/reference/service.md has this number.
 */
export const keptDeliveries = 2000;
const trimBatchSize = 500;

/** The maximum number of deliveries that are read for one page with an outcome. */
const maxScannedDeliveries = 5000;

/** The event of a delivery, as an entry of the log has it. */
export type DeliveredEvent = Pick<Delivery, 'revision' | 'type' | 'keyId'>;

/** What became of the events of the last days at each endpoint. */
export class Deliveries {
  readonly #reader: PrismaClient;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, changes: ChangeQueue) {
    this.#reader = reader;
    this.#changes = changes;
  }

  /** Lists the deliveries of an endpoint, newest events first. */
  async list({ webhookId, outcome, before, last, limit }: DeliveryListing): Promise<Delivery[]> {
    const where: Prisma.DeliveryWhereInput = {
      webhookId,
      ...(outcome == null ? {} : { outcome }),
      revision: { ...(before == null ? {} : { lt: before }), ...(last == null ? {} : { gte: last }) },
    };
    const rows = await queryStore(() =>
      this.#reader.delivery.findMany({ where, orderBy: { revision: 'desc' }, take: limit }),
    );
    return rows.map(deliveryFromRow);
  }

  /** Returns the revision of the last delivery to compare with an outcome; null if the list ends before. */
  async lastToScan({ webhookId, before }: Pick<DeliveryListing, 'webhookId' | 'before'>): Promise<bigint | null> {
    const row = await queryStore(() =>
      this.#reader.delivery.findFirst({
        where: { webhookId, ...(before == null ? {} : { revision: { lt: before } }) },
        select: { revision: true },
        orderBy: { revision: 'desc' },
        skip: maxScannedDeliveries - 1,
      }),
    );
    return row?.revision ?? null;
  }

  /** Returns the delivery of the newest event that was attempted at each endpoint, by endpoint. */
  async latest(webhookIds: readonly string[]): Promise<ReadonlyMap<string, Delivery>> {
    const found = await Promise.all(
      webhookIds.map((webhookId) =>
        queryStore(() =>
          this.#reader.delivery.findFirst({
            where: { webhookId, attemptedAt: { not: null } },
            orderBy: { revision: 'desc' },
          }),
        ),
      ),
    );
    return new Map(found.flatMap((row) => (row === null ? [] : [[row.webhookId, deliveryFromRow(row)]])));
  }

  /** Returns the number of pending deliveries to an endpoint, but at most `limit`. */
  async countPending(webhookId: string, limit: number): Promise<number> {
    const where = { webhookId, nextAttemptAt: { not: null } };
    // By default, Prisma orders limited reads by the primary key, which all deliveries to the endpoint are in.
    const orderBy: Prisma.DeliveryOrderByWithRelationInput[] = [{ isReplay: 'asc' }, { nextAttemptAt: 'asc' }];
    return await queryStore(() => this.#reader.delivery.count({ where, orderBy, take: limit }));
  }

  /**
   * Makes the pending deliveries to a disabled endpoint due, as if not attempted, in batches, each of which is a change
   * without an entry. Ends once the endpoint is enabled or deleted: it gets no new deliveries until then.
   * @param caller none is made due after its credential has ended
   */
  async makeDue(webhookId: string, now: Date, caller: ChangeCaller): Promise<void> {
    await purgeInBatches(async () => {
      let count = 0;
      const write: RowWrite = async (bulk) => {
        count = await makeDueIn(bulk, webhookId, now);
      };
      await this.#changes.submit({
        queueKey: webhookId,
        caller,
        load: webhookWithId(webhookId),
        decide: (webhook) => new Decision(undefined, webhook?.disabledAt == null ? undefined : { rows: [write] }),
      });
      return count;
    }, dueBatchSize);
  }

  /** Records a test delivery. */
  async insert(delivery: Delivery): Promise<void> {
    await this.#changes.housekeep(
      async (_, bulk) => {
        await recordDeliveries(bulk, [delivery]);
        await trimDeliveries(bulk, delivery.webhookId);
      },
      { holder: delivery.webhookId },
    );
  }

  /** Deletes the deliveries to an endpoint that was deleted, in batches between other changes. */
  async removeAll(webhookId: string): Promise<void> {
    const turn = { holder: webhookId };
    await purgeInBatches(() => this.#changes.housekeep((_, bulk) => removeIn(bulk, webhookId), turn));
  }
}

/** Writes no row of an endpoint that was deleted meanwhile. */
const hasEndpoint = sql`EXISTS (SELECT 1 FROM "Webhook" w WHERE w."id" = r."webhookId")`;

/**
 * Writes what became of attempts. A delivery that is settled stays as it is, and so does one that was replayed after
 * `createdAt`, because its event is to be sent again. If the attempt settled the event, that is a replay, for which no new
 * event waits.
 */
export async function recordDeliveries(bulk: BulkRows, deliveries: readonly Delivery[]): Promise<void> {
  await bulk.execute(
    deliveryTable,
    deliveries,
    (rows) => sql`${insertion(deliveryTable, rows, hasEndpoint)}
      WHERE "Delivery"."createdAt" <= excluded."createdAt" AND "Delivery"."nextAttemptAt" IS NOT NULL`,
  );
  await bulk.execute(
    { name: 'Delivery', columns: ['webhookId', 'revision', 'createdAt'] },
    deliveries.filter(({ nextAttemptAt }) => nextAttemptAt === null),
    (rows) => sql`UPDATE "Delivery" AS d SET "isReplay" = true FROM ${rows} AS r
      WHERE d."webhookId" = r."webhookId" AND d."revision" = r."revision" AND d."createdAt" > r."createdAt"
        AND d."nextAttemptAt" IS NOT NULL`,
  );
}

/** Like `recordDeliveries`, with a change. */
export function recordDelivery(delivery: Delivery): RowWrite {
  return (bulk) => recordDeliveries(bulk, [delivery]);
}

/**
 * Deletes a batch of the settled deliveries to an endpoint that are older than those that are kept. Reads at most
 * `keptDeliveries` entries of the index, the pending deliveries of the endpoint, and the batch.
 */
export async function trimDeliveries({ transaction, provider }: BulkRows, webhookId: string): Promise<void> {
  // Waits for no other transaction, so that it can't be part of a deadlock.
  const lock = provider === 'postgresql' ? sql`FOR UPDATE OF d SKIP LOCKED` : sql``;
  await transaction.$executeRaw`
    DELETE FROM "Delivery" WHERE "webhookId" = ${webhookId} AND "revision" IN (
      SELECT d."revision" FROM "Delivery" d
      WHERE d."webhookId" = ${webhookId} AND d."nextAttemptAt" IS NULL
        AND d."revision" <= (SELECT w."cursor" FROM "Webhook" w WHERE w."id" = ${webhookId})
        AND d."revision" < (
          SELECT k."revision" FROM "Delivery" k WHERE k."webhookId" = ${webhookId}
          ORDER BY k."revision" DESC LIMIT 1 OFFSET ${keptDeliveries - 1})
      ORDER BY d."revision" DESC LIMIT ${trimBatchSize} ${lock})`;
}

type Replaying = Pick<Webhook, 'id' | 'cursor'>;

/**
 * Makes events due again at an endpoint, with the entry EVENTS_REPLAYED of the log, which tells the worker. An event that
 * is pending stays a new one: later ones of its key must wait for it.
 */
export function replayDeliveries(webhook: Replaying, events: readonly DeliveredEvent[], now: Date): RowWrite {
  const isReplay = sql`"isReplay" = "Delivery"."nextAttemptAt" IS NULL OR "Delivery"."isReplay"`;
  return (bulk) =>
    bulk.execute(
      deliveryTable,
      replayedRows(webhook, events, now),
      (rows) => sql`${insertion(deliveryTable, rows, hasEndpoint)}, ${isReplay}`,
    );
}

/** The rows that `replayDeliveries` writes. The endpoint gets the events after its cursor anyway, after earlier ones. */
export function replayedRows({ id, cursor }: Replaying, events: readonly DeliveredEvent[], now: Date) {
  return events
    .filter(({ revision }) => revision <= cursor)
    .map(({ revision, type, keyId }) => {
      return { ...notAttempted(now), webhookId: id, revision, type, keyId, isReplay: true };
    });
}

/** A delivery of a new event that is due and was not attempted. */
export function notAttempted(now: Date) {
  return {
    outcome: 'PENDING',
    attempts: 0,
    status: null,
    error: null,
    durationMs: null,
    responseBody: null,
    createdAt: now,
    attemptedAt: null,
    nextAttemptAt: now,
    isReplay: false,
  } as const;
}

/** Rows per transaction: it locks out all other changes. */
const dueBatchSize = 1000;

/**
 * Makes pending deliveries due, as if not attempted, with the change that enables their endpoint again: those that
 * `Deliveries.makeDue` has left, but no more than a batch.
 */
export function makeDeliveriesDue(webhookId: string, now: Date): RowWrite {
  return async (bulk) => {
    const count = await makeDueIn(bulk, webhookId, now);
    await bulk.transaction.webhook.updateMany({ where: { id: webhookId }, data: { pausedUntil: null } });
    return count;
  };
}

async function makeDueIn({ transaction }: BulkRows, webhookId: string, now: Date): Promise<number> {
  const isOther = [{ attempts: { gt: 0 } }, { nextAttemptAt: { gt: now } }];
  const { count } = await transaction.delivery.updateMany({
    where: { webhookId, nextAttemptAt: { not: null }, OR: isOther },
    data: { attempts: 0, nextAttemptAt: now },
    limit: dueBatchSize,
  });
  return count;
}

/** Deletes a batch of deliveries with their endpoint. `Deliveries.removeAll` deletes the others. */
export function removeDeliveries(webhookId: string): RowWrite {
  return (bulk) => removeIn(bulk, webhookId);
}

async function removeIn({ transaction }: BulkRows, webhookId: string): Promise<number> {
  return (await transaction.delivery.deleteMany({ where: { webhookId }, limit: purgeBatchSize })).count;
}

type Row = Prisma.DeliveryGetPayload<object>;

// Only this file and `fanOut` write the columns `type` and `outcome`.

function deliveryFromRow(row: Row): Delivery {
  return { ...row, type: row.type as Delivery['type'], outcome: row.outcome as DeliveryOutcome };
}
