/**
 * How far readers of the log that are no webhooks have come, and up to when the events about times are written. A state is
 * saved in the transaction that writes what it is about.
 */
import type { BulkRows } from '../changes/bulk-rows.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

/** A JSON object. Only who owns the id reads and writes it. */
export type ProgressState = Readonly<Record<string, unknown>>;

export type ProgressStates = ReadonlyMap<string, ProgressState>;

export class EventProgress {
  readonly #reader: PrismaClient;

  constructor(reader: PrismaClient) {
    this.#reader = reader;
  }

  /** Returns the states whose ids start with a prefix. */
  async list(prefix: string): Promise<ProgressStates> {
    return await queryStore(() => readStates(this.#reader, prefix));
  }
}

/** Returns the states as a transaction sees them. Take revisions first: then no other instance changes them. */
export async function progressIn({ transaction }: BulkRows, prefix: string): Promise<ProgressStates> {
  return await readStates(transaction, prefix);
}

export async function saveProgress({ transaction }: BulkRows, id: string, progress: ProgressState): Promise<void> {
  // Prisma's types for JSON columns do not accept unknown members.
  const state = progress as Prisma.InputJsonObject;
  await transaction.eventProgress.upsert({ where: { id }, create: { id, state }, update: { state } });
}

async function readStates(client: Pick<Prisma.TransactionClient, 'eventProgress'>, prefix: string) {
  const rows = await client.eventProgress.findMany({ where: { id: { startsWith: prefix } } });
  return new Map(rows.map(({ id, state }) => [id, state as ProgressState]));
}
