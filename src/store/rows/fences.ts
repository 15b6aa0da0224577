import type { Fence } from '../../domain/fence/fence.ts';
import type { Load, RowWrite } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { fenceFromRow, fencesOf } from './fence-rows.ts';

/** For a new fence: the number of those of the team that freeze keys. */
export function fenceCount(teamId: string, now: Date): Load<number> {
  const isUp = [{ until: null }, { until: { gte: now } }];
  return { read: ({ fence }) => fence.count({ where: { teamId, OR: isUp } }) };
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
