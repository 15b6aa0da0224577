import { tableText } from '../../harness/results/page.ts';
import { Server } from '../../harness/server.ts';
import { median } from '../../harness/statistics.ts';
import { startPostgres } from '../../support/postgres.ts';
import { postgresDatabase, temporaryDirectory } from '../../support/temporary-database.ts';

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
    figures.map((figure) => ({
      measured: figure.name,
      floor: figure.floor,
      value: figure.value,
      result: resultOf(figure),
      target: targetOf(figure) || 'for comparison',
      met: isMet(figure),
    })),
  );
}

/** Returns the figures as a table of a page. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, floor, value } = figure;
    const shown = `${resultOf(figure)}${value === '' ? '' : ` (${value})`}${isMet(figure) ? '' : ': missed'}`;
    return [name, floor, shown, targetOf(figure)];
  });
  return tableText(['measured', 'baseline', 'result', 'target'], rows);
}

/** A ratio of 0.996 is not shown as 1.00 if that would meet the target. */
function resultOf(figure: Figure): string {
  const { result, unit = '' } = figure;
  const digits = [2, 3].find((count) => isMet({ ...figure, result: Number(result.toFixed(count)) }) === isMet(figure));
  return `${result.toFixed(digits ?? 4)}${unit}`;
}

function targetOf({ atLeast, atMost, unit = '' }: Figure): string {
  if (atLeast === 0) return '';
  return atLeast === undefined ? `at most ${atMost}${unit}` : `at least ${atLeast}${unit}`;
}

function isMet({ result, atLeast, atMost }: Figure): boolean {
  return (atLeast === undefined || result >= atLeast) && (atMost === undefined || result <= atMost);
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
