/** One of the two databases that are compared, with its service. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { RingKey } from '../../../../src/domain/secret/key-ring.ts';
import type { DatabaseAddress } from '../../../../src/lib/database-address.ts';
import { Store } from '../../../../src/store/store.ts';
import { postgresDatabase, temporaryDirectory } from '../../../support/temporary-database.ts';
import { Client } from '../../client.ts';
import { progress } from '../../print.ts';
import { rawRequest } from '../../raw-connection.ts';
import { Server } from '../../server.ts';
import { drawRanks } from '../zipf.ts';
import { Population } from './population.ts';
import { type Secrets, seed } from './seed.ts';

export interface Side {
  readonly population: Population;
  readonly address: DatabaseAddress;
  readonly server: Server;
  /** The database without the service, for what only the service calls. */
  readonly store: Store;
  readonly client: Client;
  /** Verifications of keys drawn by Zipf's law, as whole HTTP requests. */
  readonly verifications: readonly string[];
  /** When the rows were written. */
  readonly now: Date;
  readonly seedSeconds: number;
  readonly indexSeconds: Readonly<Record<string, number>>;
  /** Counts what must not be used twice, such as keys to revoke. */
  readonly used: Map<string, number>;
}

const maxDraws = 300_000;
/** A start on a busy machine can exceed the timeouts of the store. Minutes of writing rows must not be lost by it. */
const startAttempts = 5;

/** `postgresUrl`: the server in which the database is created; null for SQLite. */
export async function startSide(keys: number, postgresUrl: string | null): Promise<Side> {
  progress(`a database of ${keys.toLocaleString('en-US')} keys`);
  const startedAt = performance.now();
  const population = new Population(keys);
  const database = postgresUrl === null ? null : await postgresDatabase(postgresUrl);
  const directory = database?.directory ?? temporaryDirectory().path;
  const address: DatabaseAddress =
    database === null
      ? { provider: 'sqlite', file: join(directory, 'latchkey.db') }
      : { provider: 'postgresql', url: database.url };
  const pepper: RingKey = { id: 'bench', bytes: randomBytes(32) };
  const ranks = drawRanks(population.plainKeys, Math.min(maxDraws, 10 * population.plainKeys));
  const drawn = ranks.map((rank) => population.plainKey(rank));
  const now = new Date();
  const { secrets, indexSeconds } = await seed({ address, population, verified: new Set(drawn), pepper, now });
  const environment = {
    KEY_PEPPERS: `${pepper.id}:${pepper.bytes.toString('base64')}`,
    ...(address.provider === 'sqlite' ? {} : { DATABASE_URL: address.url }),
  };
  const seedSeconds = (performance.now() - startedAt) / 1000;
  const server = await Server.service({ directory, environment, name: `the service with ${keys} keys` });
  await startPatiently(server);
  return {
    population,
    address,
    server,
    store: await Store.openAsItIs(address),
    client: new Client(server.port),
    verifications: drawn.map((key) => verification(secrets, key)),
    now,
    seedSeconds,
    indexSeconds,
    used: new Map(),
  };
}

async function startPatiently(server: Server): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      await server.start();
      return;
    } catch (error) {
      if (attempts === startAttempts) throw error;
      progress(`${server.name} did not start: once more`);
    }
  }
}

export async function stopSide({ server, store, client }: Side): Promise<void> {
  client.close();
  await store.close();
  await server.stop();
}

/** Returns the next numbers that no call with this name has got. */
export function take({ used }: Side, name: string, count: number): readonly number[] {
  const first = used.get(name) ?? 0;
  used.set(name, first + count);
  return Array.from({ length: count }, (_, i) => first + i);
}

function verification(secrets: Secrets, key: number): string {
  return rawRequest({ method: 'POST', path: '/v1/verify', body: { key: secrets.get(key), env: 'live' } });
}
