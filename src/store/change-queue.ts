/**
 * The one way to change keys: decide on a state that nobody else can change meanwhile, then write the key, its audit
 * entry and its revision together or not at all.
 *
 * Changes that arrive while a transaction is under way share the next one (group commit): the disk is synced and the
 * revision taken once for all of them, which is what a database's cost per transaction is made of.
 */
import type { ApiKey, StoredKey } from '../domain/api-key.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { IdempotentCreate } from '../domain/idempotency.ts';
import { auditTable, type BulkDialect, idempotentTable, insertRows, keyTable, updateRows } from './bulk-rows.ts';
import type { Database } from './database.ts';
import type { Prisma } from './generated/sqlite/client.ts';
import { keyFromRow, rowFromKey } from './key-rows.ts';
import { askStore, storeDoesNotAnswer, wasCancelled, wasLockedOut } from './unavailable.ts';

export interface Write {
  /** The key as it shall be, new or changed. */
  readonly key: ApiKey;
  /** Absent only where nothing changes that anybody decided on: the same secret under another lock. */
  readonly audit?: Omit<AuditEntry, 'revision'>;
  /** What a repeat of this create shall find. */
  readonly idempotentCreate?: IdempotentCreate | undefined;
}

export interface Decision<Answer> {
  readonly answer: Answer;
  /** Absent when there is nothing to change. */
  readonly write?: Write;
}

/**
 * Decides from the state of the store; `revision` is the one that the change has if it writes. A thrown refusal concerns
 * this change alone; nothing is written for it.
 */
export type Change<Answer> =
  | {
      readonly kind: 'create';
      readonly teamId: string;
      /** Of the `idempotentCreate` that an earlier call with the same idempotency key has left. */
      readonly idempotencyId?: string | undefined;
      /**
       * `unrevokedKeys`: how many keys the team has that are not revoked. `earlier`: what was found under the
       * idempotency id, expired or not.
       */
      readonly decide: (unrevokedKeys: number, revision: bigint, earlier: IdempotentCreate | null) => Decision<Answer>;
    }
  | {
      readonly kind: 'import';
      readonly teamId: string;
      /** Under every pepper: the same key may have been imported under an older one. */
      readonly digests: readonly string[];
      readonly prefix: string;
      readonly decide: (unrevokedKeys: number, revision: bigint, taken: Taken) => Decision<Answer>;
    }
  | {
      readonly kind: 'existing';
      readonly keyId: string;
      readonly decide: (key: StoredKey | null, revision: bigint) => Decision<Answer>;
    };

/** The keys that have already what an imported one is to have, of whichever team. */
export interface Taken {
  readonly digest: StoredKey | null;
  readonly prefix: StoredKey | null;
}

/** Writes that are no changes of keys: they take a turn among the groups, and no revision. */
export type Work = (transaction: Prisma.TransactionClient, dialect: BulkDialect) => Promise<void>;

interface Waiting {
  readonly change: Change<unknown>;
  givenUp: boolean;
  /** From its arrival until the store has answered; a lease comes on top. */
  readonly deadline: NodeJS.Timeout;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Settles one change of a group, after the transaction has been committed. */
type Settle = () => void;

interface Applied {
  readonly settlements: readonly Settle[];
  readonly leaseMs: number;
}

/** Timers may fire a millisecond early, and two machines' clocks differ by some millionths. */
const clockToleranceMs = 2;
const groupSize = 100;
const lockPauseMs = 5;
const longestQueue = 2000;

interface Patience {
  /** From a change's arrival to its answer: behind others that wait for a store that is gone, its turn may never come. */
  readonly answerMs: number;
  /** For another process's lock. */
  readonly lockMs: number;
  readonly transaction: { readonly maxWait: number; readonly timeout: number };
}

const patience: Readonly<Record<BulkDialect, Patience>> = {
  postgresql: { answerMs: 4000, lockMs: 0, transaction: { maxWait: 3000, timeout: 4000 } },
  sqlite: { answerMs: 15_000, lockMs: 5000, transaction: { maxWait: 5000, timeout: 10_000 } },
};

export class ChangeQueue {
  readonly #database: Database;
  readonly #waiting: Waiting[] = [];
  readonly #work: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Changes that wait for their transaction. */
  get length(): number {
    return this.#waiting.length;
  }

  async submit<Answer>(change: Change<Answer>): Promise<Answer> {
    if (this.#waiting.length >= longestQueue) {
      throw new LatchkeyError('UNAVAILABLE', 'Too many changes are waiting; try again shortly.');
    }
    return await new Promise<Answer>((resolve, reject) => {
      const waiting: Waiting = {
        change,
        givenUp: false,
        deadline: setTimeout(() => this.#giveUp(waiting), patience[this.#database.provider].answerMs),
        // The answer that `resolve` gets is the one that this very change's `decide` gave.
        resolve: resolve as (answer: unknown) => void,
        reject,
      };
      this.#waiting.push(waiting);
      this.#start();
    });
  }

  /** What still waits for its turn will not be done; what is under way may be. */
  #giveUp(waiting: Waiting): void {
    const place = this.#waiting.indexOf(waiting);
    if (place >= 0) this.#waiting.splice(place, 1);
    waiting.givenUp = true;
    waiting.reject(storeDoesNotAnswer());
  }

