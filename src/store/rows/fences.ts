import type { Fence, UpFence } from '../../domain/fence/fence.ts';
import type { Load, RowWrite } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

type Row = Prisma.FenceGetPayload<object>;
type Client = Pick<Prisma.TransactionClient, 'fence'>;

/** For a new fence: the number of those that the team has. */
export function fenceCount(teamId: string): Load<number> {
  return { read: ({ fence }) => fence.count({ where: { teamId } }) };
}

/** For lifting a fence. Null if it does not exist. */
export function fenceWithId(id: string): Load<Fence | null> {
  return {
    read: async ({ fence }) => {
      const row = await fence.findUnique({ where: { id } });
      return row === null ? null : fenceFromRow(row);
    },
  };
}

/** A trigger moves the revision of fences with both. */
export function insertFence({ tags, ...fence }: Fence): RowWrite {
  return ({ transaction }) => transaction.fence.create({ data: { ...fence, tags: [...tags] } });
}

export function removeFence(id: string): RowWrite {
  return ({ transaction }) => transaction.fence.delete({ where: { id } });
}

/** Returns the fences of teams, oldest first. */
export async function fencesOf({ fence }: Client, teamIds: readonly string[]): Promise<Fence[]> {
  const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];
  return (await fence.findMany({ where: { teamId: { in: [...teamIds] } }, orderBy })).map(fenceFromRow);
}

/** The fences of teams that are up. */
export class Fences {
  readonly #reader: PrismaClient;
  readonly #changes: Pick<ChangeQueue, 'housekeep'>;

  constructor(reader: PrismaClient, changes: Pick<ChangeQueue, 'housekeep'>) {
    this.#reader = reader;
    this.#changes = changes;
  }

  async find(id: string): Promise<Fence | null> {
    const row = await queryStore(() => this.#reader.fence.findUnique({ where: { id } }));
    return row === null ? null : fenceFromRow(row);
  }

  async list(teamId: string): Promise<Fence[]> {
    return await queryStore(() => fencesOf(this.#reader, [teamId]));
  }

  /** Returns whether the operator has confirmed that no instance before 0.3 runs. */
  async isConfirmed(): Promise<boolean> {
    return (await queryStore(() => this.#reader.revision.findUniqueOrThrow({ where: { id: 1 } }))).confirmed;
  }

  async confirm(): Promise<void> {
    await this.#changes.housekeep(async ({ revision }) => {
      await revision.update({ where: { id: 1 }, data: { confirmed: true } });
    });
  }

  /** Lists those whose time is over. */
  async ended(now: Date, limit: number): Promise<Fence[]> {
    const where = { until: { lt: now } };
    const rows = await queryStore(() => this.#reader.fence.findMany({ where, orderBy: { until: 'asc' }, take: limit }));
    return rows.map(fenceFromRow);
  }
}

function fenceFromRow({ tags, ...row }: Row): Fence {
  // Only `insertFence`, and operators, write the column.
  return { ...row, tags: listOf(tags) };
}

/** What an operator writes by hand, and is no list of texts, is no condition that a key can meet. */
function listOf(tags: unknown): readonly string[] {
  return Array.isArray(tags) ? tags.map(String) : [String(tags)];
}

/** A row as verification reads it. The types of times and JSON depend on the database. */
export interface FeedFenceRow<List> {
  readonly teamId: string;
  readonly env: UpFence['env'];
  readonly tags: List;
  readonly externalId: string | null;
  readonly responsible: string | null;
  readonly createdBefore: string | null;
  readonly until: string | null;
}

const feedFenceTimes = ['createdBefore', 'until'] as const;

/** Selects the columns of the fence `f`. */
export function selectFences(selectTime: (column: string) => string): string {
  const others = ['teamId', 'env', 'tags', 'externalId', 'responsible'].map((column) => `f."${column}"`);
  return `SELECT ${[...others, ...feedFenceTimes.map(selectTime)].join(', ')} FROM "Fence" f`;
}

export function feedFence<List>(
  row: FeedFenceRow<List>,
  listOfTags: (list: List) => unknown,
  timeOf: (time: string) => number,
): UpFence {
  const moment = (time: string | null) => (time === null ? null : new Date(timeOf(time)));
  return {
    ...row,
    tags: listOf(listOfTags(row.tags)),
    createdBefore: moment(row.createdBefore),
    until: moment(row.until),
  };
}
