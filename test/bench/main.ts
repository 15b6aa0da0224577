/** `npm run bench`: every figure as a ratio to a floor that is taken in the same run, as the median of several rounds. */
import { exitOnSignals } from '../load/schedule.ts';
import { requireWrk } from '../load/wrk.ts';
import { check } from './check.ts';
import { create } from './create.ts';
import { dashboard } from './dashboard.ts';
import { events } from './events.ts';
import { type Bench, type Figure, printFigures } from './figures.ts';
import { large } from './large/large.ts';
import { local } from './local.ts';
import { pages } from './pages.ts';
import { postgres } from './postgres.ts';
import { reads } from './reads/reads.ts';
import { verify } from './verify.ts';

const benches: Readonly<Record<string, Bench>> = {
  create,
  reads,
  dashboard,
  pages,
  verify,
  check,
  local,
  events,
  postgres,
};
const names = process.argv.slice(2);
const [first, ...options] = names;
// Takes an hour, so it is not part of a run of all.
const isLarge = first === 'large';
if (!isLarge && !names.every((name) => Object.hasOwn(benches, name))) {
  console.error(`usage: npm run bench [-- ${Object.keys(benches).join(' ')}], or npm run bench -- large [options]`);
  process.exit(2);
}
requireWrk();
exitOnSignals();
if (isLarge) await large(options);
else {
  const figures: Figure[] = [];
  for (const [name, bench] of Object.entries(benches)) {
    if (names.length === 0 || names.includes(name)) figures.push(...(await bench()));
  }
  printFigures(figures);
}