  /**
   * Does other writing in a transaction of its own, between groups. On SQLite a process must not start to write on one
   * connection while a transaction is open on another: it would wait for itself.
   */
  async perform(work: Work): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#work.push(async () => {
        await this.#transact(work).then(resolve, reject);
      });
      this.#start();
    });
  }

  /** Resolves when every change submitted so far has been settled. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Let the requests that arrived in this turn of the event loop join the group.
    await new Promise(setImmediate);
    try {
      while (this.#waiting.length > 0 || this.#work.length > 0) {
        if (this.#waiting.length > 0) await this.#runGroup(this.#waiting.splice(0, groupSize));
        await this.#work.shift()?.();
      }
    } finally {
      // In the same breath as the last look at the queue: who comes after it must find nobody running.
      this.#running = null;
    }
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const { settlements, leaseMs } = await this.#transact((transaction, dialect) =>
        applyGroup(transaction, dialect, group),
      );
      for (const { deadline } of group) clearTimeout(deadline);
      settleAll(settlements, leaseMs);
    } catch (error) {
      // Behind the changes of other instances for longer than a statement may take: nothing is done, so once more.
      if (wasCancelled(error)) this.#waiting.unshift(...group.filter(({ givenUp }) => !givenUp));
      else if (error instanceof LatchkeyError || group.length === 1) refuseAll(group, error);
      // One of them can't be written: find out which, so that the others don't suffer for it.
      else for (const waiting of group) await this.#runGroup([waiting]);
    }
  }

  async #transact<T>(work: (transaction: Prisma.TransactionClient, dialect: BulkDialect) => Promise<T>): Promise<T> {
    const { writer, provider, resetWriter } = this.#database;
    const { lockMs, transaction } = patience[provider];
    const deadline = performance.now() + lockMs;
    for (;;) {
      try {
        return await askStore(() => writer.$transaction((client) => work(client, provider), transaction));
      } catch (error) {
        // Should that fail too, the next transaction will tell.
        await resetWriter().catch(() => undefined);
        // SQLite waits for a lock without letting go of the thread, so it waits briefly, and we go on waiting.
        if (!wasLockedOut(error) || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, lockPauseMs));
      }
    }
  }
}

function refuseAll(group: readonly Waiting[], error: unknown): void {
  for (const { deadline, reject } of group) {
    clearTimeout(deadline);
    reject(error);
  }
}

/** What changes are decided on. */
interface State {
  readonly keys: Map<string, StoredKey>;
  /** Of the keys of each team that are not revoked. */
  readonly counts: Map<string, number>;
  readonly idempotentCreates: Map<string, IdempotentCreate>;
  /** Those that have what an imported key is to have. */
  readonly byDigest: Map<string, StoredKey>;
  readonly byPrefix: Map<string, StoredKey>;
}

interface Outcome {
  readonly created: Prisma.ApiKeyCreateManyInput[];
  /** Whether one of them was imported. */
  imported: boolean;
  /** By id: several changes of one key in a group are one row in the end. */
  readonly updated: Map<string, Prisma.ApiKeyCreateManyInput>;
  readonly entries: Prisma.AuditEntryCreateManyInput[];
  readonly idempotentCreates: IdempotentCreate[];
  readonly settlements: Settle[];
}

async function applyGroup(
  transaction: Prisma.TransactionClient,
  dialect: BulkDialect,
  group: readonly Waiting[],
): Promise<Applied> {
  // First of all, take the revisions: this locks out every other writer until we commit, so that what is read below
  // can't change and revisions are committed in their order.
  const { current, leaseMs, imports } = await transaction.revision.update({
    where: { id: 1 },
    data: { current: { increment: group.length } },
  });
  const state: State = {
    keys: await loadKeys(transaction, group),
    counts: await countKeys(transaction, group),
    idempotentCreates: await loadIdempotentCreates(transaction, group),
    ...(await loadTaken(transaction, group)),
  };
  const { created, imported, updated, entries, idempotentCreates, settlements } = decideInTurn(
    group,
    state,
    current - BigInt(group.length),
  );
  if (imported && !imports) await transaction.revision.update({ where: { id: 1 }, data: { imports: true } });
  await insertRows(transaction, dialect, keyTable, created);
  await insertRows(transaction, dialect, idempotentTable, idempotentCreates);
  await updateRows(transaction, dialect, keyTable, [...updated.values()]);
  await insertRows(transaction, dialect, auditTable, entries);
  return { settlements, leaseMs };
}

/**
 * Nobody hears of a change while an instance may still rely on the state before it (VERIFY_LEASE_MS): an instance that
 * has not seen the change asked before it was committed, so that what it was granted has run out by then. Answers that
 * change nothing wait too: they may tell of a change whose own answer is still held back.
 */
