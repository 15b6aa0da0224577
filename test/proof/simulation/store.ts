/**
 * A simulated PostgreSQL with what the change queue, the management reads and the confirmation rounds need. Each
 * statement is a message to the server's process, which evaluates it at one instant. Commits are atomic, and in order.
 */
import type { Fence } from '../../../src/domain/fence/fence.ts';
import type { IdempotentCreate } from '../../../src/domain/key/idempotency.ts';
import type { RotatedSecret } from '../../../src/domain/secret/rotated-secret.ts';
import type { Database } from '../../../src/store/database.ts';
import { type KeyFeed, mustClearCache, type StoreSnapshot } from '../../../src/store/feed/key-feed.ts';
import { Prisma, type PrismaClient } from '../../../src/store/generated/sqlite/client.ts';
import type { KeyRow } from '../../../src/store/rows/key-rows.ts';
import { ManagementKeyTable } from './management-keys.ts';
import { type Network, NetworkError } from './network.ts';
import type { Process } from './process.ts';
import { type Revision, Tables } from './tables.ts';
import type { World } from './world.ts';

/** The timeouts of postgres-pool.ts and postgres-key-feed.ts. */
const silenceMs = 1500;
const statementMs = 0.9 * silenceMs;
const idleInTransactionMs = 1000;
const feedMs = 1000;

interface Transaction {
  /** The epoch of the store in which it began: a restart ends its connection, also if no statement is under way. */
  readonly epoch: number;
  readonly writes: (() => void)[];
  isOver: boolean;
  cancelIdle: () => void;
}

function newTransaction(epoch: number): Transaction {
  return { epoch, writes: [], isOver: false, cancelIdle: () => undefined };
}

interface LockWaiter {
  readonly transaction: Transaction;
  readonly grant: () => void;
}

interface KeysWhere {
  readonly OR?: readonly KeysWhere[];
  readonly id?: { readonly in: readonly string[] };
  readonly teamId?: { readonly in: readonly string[] };
  readonly digest?: { readonly in: readonly string[] };
  readonly prefix?: { readonly in: readonly string[] };
}

export class SimulatedStore {
  readonly process: Process;
  readonly tables: Tables;
  readonly #managementKeys = new ManagementKeyTable();
  readonly #world: World;
  readonly #network: Network;
  readonly #failure: number;
  readonly #count: (fault: string) => void;
  #epoch = 1;
  #locked: Transaction | null = null;
  #lockWaiters: LockWaiter[] = [];

  /** `failure`: the chance that a statement fails. */
  constructor(
    process: Process,
    {
      world,
      network,
      failure,
      leaseMs,
      count,
    }: {
      readonly world: World;
      readonly network: Network;
      readonly failure: number;
      readonly leaseMs: number;
      readonly count: (fault: string) => void;
    },
  ) {
    this.process = process;
    this.tables = new Tables(leaseMs);
    this.#world = world;
    this.#network = network;
    this.#failure = failure;
    this.#count = count;
  }

  /** All connections and transactions end, and what is committed stays. */
  restart(): void {
    this.process.crash();
    this.#locked = null;
    this.#lockWaiters = [];
    this.#epoch += 1;
  }

