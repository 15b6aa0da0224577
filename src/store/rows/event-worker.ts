/** What the instance that delivers events reads and writes. */
import type { Delivery } from '../../domain/webhook/delivery.ts';
import type { DisabledReason, Webhook } from '../../domain/webhook/webhook.ts';
import { type BulkRows, recordset } from '../changes/bulk-rows.ts';
import type { NewEntry } from '../changes/change.ts';
import type { ChangeQueue, Work } from '../changes/change-queue.ts';
import { appendEntries, takeRevisions } from '../changes/log.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import type { JobClaim } from '../job-claim.ts';
import { queryStore } from '../unavailable.ts';
import type { Claim } from './claims.ts';
import { recordDeliveries, trimDeliveries } from './deliveries.ts';
import { webhookFromRow } from './webhooks.ts';

export interface DisabledWebhook {
  readonly webhook: Webhook;
  readonly reason: Exclude<DisabledReason, 'MANUAL'>;
  readonly at: Date;
  readonly entry: NewEntry;
}

/** What became of deliveries since the last time. */
export interface WorkerProgress {
  readonly deliveries: readonly Delivery[];
  readonly cursors: readonly Pick<Webhook, 'id' | 'cursor'>[];
  readonly disabled: readonly DisabledWebhook[];
  /** The endpoints whose log of deliveries is cut to its maximum length. */
  readonly trimmed: readonly string[];
  /** Whether the claim is given up, because nothing is left to do. */
  readonly isReleased: boolean;
}

/** An enabled endpoint, and what there is to do for it. */
export interface EnabledWebhook {
  readonly webhook: Webhook;
  /** Whether the log has entries of its team after its cursor. */
  readonly isBehind: boolean;
  readonly hasPending: boolean;
}

export class EventWorker {
  readonly #reader: PrismaClient;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, changes: ChangeQueue) {
    this.#reader = reader;
    this.#changes = changes;
  }

  /**
   * Writes the progress of the holder, which keeps the claim or gives it up. Returns the new claim; null, and writes
   * nothing, if another instance has taken it or the database was set back.
   */
  async save(claim: JobClaim, progress: WorkerProgress): Promise<Claim | null> {
    const { deliveries, cursors, disabled, trimmed, isReleased } = progress;
    const work: Work = async (_, bulk) => {
      // First, like all writers of the log.
      const before = disabled.length === 0 ? 0n : await takeRevisions(bulk, disabled.length);
      const sorted = deliveries.toSorted(inOrder);
      for (let i = 0; i < sorted.length; i += rowsPerStatement) {
        await recordDeliveries(bulk, sorted.slice(i, i + rowsPerStatement));
      }
      await moveCursors(bulk, cursors);
      const entries: NewEntry[] = [];
      for (const one of disabled) if (await disable(bulk, one)) entries.push(one.entry);
      await appendEntries(bulk, before, entries);
      for (const id of trimmed) await trimDeliveries(bulk, id);
    };
    return isReleased ? await claim.release(work) : await claim.write(work);
  }

  /**
   * Sets cursors after the end of the log back to it. They are there if the database was restored or a replica has taken
   * over, and the revisions are given to other events. What is stored about these revisions is deleted.
   */
  async resetCursors(): Promise<void> {
    await this.#changes.housekeep(async (transaction) => {
      const { current } = await transaction.revision.findUniqueOrThrow({ where: { id: 1 } });
      const late = await transaction.webhook.findMany({ where: { cursor: { gt: current } }, select: { id: true } });
      for (const { id } of late) {
        await transaction.delivery.deleteMany({ where: { webhookId: id, revision: { gt: current } } });
        await transaction.webhook.updateMany({ where: { id, cursor: { gt: current } }, data: { cursor: current } });
      }
    });
  }

  /** Returns enabled endpoints in the order of their ids, after an id. */
  async enabled(after: string, limit: number): Promise<EnabledWebhook[]> {
    const rows = await queryStore(() =>
      this.#reader.webhook.findMany({
        where: { id: { gt: after }, disabledAt: null },
        orderBy: { id: 'asc' },
        take: limit,
      }),
    );
    const last = rows.at(-1);
    if (last === undefined) return [];
    const work = await queryStore(
      () => this.#reader.$queryRaw<{ id: string; isBehind: bigint | number; hasPending: bigint | number }[]>`
        SELECT w."id",
          CASE WHEN EXISTS (SELECT 1 FROM "AuditEntry" a WHERE a."teamId" = w."teamId" AND a."revision" > w."cursor")
            THEN 1 ELSE 0 END AS "isBehind",
          CASE WHEN EXISTS (SELECT 1 FROM "Delivery" d WHERE d."webhookId" = w."id" AND d."nextAttemptAt" IS NOT NULL)
            THEN 1 ELSE 0 END AS "hasPending"
        FROM "Webhook" w WHERE w."id" > ${after} AND w."id" <= ${last.id} AND w."disabledAt" IS NULL`,
    );
    const byId = new Map(work.map((flags) => [flags.id, flags]));
    return rows.map((row) => {
      const flags = byId.get(row.id);
      return {
        webhook: webhookFromRow(row),
        isBehind: Number(flags?.isBehind ?? 1) === 1,
        hasPending: Number(flags?.hasPending ?? 1) === 1,
      };
    });
  }
}

/** About 200 kB: a statement on SQLite blocks the thread. */
const rowsPerStatement = 100;

/** The order in which all transactions lock the rows, so that they don't wait for each other. */
function inOrder(a: Delivery, b: Delivery): number {
  if (a.webhookId !== b.webhookId) return a.webhookId < b.webhookId ? -1 : 1;
  return a.revision < b.revision ? -1 : 1;
}

async function moveCursors(bulk: BulkRows, cursors: WorkerProgress['cursors']): Promise<void> {
  const columns = ['id', 'cursor'] as const;
  const rows = recordset<Pick<Webhook, 'id' | 'cursor'>>(bulk.dialect, { name: 'Webhook', columns });
  const statement = `UPDATE "Webhook" AS w SET "cursor" = r."cursor" FROM ${rows} AS r
    WHERE w."id" = r."id" AND w."cursor" < r."cursor"`;
  await bulk.execute(statement, { columns }, cursors);
}

/** Disables an endpoint, unless a person has changed it since. */
async function disable({ transaction }: BulkRows, { webhook, reason, at }: DisabledWebhook): Promise<boolean> {
  const { id, version } = webhook;
  const { count } = await transaction.webhook.updateMany({
    where: { id, version, disabledAt: null },
    data: { disabledAt: at, disabledReason: reason, version: { increment: 1 } },
  });
  return count > 0;
}
