/**
 * `npm run load -- bench [<name>…] [--write]`: every figure as a ratio to a floor that is taken in the same run, as the median
 * of several rounds. With `--write`, writes the figures into docs/evidence/benchmarks.md.
 */
import { rejectArguments } from '../../harness/arguments.ts';
import type { MeasurementName } from '../../harness/results/measurements.ts';
import { takenNow, writeBlock } from '../../harness/results/page.ts';
import { requireWrk } from '../wrk.ts';
import { check } from './check.ts';
import { create } from './create.ts';
import { dashboard } from './dashboard.ts';
import { events } from './events.ts';
import { type Bench, type Figure, printFigures, tableOf } from './figures.ts';
import { local } from './local.ts';
import { pages } from './pages.ts';
import { postgres } from './postgres.ts';
import { reads } from './reads/reads.ts';
import { verify } from './verify.ts';

const benches = {
  create,
  reads,
  dashboard,
  pages,
  verify,
  check,
  local,
  events,
  postgres,
} as const satisfies Partial<Record<MeasurementName, Bench>>;
type Name = keyof typeof benches;
const isName = (text: string): text is Name => Object.hasOwn(benches, text);

await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<void> {
  const given = args.filter((arg) => arg !== '--write');
  if (!given.every(isName)) {
    const all = Object.keys(benches).join(' ');
    rejectArguments(`usage: npm run load -- bench [${all}] [--write]`);
  }
  requireWrk();
  const names = (Object.keys(benches) as Name[]).filter((name) => given.length === 0 || given.includes(name));
  const taken = args.includes('--write') ? takenNow(names) : null;
  const figures: Figure[] = [];
  for (const name of names) {
    const found = await benches[name]();
    // At once: a later one can fail.
    if (taken !== null) writeBlock(name, taken, tableOf(found));
    figures.push(...found);
  }
  printFigures(figures);
}
