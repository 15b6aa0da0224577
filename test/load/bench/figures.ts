import { startPostgres } from '../../support/postgres.ts';
import { postgresDatabase, temporaryDirectory } from '../../support/temporary-database.ts';
import { Server } from '../server.ts';
import { median } from '../statistics.ts';

/** One part of `npm run load -- bench`. */
export type Bench = () => Promise<Figure[]>;

export interface Figure {
  readonly name: string;
  readonly floor: string;
  readonly value: string;
  readonly result: number;
  /** 0: only for comparison. */
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly unit?: string;
}

export function printFigures(figures: readonly Figure[]): void {
  console.table(
    figures.map(({ name, floor, value, result, atLeast, atMost, unit = '' }) => ({
      measured: name,
      floor,
      value,
      result: `${result.toFixed(2)}${unit}`,
      target:
        atLeast === 0 ? 'for comparison' : `at ${atLeast === undefined ? 'most' : 'least'} ${atLeast ?? atMost}${unit}`,
      met: (atLeast === undefined || result >= atLeast) && (atMost === undefined || result <= atMost),
    })),
  );
}

/** The median of the ratios of values to those of the floor that were measured in the same round. */
export function medianRatio(values: readonly number[], floors: readonly number[]): number {
  return median(values.map((value, round) => value / (floors[round] ?? Number.NaN)));
}

/** Starts a service on an empty SQLite database, which is removed when the program ends. */
export async function startOnSqlite(): Promise<Server> {
  return await Server.startService({ directory: temporaryDirectory().path });
}

/** Runs with a service on an empty PostgreSQL database. */
export async function withPostgres<Result>(
  environment: NodeJS.ProcessEnv,
  use: (server: Server, databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const postgres = await startPostgres();
  const { url, directory } = await postgresDatabase(postgres.url);
  const server = await Server.startService({ directory, environment: { DATABASE_URL: url, ...environment } });
  const result = await use(server, url);
  await server.stop();
  await postgres.stop();
  return result;
}