  /**
   * Commits changes of other keys that a failover to the standby loses, because they were not answered. No other
   * change is committed before the failover. Returns a function that goes back to the state of the standby.
   */
  commitUnanswered(count: number): (() => void) | null {
    if (this.#locked !== null || !this.process.isUp) return null;
    const lost = newTransaction(this.#epoch);
    this.#locked = lost;
    const { revision } = this.tables;
    this.tables.revision = { ...revision, current: revision.current + BigInt(count) };
    return () => {
      const isStandbyBehind = this.#locked === lost;
      this.restart();
      if (isStandbyBehind) this.tables.revision = revision;
    };
  }

  /** Returns the database as a management process sees it. */
  databaseOf(client: Process): Database {
    const run = <Answer>(statement: () => Answer | Promise<Answer>) => this.#exchange(client, statement);
    const autocommit = { ...this.#reads(run), revision: this.#revisionOutside(run) };
    const writer = {
      ...autocommit,
      $queryRaw: (statement: Prisma.Sql) => run(() => this.#mayFail(() => this.#changeKnownKey(statement))),
      $transaction: <Answer>(work: (transaction: unknown) => Promise<Answer>) => this.#transact(client, work),
    };
    // Only what the code in the simulation uses.
    const [reader, both] = [autocommit, writer] as unknown as readonly [PrismaClient, PrismaClient];
    const done = async () => undefined;
    return { provider: 'postgresql', reader, slowReader: reader, writer: both, resetWriter: done, close: done };
  }

  /** Returns the feed of a verification process, as in postgres-key-feed.ts. */
  feedOf(client: Process): KeyFeed {
    let seenEpoch: string | null = null;
    let seenFences: number | null = null;
    const read = async (
      since: number | null,
      digests: readonly string[],
      ids: readonly string[] = [],
    ): Promise<StoreSnapshot> => {
      const evaluate = () => ({ epoch: `epoch ${this.#epoch}`, ...this.tables.snapshot(since, digests, ids) });
      const answer = await this.#exchange(client, () => this.#mayFail(evaluate), feedMs);
      const overflow = answer.epoch !== seenEpoch || mustClearCache(since, answer.revision);
      seenEpoch = answer.epoch;
      const isKnown = since !== null && !overflow && answer.fences?.revision === seenFences;
      seenFences = answer.fences?.revision ?? null;
      return { ...answer, overflow, fences: isKnown ? null : answer.fences };
    };
    return { read, close: async () => undefined };
  }

  async #exchange<Answer>(
    client: Process,
    handle: () => Answer | Promise<Answer>,
    timeoutMs = silenceMs,
  ): Promise<Answer> {
    try {
      return await this.#network.exchange({ from: client, to: this.process, timeoutMs, handle });
    } catch (error) {
      throw error instanceof NetworkError ? new Error('Connection terminated unexpectedly') : error;
    }
  }

  #mayFail<Answer>(evaluate: () => Answer): Answer {
    if (this.#world.random.chance(this.#failure)) {
      this.#count('failed statement');
      throw postgresError('terminating connection due to administrator command', '57P01', 'FATAL');
    }
    return evaluate();
  }

  async #transact<Answer>(client: Process, work: (transaction: unknown) => Promise<Answer>): Promise<Answer> {
    const transaction = newTransaction(this.#epoch);
    const run = <Result>(statement: () => Result | Promise<Result>) =>
      this.#exchange(client, () => this.#inTransaction(transaction, statement));
    const end = () => this.#end(transaction);
    const forget = client.onCrash(() => this.#network.send(client, this.process, end));
    try {
      const answer = await work(this.#clientOf(transaction, run));
      await run(() => {
        for (const write of transaction.writes) write();
        end();
      });
      return answer;
    } catch (error) {
      this.#network.send(client, this.process, end);
      throw error;
    } finally {
      forget();
    }
  }

  /** Runs a statement at the server. A failed statement aborts its transaction. */
  async #inTransaction<Result>(transaction: Transaction, statement: () => Result | Promise<Result>): Promise<Result> {
    if (transaction.epoch !== this.#epoch) throw new Error('Connection terminated unexpectedly');
    if (transaction.isOver)
      throw postgresError('terminating connection due to idle-in-transaction timeout', '25P03', 'FATAL');
    transaction.cancelIdle();
    try {
      return await this.#mayFail(statement);
    } catch (error) {
      this.#end(transaction);
      throw error;
    } finally {
      transaction.cancelIdle = transaction.isOver
        ? () => undefined
        : this.process.after(idleInTransactionMs, () => this.#end(transaction));
    }
  }

  #end(transaction: Transaction): void {
    transaction.isOver = true;
    transaction.cancelIdle();
    this.#lockWaiters = this.#lockWaiters.filter((waiter) => waiter.transaction !== transaction);
    if (this.#locked !== transaction) return;
    this.#locked = null;
    this.#lockWaiters.shift()?.grant();
  }

  /** Locks the row of the revision until the end of the transaction. */
  #lock(transaction: Transaction): Promise<void> {
    return new Promise((resolve, reject) => {
      const grant = () => {
        cancelTimeout();
        this.#locked = transaction;
        resolve();
      };
      const cancelTimeout = this.process.after(statementMs, () => {
        this.#count('lock timeout');
        this.#lockWaiters = this.#lockWaiters.filter((waiter) => waiter.transaction !== transaction);
        reject(postgresError('canceling statement due to statement timeout', '57014'));
      });
      if (this.#locked === null || this.#locked === transaction) grant();
      else this.#lockWaiters.push({ transaction, grant });
    });
  }

  /** The statement of known-key.ts, which is a transaction of its own. */
  async #changeKnownKey({ values }: Prisma.Sql): Promise<readonly Pick<Revision, 'current' | 'leaseMs'>[]> {
    const [count, keys, known, entries] = values;
    const transaction = newTransaction(this.#epoch);
    try {
      await this.#lock(transaction);
      this.tables.revision = changedRevision(this.tables.revision, { current: { increment: Number(count) } });
      const { current, leaseMs } = this.tables.revision;
      const [row]: KeyRow[] = JSON.parse(String(keys)).map(withTypes);
      if (row === undefined) throw new Error('the statement has no key');
      if (this.tables.keys.get(row.id)?.revision !== known) return [];
      this.tables.writeKey({ ...row, revision: current });
      for (const entry of JSON.parse(String(entries)) as Entry[]) this.#check(entry);
      return [{ current, leaseMs }];
    } finally {
      this.#end(transaction);
    }
  }

  #clientOf(transaction: Transaction, run: <Result>(statement: () => Result | Promise<Result>) => Promise<Result>) {
    const update = ({ data }: { readonly data: Partial<Pick<Revision, 'imports'>> & Increment }) =>
      run(async () => {
        await this.#lock(transaction);
        const revision = changedRevision(this.tables.revision, data);
        transaction.writes.push(() => {
          this.tables.revision = changedRevision(this.tables.revision, data);
        });
        return revision;
      });
    const $executeRaw = (statement: Prisma.Sql) =>
      run(() => void transaction.writes.push(...this.#writesOf(statement)));
    const reads = this.#reads(run);
    const writeKey = ({ data }: { readonly data: KeyRow }) => {
      const row = data.metadata === (Prisma.DbNull as unknown) ? { ...data, metadata: null } : data;
      return run(() => void transaction.writes.push(() => this.tables.writeKey(row)));
    };
    return {
      ...reads,
      apiKey: { ...reads.apiKey, create: writeKey, updateMany: writeKey },
      auditEntry: {
        create: ({ data }: { readonly data: Entry }) =>
          run(() => void transaction.writes.push(() => this.#check(data))),
      },
      fence: {
        ...reads.fence,
        create: ({ data }: { readonly data: Fence }) =>
          run(() => void transaction.writes.push(() => this.tables.writeFence(data.id, data))),
        delete: ({ where: { id } }: { readonly where: { readonly id: string } }) =>
          run(() => void transaction.writes.push(() => this.tables.writeFence(id, null))),
      },
      managementKey: { ...reads.managementKey, ...this.#managementKeys.writes(run, transaction.writes) },
      revision: { update },
      $executeRaw,
    };
  }

  /** A revision that changes in a transaction of its own. Latchkey never does this; a broken build does. */
  #revisionOutside(run: <Result>(statement: () => Result) => Promise<Result>) {
    const findUniqueOrThrow = () => run(() => ({ ...this.tables.revision, confirmed: true }));
    const update = ({ data }: { readonly data: Partial<Pick<Revision, 'imports'>> & Increment }) =>
      run(() => {
        this.tables.revision = changedRevision(this.tables.revision, data);
        return this.tables.revision;
      });
    return { findUniqueOrThrow, update };
  }

  #reads(run: <Result>(statement: () => Result) => Promise<Result>) {
    const { tables } = this;
    return {
      apiKey: {
        findUnique: ({ where: { id } }: { readonly where: { readonly id: string } }) =>
          run(() => tables.keys.get(id) ?? null),
        findMany: ({ where }: { readonly where: KeysWhere }) => run(() => this.#keysWhere(where)),
        groupBy: ({ where: { teamId } }: { readonly where: Required<Pick<KeysWhere, 'teamId'>> }) =>
          run(() => teamId.in.map((id) => ({ teamId: id, _count: this.#countUnrevoked(id) }))),
      },
      idempotentCreate: {
        findMany: ({ where: { id } }: { readonly where: Required<Pick<KeysWhere, 'id'>> }) =>
          run(() => id.in.flatMap((one) => tables.idempotentCreates.get(one) ?? [])),
      },
      rotatedSecret: {
        findMany: ({ where: { digest } }: { readonly where: Required<Pick<KeysWhere, 'digest'>> }) =>
          run(() => digest.in.flatMap((one) => tables.rotatedWith(one))),
      },
      keyUsage: { findMany: () => run(() => []) },
      managementKey: this.#managementKeys.reads(run),
      fence: {
        findUnique: ({ where: { id } }: { readonly where: { readonly id: string } }) =>
          run(() => tables.fences.get(id) ?? null),
        findMany: ({ where: { teamId } }: { readonly where: Required<Pick<KeysWhere, 'teamId'>> }) =>
          run(() => [...tables.fences.values()].filter((fence) => teamId.in.includes(fence.teamId))),
        // No team reaches its limit.
        count: () => run(() => 0),
      },
      // No team has a policy.
      keyPolicy: { findMany: () => run(() => []) },
    };
  }

  #keysWhere({ id, digest, prefix, OR }: KeysWhere): readonly KeyRow[] {
    const { tables } = this;
    if (OR !== undefined) return [...new Set(OR.flatMap((where) => this.#keysWhere(where)))];
    if (id !== undefined) return id.in.flatMap((one) => tables.keys.get(one) ?? []);
    // Prefixes are random: no two keys have the same one.
    if (prefix !== undefined) return [];
    return digest?.in.flatMap((one) => tables.keysWith(one)) ?? [];
  }

  /** No team reaches its limit, so the number does not matter. */
  #countUnrevoked(_: string): number {
    return 0;
  }

  /** Nothing in the simulation reads the log, but it says with which management key each commit was made. */
  #check({ action, credentialId }: Entry): void {
    if (this.#managementKeys.accepts(credentialId)) return;
    this.#world.fail(new Error(`${action} was committed after the management key of its caller was revoked`));
  }

  #writesOf({ sql, values: [json] }: Prisma.Sql): (() => void)[] {
    const [, table = ''] = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM) "(\w+)"/.exec(sql) ?? [];
    const { tables } = this;
    const rows: unknown[] = JSON.parse(String(json)).map(withTypes);
    switch (table) {
      case 'ApiKey':
        return (rows as KeyRow[]).map((row) => () => tables.writeKey(row));
      case 'RotatedSecret':
        return (rows as RotatedSecret[]).map((row) => () => tables.writeRotated(row));
      case 'IdempotentCreate':
        return (rows as IdempotentCreate[]).map((row) => () => tables.idempotentCreates.set(row.id, row));
      case 'AuditEntry':
        return (rows as Entry[]).map((row) => () => this.#check(row));
      case 'SecretUse':
        // Nothing in the simulation reads it.
        return [];
      default:
        throw new Error(`the simulated store can't write to "${table}"`);
    }
  }
}

interface Entry {
  readonly action: string;
  readonly credentialId: string | null;
}

interface Increment {
  readonly current?: { readonly increment: number };
}

function changedRevision(revision: Revision, { imports, current }: Partial<Pick<Revision, 'imports'>> & Increment) {
  return {
    ...revision,
    ...(imports !== undefined && { imports }),
    current: revision.current + BigInt(current?.increment ?? 0),
  };
}

const dates = ['createdAt', 'expiresAt', 'revokedAt', 'disabledAt', 'rotatedAt', 'previousExpiresAt'];
const bigints = ['revision', 'importRevision'];

/** Converts the values of a row from JSON to the types of the columns. */
function withTypes(row: Record<string, unknown>): unknown {
  for (const column of dates) {
    const value = row[column];
    if (typeof value === 'string') row[column] = new Date(value);
  }
  for (const column of bigints) {
    const value = row[column];
    if (typeof value === 'number') row[column] = BigInt(value);
  }
  return row;
}

function postgresError(message: string, originalCode: string, severity = 'ERROR'): Error {
  return new Error(message, { cause: { originalCode, severity } });
}
