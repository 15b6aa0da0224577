/** Rounds on one database: load, a kill, a start, and a check of everything that was ever acknowledged. */
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../harness/random.ts';
import type { Server } from '../../harness/server.ts';
import type { PostgresServer } from '../../support/postgres.ts';
import type { TemporaryDatabase } from '../../support/temporary-database.ts';
import { KeyClient } from '../clients.ts';
import { readEvidence } from '../evidence.ts';
import { Ledger } from '../ledger.ts';
import { settle } from '../settle.ts';
import { checkAnswers } from './check-answers.ts';
import { checkDatabase } from './check-database.ts';
import { drawKind, type KillKind, killAtRandom, workersFor } from './kills.ts';
import { ServiceReader } from './service-reader.ts';
import { migrationHasBegun, type Place, placeFor, watchSessions } from './stores.ts';
import type { VolatileDisk } from './volatile-disk.ts';

export interface Plan {
  readonly rounds: number;
  readonly seed: number;
  readonly clients: number;
  readonly newDatabase: () => Promise<TemporaryDatabase>;
  /** Null if it must not be killed. */
  readonly postgres: PostgresServer | null;
  /** Makes the disk of the kind `power loss` of the directory of the database. */
  readonly disk?: (directory: string) => VolatileDisk;
  /** Instead of kinds drawn by chance. */
  readonly kinds?: readonly KillKind[];
  readonly progress?: (text: string) => void;
}

export interface Report {
  rounds: number;
  readonly kills: Map<KillKind, number>;
  acknowledged: number;
  /** Of the operations without an answer. */
  happened: number;
  didNotHappen: number;
  keys: number;
  checks: number;
  readonly startUpsMs: number[];
  readonly recoveriesMs: number[];
  readonly violations: string[];
}

const readyTimeoutMs = 60_000;
/** No key expires during a run: later than the end of any overlap, which would end with the key. */
const sharedOptions = {
  keys: 1,
  createShare: 0.16,
  pauseMs: 0,
  retryMs: 10,
  expiresInMs: [7_200_000, 360_000_000_000] as const,
  outages: true,
};
/** The number of keys that are checked although the round did not change them. */
const olderKeys = 20;

export async function durability(plan: Plan): Promise<Report> {
  const database = await plan.newDatabase();
  const disk = plan.disk?.(database.directory) ?? null;
  const run = new DurabilityRun(plan, await placeFor(database), disk);
  try {
    await run.allRounds();
  } catch (error) {
    run.report.violations.push(`round ${run.report.rounds + 1}: ${error instanceof Error ? error.message : error}`);
  } finally {
    await run.end();
    disk?.remove();
    await database.remove();
  }
  return run.report;
}

class DurabilityRun {
  readonly report: Report = {
    rounds: 0,
    kills: new Map(),
    acknowledged: 0,
    happened: 0,
    didNotHappen: 0,
    keys: 0,
    checks: 0,
    startUpsMs: [],
    recoveriesMs: [],
    violations: [],
  };
  readonly #plan: Plan;
  readonly #place: Place;
  readonly #disk: VolatileDisk | null;
  readonly #random: Random;
  readonly #ledger: Ledger;
  /** Whether it runs already, since the checks of the last round. */
  #isStarted = false;

  constructor(plan: Plan, place: Place, disk: VolatileDisk | null) {
    this.#plan = plan;
    this.#place = place;
    this.#disk = disk;
    this.#random = new Random(plan.seed);
    this.#ledger = new Ledger(this.#random);
  }

  async allRounds(): Promise<void> {
    const { rounds, postgres } = this.#plan;
    const kinds = this.#plan.kinds ?? Array.from({ length: rounds }, () => drawKind(this.#random, postgres !== null));
    for (const [index, kind] of kinds.entries()) {
      this.#plan.progress?.(`round ${index + 1} of ${kinds.length}, kill: ${kind}`);
      await this.#round(kind, workersFor(kinds[index + 1] ?? 'service'));
      if (this.report.violations.length > 0) return;
    }
    await this.#checkAll(this.#ledger, this.#place, [...this.#ledger.keys.keys()]);
  }

  async end(): Promise<void> {
    await this.#place.server.kill();
  }

