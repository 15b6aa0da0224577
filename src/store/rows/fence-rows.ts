import type { Fence, UpFence } from '../../domain/fence/fence.ts';
import type { Prisma } from '../generated/sqlite/client.ts';

type Row = Prisma.FenceGetPayload<object>;
type Client = Pick<Prisma.TransactionClient, 'fence'>;

/** Returns the fences of teams, oldest first. */
export async function fencesOf({ fence }: Client, teamIds: readonly string[]): Promise<Fence[]> {
  const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];
  return (await fence.findMany({ where: { teamId: { in: [...teamIds] } }, orderBy })).map(fenceFromRow);
}

export function fenceFromRow({ tags, ...row }: Row): Fence {
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

/** Returns the columns of the fence `f`. */
export function fenceColumns(selectTime: (column: string) => string): string {
  const others = ['teamId', 'env', 'tags', 'externalId', 'responsible'].map((column) => `f."${column}"`);
  return [...others, ...feedFenceTimes.map(selectTime)].join(', ');
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
