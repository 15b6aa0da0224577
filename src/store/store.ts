import { existsSync } from 'node:fs';
import type { KeyRing } from '../domain/key-ring.ts';
import { AuditLog } from './audit-log.ts';
import { ChangeQueue } from './change-queue.ts';
import { type Database, type DatabaseAddress, openDatabase } from './database.ts';
import { KeyConflicts } from './key-conflicts.ts';
import { Keys } from './keys.ts';
import { migrate } from './migrate.ts';
import { Purge } from './purge.ts';
import {
  isCurrentKnown,
  type RingDatabase,
  type RingPurpose,
  ringProblems,
  ringUse,
  startWithRing,
} from './ring-keys.ts';
import { type ServerSettings, type SettingsProblem, selectSettings, settingsProblems } from './server-settings.ts';
import { askStore } from './unavailable.ts';
import { Usage } from './usage.ts';

/** All that Latchkey keeps. Every call answers UNAVAILABLE when the database can't be asked. */
export class Store {
  readonly keys: Keys;
  readonly changes: ChangeQueue;
  readonly auditLog: AuditLog;
  readonly usage: Usage;
  readonly conflicts: KeyConflicts;
  readonly purge: Purge;
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
    this.keys = new Keys(database.reader, database.provider);
    this.changes = new ChangeQueue(database);
    this.auditLog = new AuditLog(database.reader, database.provider);
    this.usage = new Usage(database.reader, this.changes);
    this.conflicts = new KeyConflicts(database.reader, this.changes);
    this.purge = new Purge(this.changes);
  }

  /** Brings the database up to date and opens it. */
  static async open(address: DatabaseAddress): Promise<Store> {
    await migrate(address);
    return new Store(await openDatabase(address));
  }

  /** For a command beside the service: opens the database as it is, and makes none where there is none. */
  static async openAsItIs(address: DatabaseAddress): Promise<Store> {
    if (address.provider === 'sqlite' && !existsSync(address.file))
      throw new Error(`there is no database at ${address.file}`);
    return new Store(await openDatabase(address));
  }

  /** For a service that starts: what is wrong with the ring. When nothing is, its current key is remembered. */
  async startWithRing(purpose: RingPurpose, ring: KeyRing): Promise<string[]> {
    return await startWithRing(this.changes, purpose, ring);
  }

  /** For a command: says what is wrong with the ring, and whether a service was started with its current key. */
  async checkRing(purpose: RingPurpose, ring: KeyRing): Promise<{ problems: string[]; currentIsKnown: boolean }> {
    return await askStore(async () => ({
      problems: await ringProblems(this.#rings, purpose, ring),
      currentIsKnown: await isCurrentKnown(this.#rings, purpose, ring),
    }));
  }

  /** How many keys need each key of a ring: those that are not revoked. */
  async ringUse(purpose: RingPurpose): Promise<Map<string, number>> {
    return await askStore(() => ringUse(this.#rings, purpose));
  }

  get #rings(): RingDatabase {
    const { provider, reader } = this.#database;
    return { provider, query: (sql) => reader.$queryRawUnsafe(sql) };
  }

  /**
   * From now on every change, at whichever instance, is answered at least so much later. It never becomes less by
   * itself: another instance may rely on it.
   */
  async raiseLease(leaseMs: number): Promise<void> {
    await askStore(() =>
      this.#database.writer.revision.updateMany({ where: { leaseMs: { lt: leaseMs } }, data: { leaseMs } }),
    );
  }

  /** Resolves when the database answers. */
  async ping(): Promise<void> {
    await askStore(() => this.#database.reader.revision.findUniqueOrThrow({ where: { id: 1 } }));
  }

  /** What is wrong with the settings of the database server. */
  async settingsProblems(): Promise<SettingsProblem[]> {
    const { provider, reader } = this.#database;
    if (provider === 'sqlite') return [];
    const [settings] = await askStore(() => reader.$queryRawUnsafe<ServerSettings[]>(selectSettings));
    return settings === undefined ? [] : settingsProblems(settings);
  }

  /** Waits for the changes under way, then closes the connections. */
  async close(): Promise<void> {
    await this.changes.idle();
    await this.#database.close();
  }
}