  async #round(kind: KillKind, nextWorkers: number): Promise<void> {
    const random = this.#random;
    const service = this.#place.server;
    if (!this.#isStarted) await this.#start(service, workersFor(kind));
    this.#isStarted = false;
    const stopClients = this.#startClients(this.#ledger, service, this.#plan.clients);
    const recovered = (ms: number) => this.report.recoveriesMs.push(ms);
    try {
      await killAtRandom(kind, { service, ledger: this.#ledger, postgres: this.#plan.postgres, random, recovered });
    } finally {
      await service.kill();
      await stopClients();
    }
    if (kind === 'power loss') this.#losePower();
    if (kind === 'on an empty database') await this.#killWhileItBegins();
    if (kind === 'during start-up') await this.#killWhileItStarts(service, () => pause(random.between(0, 900)));
    const sessionsEnded = await watchSessions(this.#place);
    await this.#start(service, nextWorkers);
    this.#isStarted = true;
    await sessionsEnded();
    await this.#checkAll(this.#ledger, this.#place, null);
    this.report.keys = this.#ledger.keys.size;
    this.report.rounds += 1;
    this.report.kills.set(kind, (this.report.kills.get(kind) ?? 0) + 1);
  }

  /** Returns a function that stops them, and waits for pending answers. */
  #startClients(ledger: Ledger, { name, port, verifyPort }: Server, count: number): () => Promise<void> {
    const ports = [{ at: name, port, isStopped: () => false }];
    const options = { ...sharedOptions, ledger, ports, random: this.#random, sharedAt: verifyPort };
    const clients = Array.from({ length: count }, () => new KeyClient(options));
    const running = Promise.all(clients.map((client) => client.run()));
    return async () => {
      for (const client of clients) client.stop();
      await running;
    };
  }

  async #start(service: Server, workers: number): Promise<void> {
    service.spawn({ WORKERS: String(workers), ...this.#disk?.environment });
    this.report.startUpsMs.push(await service.ready(readyTimeoutMs));
  }

  #losePower(): void {
    this.#disk?.losePower();
    // The last nonces may be lost with SQLite (src/store/feed/sqlite-nonces.ts), so that a signature can be used again.
    this.#ledger.usedSignatures.splice(0);
  }

  /** One to three starts, each killed before it is complete. */
  async #killWhileItStarts(service: Server, moment: () => Promise<void>): Promise<void> {
    for (let times = this.#random.whole(1, 3); times > 0; times -= 1) {
      service.spawn();
      await moment();
      await service.kill();
    }
  }

  /** The first starts ever of a database, killed at any moment or in the midst of its migrations. */
  async #killWhileItBegins(): Promise<void> {
    const random = this.#random;
    const database = await this.#plan.newDatabase();
    const place = await placeFor(database);
    const service = place.server;
    try {
      await this.#killWhileItStarts(service, async () => {
        if (random.chance(0.3)) return await pause(random.between(0, 900));
        // An earlier start may have completed them, or this one may be too fast to be observed.
        let isOver = false;
        const over = () => {
          isOver = true;
        };
        service.ready(readyTimeoutMs).then(over, over);
        while (!isOver && !(await migrationHasBegun(place))) await pause(1);
        await pause(random.between(0, 40));
      });
      await this.#start(service, 1);
      const { keys, entries, current, damage } = await readEvidence(place.databaseUrl);
      if (keys.length + entries.length + current !== 0) this.#violate('a new database is not empty');
      for (const line of damage) this.#violate(`a new database is damaged: ${line}`);
      await this.#createFirstKey(place);
    } finally {
      await service.kill();
      await database.remove();
    }
  }

  async #createFirstKey(place: Place): Promise<void> {
    const ledger = new Ledger(this.#random);
    const stopClients = this.#startClients(ledger, place.server, 1);
    const deadline = performance.now() + readyTimeoutMs;
    while (ledger.pool.size === 0 && performance.now() < deadline) await pause(5);
    await stopClients();
    await this.#checkAll(ledger, place, null);
  }

  /** `ids`: the keys to ask the service for; null for those that were touched and some others. */
  async #checkAll(ledger: Ledger, place: Place, ids: readonly string[] | null): Promise<void> {
    const { report } = this;
    const reader = new ServiceReader(place, ledger.teamId);
    try {
      const settlement = settle(ledger, await reader.trailSince(ledger.revisions.at(-1) ?? 0));
      report.acknowledged += settlement.acknowledged;
      report.happened += settlement.happened;
      report.didNotHappen += settlement.didNotHappen;
      const others = [...ledger.keys.keys()];
      const older = others.length === 0 ? [] : Array.from({ length: olderKeys }, () => this.#random.pick(others));
      const checked = ids ?? [...new Set([...settlement.touched, ...older])];
      const evidence = await readEvidence(place.databaseUrl);
      const found = await checkAnswers(reader, ledger, checked);
      report.checks += settlement.acknowledged + evidence.keys.length + evidence.entries.length + found.checks;
      for (const violation of [...settlement.violations, ...checkDatabase(evidence, ledger), ...found.violations])
        this.#violate(violation);
    } finally {
      reader.close();
    }
  }

  #violate(violation: string): void {
    this.report.violations.push(`round ${this.report.rounds + 1}: ${violation}`);
  }
}