function settleAll(settlements: readonly Settle[], leaseMs: number): void {
  const settle = () => {
    for (const settleOne of settlements) settleOne();
  };
  if (leaseMs === 0) settle();
  else setTimeout(settle, leaseMs + clockToleranceMs);
}

/** Each change is decided on what those before it in the group leave behind. */
function decideInTurn(group: readonly Waiting[], state: State, revisionBefore: bigint): Outcome {
  const { keys, counts, idempotentCreates, byDigest, byPrefix } = state;
  const outcome: Outcome = {
    created: [],
    imported: false,
    updated: new Map(),
    entries: [],
    idempotentCreates: [],
    settlements: [],
  };
  let revision = revisionBefore;
  for (const { change, resolve, reject } of group) {
    try {
      const { answer, write } = decideOn(change, state, revision + 1n);
      outcome.settlements.push(() => resolve(answer));
      if (write === undefined) continue;
      revision += 1n;
      const { key, audit, idempotentCreate } = write;
      const row = rowFromKey(key, revision);
      if (change.kind === 'existing') {
        outcome.updated.set(key.id, row);
        keys.set(key.id, { ...key, revision });
      } else {
        outcome.created.push(row);
        counts.set(key.teamId, (counts.get(key.teamId) ?? 0) + 1);
        byDigest.set(key.digest, { ...key, revision });
        byPrefix.set(key.prefix, { ...key, revision });
        if (change.kind === 'import') outcome.imported = true;
      }
      if (idempotentCreate !== undefined) {
        outcome.idempotentCreates.push(idempotentCreate);
        idempotentCreates.set(idempotentCreate.id, idempotentCreate);
      }
      // The columns are JSON, which Prisma's types for it don't take from read-only interfaces.
      if (audit !== undefined)
        outcome.entries.push({ ...audit, changes: audit.changes as unknown as Prisma.InputJsonValue, revision });
    } catch (refusal) {
      outcome.settlements.push(() => reject(refusal));
    }
  }
  return outcome;
}

function decideOn(change: Change<unknown>, state: State, revision: bigint): Decision<unknown> {
  switch (change.kind) {
    case 'existing':
      return change.decide(state.keys.get(change.keyId) ?? null, revision);
    case 'create': {
      const earlier = state.idempotentCreates.get(change.idempotencyId ?? '') ?? null;
      return change.decide(state.counts.get(change.teamId) ?? 0, revision, earlier);
    }
    case 'import': {
      const [digest = null] = change.digests.flatMap((candidate) => state.byDigest.get(candidate) ?? []);
      const prefix = state.byPrefix.get(change.prefix) ?? null;
      return change.decide(state.counts.get(change.teamId) ?? 0, revision, { digest, prefix });
    }
  }
}

async function loadKeys(
  transaction: Prisma.TransactionClient,
  group: readonly Waiting[],
): Promise<Map<string, StoredKey>> {
  const ids = group.flatMap(({ change }) => (change.kind === 'existing' ? [change.keyId] : []));
  const rows = ids.length === 0 ? [] : await transaction.apiKey.findMany({ where: { id: { in: ids } } });
  return new Map(rows.map((row) => [row.id, keyFromRow(row)]));
}

async function loadIdempotentCreates(
  transaction: Prisma.TransactionClient,
  group: readonly Waiting[],
): Promise<Map<string, IdempotentCreate>> {
  const ids = group.flatMap(({ change }) => (change.kind === 'create' ? (change.idempotencyId ?? []) : []));
  if (ids.length === 0) return new Map();
  const rows = await transaction.idempotentCreate.findMany({ where: { id: { in: ids } } });
  return new Map(rows.map((row) => [row.id, row]));
}

async function loadTaken(
  transaction: Prisma.TransactionClient,
  group: readonly Waiting[],
): Promise<Pick<State, 'byDigest' | 'byPrefix'>> {
  const imports = group.flatMap(({ change }) => (change.kind === 'import' ? [change] : []));
  if (imports.length === 0) return { byDigest: new Map(), byPrefix: new Map() };
  const digests = imports.flatMap((change) => change.digests);
  const prefixes = imports.map((change) => change.prefix);
  const rows = [
    ...(await transaction.apiKey.findMany({ where: { digest: { in: digests } } })),
    ...(await transaction.apiKey.findMany({ where: { prefix: { in: prefixes } } })),
  ];
  const keys = rows.map(keyFromRow);
  return {
    byDigest: new Map(keys.map((key) => [key.digest, key])),
    byPrefix: new Map(keys.map((key) => [key.prefix, key])),
  };
}

async function countKeys(
  transaction: Prisma.TransactionClient,
  group: readonly Waiting[],
): Promise<Map<string, number>> {
  const teams = group.flatMap(({ change }) => (change.kind === 'existing' ? [] : [change.teamId]));
  if (teams.length === 0) return new Map();
  const counts = await transaction.apiKey.groupBy({
    by: ['teamId'],
    where: { teamId: { in: [...new Set(teams)] }, revokedAt: null },
    _count: true,
  });
  return new Map(counts.map(({ teamId, _count }) => [teamId, _count]));
}
