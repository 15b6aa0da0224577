/**
 * Which instance does a job that only one instance at a time should do. The instance writes its name and a number, the
 * beat, into the row of the job, and changes the beat with each write. If the beat stands still, another instance may take
 * the job (src/store/job-claim.ts).
 */
import type { ChangeQueue, Work } from '../changes/change-queue.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

/** The row of each job. Instances before 0.2 know only the first one. The others are inserted when they are first taken. */
const rowIds = { deliveries: 1, operatorEvents: 2, timeEvents: 3, purge: 4, policies: 5 } as const;

export type Job = keyof typeof rowIds;

export interface Claim {
  /** Empty if no instance does the job. */
  readonly holder: string;
  /** Changes with each write of the holder, and whenever the holder changes. */
  readonly beat: bigint;
}

const unclaimed: Claim = { holder: '', beat: 0n };

/** Before other writes, of which many can wait. Meanwhile another instance would take the claim. */
const beforeOthers = { isFirst: true } as const;

export class Claims {
  readonly #reader: PrismaClient;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, changes: ChangeQueue) {
    this.#reader = reader;
    this.#changes = changes;
  }

  async read(job: Job): Promise<Claim> {
    const where = { id: rowIds[job] };
    const row = await queryStore(() => this.#reader.jobClaim.findUnique({ where }));
    return row === null ? unclaimed : { holder: row.holder, beat: row.beat };
  }

  /**
   * Gives the job to a holder if its claim is still as it was seen, and does the work in the same transaction. Returns the
   * new claim. Returns null, and writes nothing, if the claim is another one: another instance has taken it, or the
   * database was set back.
   */
  async move(job: Job, seen: Claim, holder: string, work?: Work<unknown>): Promise<Claim | null> {
    return await this.#changes.housekeep(async (transaction, bulk) => {
      const moved = await moveRow(transaction, rowIds[job], seen, holder);
      if (moved !== null) await work?.(transaction, bulk);
      return moved;
    }, beforeOthers);
  }
}

async function moveRow(
  transaction: Prisma.TransactionClient,
  id: number,
  { holder: lastHolder, beat }: Claim,
  holder: string,
): Promise<Claim | null> {
  if (beat === 0n) {
    await transaction.$executeRaw`
      INSERT INTO "EventWorker" ("id", "holder", "beat") VALUES (${id}, '', 0) ON CONFLICT DO NOTHING`;
  }
  const where = { id, holder: lastHolder, beat };
  const { count } = await transaction.jobClaim.updateMany({ where, data: { holder, beat: { increment: 1 } } });
  return count === 0 ? null : { holder, beat: beat + 1n };
}
