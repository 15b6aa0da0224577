import type { Progress } from '../load/progress.ts';
import { Server } from '../load/server.ts';
import { startPostgres } from '../support/postgres.ts';
import { postgresDatabase, sqliteDatabase } from '../support/temporary-database.ts';

/** One part of `npm run bench`. */
export interface Bench {
  /** How often it calls `progress.next`. */
  readonly steps: number;
  readonly run: (progress: Progress) => Promise<Figure[]>;
}

export interface Figure {
  readonly name: string;
  readonly floor: string;
  readonly value: string;
  readonly result: number;
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
        atLeast === 0
          ? 'for comparison'
          : atLeast === undefined
            ? `at most ${atMost}${unit}`
            : `at least ${atLeast}${unit}`,
      met: (atLeast === undefined || result >= atLeast) && (atMost === undefined || result <= atMost),
    })),
  );
}

/** Runs with a service on an empty SQLite database. */
export async function withSqlite<Result>(use: (server: Server) => Promise<Result>): Promise<Result> {
  const { directory, remove } = await sqliteDatabase();
  const server = await Server.startService({ directory });
  const result = await use(server);
  await server.stop();
  await remove();
  return result;
}

/** Runs with a service on an empty PostgreSQL database. */
export async function withPostgres<Result>(
  environment: NodeJS.ProcessEnv,
  use: (server: Server, databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const postgres = await startPostgres();
  const { url, directory, remove } = await postgresDatabase(postgres.url);
  const server = await Server.startService({ directory, environment: { DATABASE_URL: url, ...environment } });
  const result = await use(server, url);
  await server.stop();
  await remove();
  await postgres.stop();
  return result;
}
