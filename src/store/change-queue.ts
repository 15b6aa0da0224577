/**
 * The one way to change keys: decide on a state that nobody else can change meanwhile, then write the key, its audit
 * entry and its revision together or not at all.
 *
 * Changes that arrive while a transaction is under way share the next one (group commit): the disk is synced and the
 * revision taken once for all of them, which is what a database's cost per transaction is made of.
 */
import type { ApiKey } from '../domain/api-key.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { Prisma, PrismaClient } from './generated/sqlite/client.ts';
import { keyFromRow, rowFromKey } from './key-rows.ts';
import { askStore } from './unavailable.ts';

export interface Write {
  /** The key as it shall be, new or changed. */
  readonly key: ApiKey;
  readonly audit: Omit<AuditEntry, 'revision'>;
}

export interface Decision<Answer> {
  readonly answer: Answer;
  /** Absent when there is nothing to change. */
  readonly write?: Write;
}

/** Decides from the state of the store. A thrown refusal concerns this change alone; nothing is written for it. */
export type Change<Answer> =
  | {
      readonly kind: 'create';
      readonly teamId: string;
      /** `unrevokedKeys`: how many keys the team has that are not revoked. */
      readonly decide: (unrevokedKeys: number) => Decision<Answer>;
    }
  | {
      readonly kind: 'existing';
      readonly keyId: string;
      readonly decide: (key: ApiKey | null) => Decision<Answer>;
    };

interface Waiting {
  readonly change: Change<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Settles one change of a group, after the transaction has been committed. */
type Settle = () => void;

const groupSize = 100;
const longestQueue = 2000;
const transactionTimes = { maxWait: 5000, timeout: 10_000 };

export class ChangeQueue {
  readonly #writer: PrismaClient;
  readonly #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;

  constructor(writer: PrismaClient) {
    this.#writer = writer;
  }

  async submit<Answer>(change: Change<Answer>): Promise<Answer> {
    if (this.#waiting.length >= longestQueue) {
      throw new LatchkeyError('UNAVAILABLE', 'Too many changes are waiting; try again shortly.');
    }
    return await new Promise<Answer>((resolve, reject) => {
      // The answer that `resolve` gets is the one that this very change's `decide` gave.
      this.#waiting.push({ change, resolve: resolve as (answer: unknown) => void, reject });
      this.#running ??= this.#run().finally(() => {
        this.#running = null;
      });
    });
  }

  /** Resolves when every change submitted so far has been settled. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Let the requests that arrived in this turn of the event loop join the group.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) await this.#runGroup(this.#waiting.splice(0, groupSize));
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const settlements = await askStore(() =>
        this.#writer.$transaction((transaction) => applyGroup(transaction, group), transactionTimes),
      );
      for (const settle of settlements) settle();
    } catch (error) {
      if (error instanceof LatchkeyError || group.length === 1) for (const { reject } of group) reject(error);
      // One of them can't be written: find out which, so that the others don't suffer for it.
      else for (const waiting of group) await this.#runGroup([waiting]);
    }
  }
}

async function applyGroup(transaction: Prisma.TransactionClient, group: readonly Waiting[]): Promise<Settle[]> {
  // First of all, take the revisions: this locks out every other writer until we commit, so that what is read below
  // can't change and revisions are committed in their order.
  const { current } = await transaction.revision.update({
    where: { id: 1 },
    data: { current: { increment: group.length } },
  });
  let revision = current - BigInt(group.length);
  const keys = await loadKeys(transaction, group);
  const counts = await countKeys(transaction, group);
  const created = new Map<string, Prisma.ApiKeyCreateManyInput>();
  const updated = new Map<string, Prisma.ApiKeyCreateManyInput>();
  const entries: Prisma.AuditEntryCreateManyInput[] = [];

  const settlements = group.map(({ change, resolve, reject }): Settle => {
    try {
      const { answer, write } =
        change.kind === 'create'
          ? change.decide(counts.get(change.teamId) ?? 0)
          : change.decide(keys.get(change.keyId) ?? null);
      if (write !== undefined) {
        revision += 1n;
        const { key, audit } = write;
        (change.kind === 'create' ? created : updated).set(key.id, rowFromKey(key, revision));
        entries.push({
          ...audit,
          changes: audit.changes.map((entry) => ({ ...entry })) as Prisma.InputJsonValue,
          revision,
        });
        keys.set(key.id, key);
        if (change.kind === 'create') counts.set(key.teamId, (counts.get(key.teamId) ?? 0) + 1);
      }
      return () => resolve(answer);
    } catch (refusal) {
      return () => reject(refusal);
    }
  });

  if (created.size > 0) await transaction.apiKey.createMany({ data: [...created.values()] });
  for (const [id, row] of updated) await transaction.apiKey.update({ where: { id }, data: row });
  if (entries.length > 0) await transaction.auditEntry.createMany({ data: entries });
  return settlements;
}

async function loadKeys(
  transaction: Prisma.TransactionClient,
  group: readonly Waiting[],
): Promise<Map<string, ApiKey>> {
  const ids = group.flatMap(({ change }) => (change.kind === 'existing' ? [change.keyId] : []));
  const rows = ids.length === 0 ? [] : await transaction.apiKey.findMany({ where: { id: { in: ids } } });
  return new Map(rows.map((row) => [row.id, keyFromRow(row)]));
}

async function countKeys(
  transaction: Prisma.TransactionClient,
  group: readonly Waiting[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { change } of group) {
    if (change.kind !== 'create' || counts.has(change.teamId)) continue;
    counts.set(change.teamId, await transaction.apiKey.count({ where: { teamId: change.teamId, revokedAt: null } }));
  }
  return counts;
}
