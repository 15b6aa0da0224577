/** Which deliveries to an endpoint fail. Every read is limited, however many deliveries an endpoint has. */
import { type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { DeliveryHealth, DeliveryOutcome } from '../../domain/webhook/delivery.ts';
import { lastAttemptAt } from '../../domain/webhook/retry-schedule.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { maxPending } from './delivery-queue.ts';

/** How many deliveries are looked through: pending new events and replays, those with most attempts first, and newest. */
interface Scanned {
  readonly events: number;
  readonly replays: number;
  readonly newest: number;
}

/** An endpoint has hardly more new events pending. schema.graphql names these numbers. */
const ofHealth: Scanned = { events: maxPending, replays: 100, newest: 200 };
const ofFailed: Scanned = { events: 5000, replays: 5000, newest: 5000 };

/** A number or a time, as the driver returns it. */
type Numeric = bigint | number;
interface Group {
  readonly outcome: DeliveryOutcome;
  readonly attempts: Numeric;
  readonly count: Numeric;
  readonly next: Date | string | null;
}

const columns = sql`d."revision", d."type", d."outcome", d."attempts", d."nextAttemptAt"`;

/** Of the pending deliveries, those with most attempts first: they wait longest for the next one. */
function pending(webhookId: string, isReplay: boolean, limit: number): Sql {
  return sql`SELECT * FROM (SELECT ${columns} FROM "Delivery" d
    WHERE d."webhookId" = ${webhookId} AND d."isReplay" = ${isReplay} AND d."nextAttemptAt" IS NOT NULL
    ORDER BY d."nextAttemptAt" DESC LIMIT ${limit}) AS p WHERE "attempts" > 0`;
}

/** The settled ones of the newest deliveries. */
function settled(webhookId: string, limit: number): Sql {
  return sql`SELECT * FROM (SELECT ${columns} FROM "Delivery" d
    WHERE d."webhookId" = ${webhookId} ORDER BY d."revision" DESC LIMIT ${limit}) AS s WHERE "nextAttemptAt" IS NULL`;
}

function attempted(webhookId: string, { events, replays, newest }: Scanned): Sql {
  const parts = sql`${pending(webhookId, false, events)}
    UNION ALL ${pending(webhookId, true, replays)} UNION ALL ${settled(webhookId, newest)}`;
  return sql`(SELECT * FROM (${parts}) AS a WHERE "type" <> 'webhook.tested') AS attempted`;
}

export class FailedDeliveries {
  readonly #reader: PrismaClient;

  constructor(reader: PrismaClient) {
    this.#reader = reader;
  }

  /** Returns the health of each endpoint. */
  async health(webhookIds: readonly string[]): Promise<ReadonlyMap<string, DeliveryHealth>> {
    const read = async (id: string) => [id, healthIn(await this.#groups(id))] as const;
    return new Map(await Promise.all(webhookIds.map(read)));
  }

  async #groups(webhookId: string): Promise<Group[]> {
    return await queryStore(
      () => this.#reader.$queryRaw<Group[]>`
        SELECT "outcome", "attempts", COUNT(*) AS "count", MIN("nextAttemptAt") AS "next"
        FROM ${attempted(webhookId, ofHealth)} GROUP BY "outcome", "attempts"`,
    );
  }

  /** Returns the revisions of the events whose last attempt failed, oldest first, and which of them are pending. */
  async list(webhookId: string, limit: number) {
    const rows = await queryStore(
      () => this.#reader.$queryRaw<{ readonly revision: Numeric; readonly outcome: DeliveryOutcome }[]>`
        SELECT "revision", "outcome" FROM ${attempted(webhookId, ofFailed)}
        WHERE "outcome" <> 'DELIVERED' ORDER BY "revision" LIMIT ${limit}`,
    );
    return rows.map(({ revision, outcome }) => ({ revision: BigInt(revision), isPending: outcome === 'PENDING' }));
  }
}

function healthIn(groups: readonly Group[]): DeliveryHealth {
  const counted = (outcome: DeliveryOutcome) =>
    groups.reduce((sum, group) => sum + (group.outcome === outcome ? Number(group.count) : 0), 0);
  const ends = groups.flatMap(({ attempts, next }) =>
    next === null ? [] : [lastAttemptAt(Number(attempts), new Date(next)).getTime()],
  );
  return {
    delivered: counted('DELIVERED'),
    failed: counted('FAILED'),
    retrying: counted('PENDING'),
    disablesAt: ends.length === 0 ? null : new Date(Math.min(...ends)),
  };
}
