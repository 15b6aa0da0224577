/**
 * The position of the operator's subscription in the log, and the times up to which events about times are written. These
 * times are saved in the transaction that writes the events.
 */
import type { RowWrite } from '../changes/change.ts';
import { takeRevisions } from '../changes/revisions.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

/** A JSON object. Only the job that owns the id reads and writes it. */
export type ProgressState = Readonly<Record<string, unknown>>;

export type ProgressStates = ReadonlyMap<string, ProgressState>;

export class EventProgress {
  readonly #reader: PrismaClient;

  constructor(reader: PrismaClient) {
    this.#reader = reader;
  }

  /** Returns the states whose ids start with a prefix. */
  async list(prefix: string): Promise<ProgressStates> {
    return await queryStore(() => progressIn(this.#reader, prefix));
  }
}

/** Returns the states as a transaction sees them. Under the lock of all changes, no other instance changes them. */
export async function progressIn(
  { eventProgress }: Pick<Prisma.TransactionClient, 'eventProgress'>,
  prefix: string,
): Promise<ProgressStates> {
  const rows = await eventProgress.findMany({ where: { id: { startsWith: prefix } } });
  return new Map(rows.map(({ id, state }) => [id, state as ProgressState]));
}

export function saveProgress(id: string, progress: ProgressState): RowWrite {
  // Prisma's types for JSON columns do not accept unknown members.
  const state = progress as Prisma.InputJsonObject;
  return ({ transaction }) =>
    transaction.eventProgress.upsert({ where: { id }, create: { id, state }, update: { state } });
}

/** Saves the state at the end of the log, unless there is one. The lock keeps both as they are until the commit. */
export function beginProgress(id: string, stateAt: (end: bigint) => ProgressState): RowWrite {
  return async (bulk) => {
    const { current: end } = await takeRevisions(bulk.transaction, 0);
    if (!(await progressIn(bulk.transaction, id)).has(id)) await saveProgress(id, stateAt(end))(bulk);
  };
}
