import { existsSync } from 'node:fs';
import type { KeyRing } from '../domain/secret/key-ring.ts';
import type { DatabaseAddress } from '../lib/database-address.ts';
import { ChangeQueue } from './changes/change-queue.ts';
import { type Database, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { type ServerSettings, type SettingsProblem, selectSettings, settingsProblems } from './postgres-session.ts';
import { AuditLog } from './rows/audit-log.ts';
import { Claims } from './rows/claims.ts';
import { Deliveries } from './rows/deliveries.ts';
import { DeliveryQueue } from './rows/delivery-queue.ts';
import { EndedSessions } from './rows/ended-sessions.ts';
import { EventProgress } from './rows/event-progress.ts';
import { Exposures } from './rows/exposures.ts';
import { FailedDeliveries } from './rows/failed-deliveries.ts';
import { Fences } from './rows/fences.ts';
import { IdempotentCreates } from './rows/idempotent-creates.ts';
import { KeyMoments } from './rows/key-moments.ts';
import { KeyPolicies } from './rows/key-policies.ts';
import { Keys } from './rows/keys.ts';
import { LeakPolicies } from './rows/leak-policies.ts';
import { ManagementKeys } from './rows/management-keys.ts';
import { ObservedSources } from './rows/observed-sources.ts';
import { Purge } from './rows/purge.ts';
import { RateCounts } from './rows/rate-counts.ts';
import { Receipts } from './rows/receipts.ts';
import {
  isCurrentKnown,
  type RingDatabase,
  type RingPurpose,
  ringProblems,
  ringUse,
  startWithRing,
} from './rows/ring-keys.ts';
import { TeamMembers } from './rows/team-members.ts';
import { TeamNames } from './rows/team-names.ts';
import { TrustRules } from './rows/trust-rules.ts';
import { Usage } from './rows/usage.ts';
import { Webhooks } from './rows/webhooks.ts';
import { queryStore } from './unavailable.ts';
import { WriteCheck } from './write-check.ts';

/** All stored data. Every call throws UNAVAILABLE when the database does not answer. */
export class Store {
  readonly keys: Keys;
  readonly changes: ChangeQueue;
  readonly claims: Claims;
  readonly idempotentCreates: IdempotentCreates;
  readonly auditLog: AuditLog;
  readonly webhooks: Webhooks;
  readonly usage: Usage;
  readonly observedSources: ObservedSources;
  readonly rateCounts: RateCounts;
  readonly exposures: Exposures;
  readonly leakPolicies: LeakPolicies;
  readonly managementKeys: ManagementKeys;
  readonly trustRules: TrustRules;
  readonly teamMembers: TeamMembers;
  readonly keyPolicies: KeyPolicies;
  readonly fences: Fences;
  readonly receipts: Receipts;
  readonly teamNames: TeamNames;
  readonly endedSessions: EndedSessions;
  readonly deliveries: Deliveries;
  readonly failedDeliveries: FailedDeliveries;
  readonly deliveryQueue: DeliveryQueue;
  readonly eventProgress: EventProgress;
  readonly keyMoments: KeyMoments;
  readonly purge: Purge;
  readonly #database: Database;
  readonly #writeCheck: WriteCheck;

  private constructor(database: Database) {
    this.#database = database;
    this.keys = new Keys(database.reader, database.provider, database.slowReader);
    this.changes = new ChangeQueue(database);
    this.claims = new Claims(database.reader, this.changes);
    this.idempotentCreates = new IdempotentCreates(database.reader);
    this.auditLog = new AuditLog(database.reader, database.provider);
    this.webhooks = new Webhooks(database.reader);
    this.usage = new Usage(database.reader, database.provider, this.changes);
    this.observedSources = new ObservedSources(database.reader, database.provider, this.changes);
    this.rateCounts = new RateCounts(this.changes);
    this.exposures = new Exposures(database.reader, database.provider);
    this.leakPolicies = new LeakPolicies(database.reader);
    this.trustRules = new TrustRules(database.reader);
    this.teamMembers = new TeamMembers(database.reader, this.changes);
    this.keyPolicies = new KeyPolicies(database.reader);
    this.receipts = new Receipts(database.reader, this.changes);
    this.fences = new Fences(database.reader, this.changes);
    this.managementKeys = new ManagementKeys(database.reader);
    this.teamNames = new TeamNames(database.reader, this.changes);
    this.endedSessions = new EndedSessions(database.reader, this.changes);
    this.deliveries = new Deliveries(database.reader, this.changes);
    this.failedDeliveries = new FailedDeliveries(database.reader);
    this.deliveryQueue = new DeliveryQueue(database.reader, database.provider, this.changes);
    this.eventProgress = new EventProgress(database.reader);
    this.keyMoments = new KeyMoments(database.reader, database.slowReader);
    this.purge = new Purge(this.changes, database.slowReader);
    this.#writeCheck = new WriteCheck(this.changes, database.provider);
  }

  static async open(address: DatabaseAddress): Promise<Store> {
    await migrate(address);
    return new Store(await openDatabase(address));
  }

  /** Opens an existing database without migrating it, for commands that run beside the service. */
  static async openAsItIs(address: DatabaseAddress): Promise<Store> {
    if (address.provider === 'sqlite' && !existsSync(address.file))
      throw new Error(`there is no database at ${address.file}`);
    return new Store(await openDatabase(address));
  }

  /** Checks the ring when a service starts, and records its current key if the ring is valid. Returns its problems. */
  async startWithRing(purpose: RingPurpose, ring: KeyRing): Promise<string[]> {
    return await startWithRing(this.changes, this.#rings, purpose, ring);
  }

  /** Returns, for commands, the problems of the ring, and whether a service was ever started with its current key. */
  async checkRing(purpose: RingPurpose, ring: KeyRing): Promise<{ problems: string[]; currentIsKnown: boolean }> {
    return await queryStore(async () => ({
      problems: await ringProblems(this.#rings, purpose, ring),
      currentIsKnown: await isCurrentKnown(this.#rings, purpose, ring),
    }));
  }

  async ringUse(purpose: RingPurpose): Promise<Map<string, number>> {
    return await queryStore(() => ringUse(this.#rings, purpose));
  }

  get #rings(): RingDatabase {
    const { provider, reader, slowReader } = this.#database;
    return {
      provider,
      query: (sql) => reader.$queryRawUnsafe(sql),
      slowQuery: (sql) => slowReader.$queryRawUnsafe(sql),
    };
  }

  /** Raises the lease, which delays answers to changes. Never lowers it, because other instances may depend on it. */
  async raiseLease(leaseMs: number): Promise<void> {
    await this.changes.housekeep((transaction) =>
      transaction.revision.updateMany({ where: { leaseMs: { lt: leaseMs } }, data: { leaseMs } }),
    );
  }

  /** Lets edges of older versions look up texts in forms that they don't know, such as derived tokens. */
  async allowForeignTexts(): Promise<void> {
    await this.changes.housekeep(async ({ revision }) => {
      await revision.updateMany({ where: { imports: false }, data: { imports: true, current: { increment: 1 } } });
    });
    await this.changes.waitForLease();
  }

  /** Returns the secret that encrypts revisions for callers. All instances share it. */
  async readIdSecret(): Promise<Buffer> {
    const { reader } = this.#database;
    const { idSecret } = await queryStore(() => reader.revision.findUniqueOrThrow({ where: { id: 1 } }));
    return Buffer.from(idSecret, 'hex');
  }

  async ping(): Promise<void> {
    await queryStore(() => this.#database.reader.revision.findUniqueOrThrow({ where: { id: 1 } }));
  }

  /** Throws UNAVAILABLE while the disk is full or read-only. */
  async checkWritable(): Promise<void> {
    await this.#writeCheck.check();
  }

  /** Writes in any case, without changing data. Throws UNAVAILABLE. */
  async testWrite(): Promise<void> {
    await this.#writeCheck.write();
  }

  async settingsProblems(): Promise<SettingsProblem[]> {
    const { provider, reader } = this.#database;
    if (provider === 'sqlite') return [];
    const [settings] = await queryStore(() => reader.$queryRawUnsafe<ServerSettings[]>(selectSettings));
    return settings === undefined ? [] : settingsProblems(settings);
  }

  async close(): Promise<void> {
    await this.changes.idle();
    await this.#database.close();
  }
}
