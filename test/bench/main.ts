/** `npm run bench`: every figure as a ratio to a floor that is taken in the same run, as the median of several rounds. */
import { exitOnSignals } from '../load/schedule.ts';
import { requireWrk } from '../load/wrk.ts';
import { check } from './check.ts';
import { create } from './create.ts';
import { dashboard } from './dashboard.ts';
import { events } from './events.ts';
import { type Bench, type Figure, printFigures } from './figures.ts';
import { local } from './local.ts';
import { pages } from './pages.ts';
import { postgres } from './postgres.ts';
import { verify } from './verify.ts';

const benches: Readonly<Record<string, Bench>> = { create, dashboard, pages, verify, check, local, events, postgres };
const names = process.argv.slice(2);
if (!names.every((name) => Object.hasOwn(benches, name))) {
  console.error(`usage: npm run bench [-- ${Object.keys(benches).join(' ')}]`);
  process.exit(2);
}
requireWrk();
exitOnSignals();
const figures: Figure[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (names.length === 0 || names.includes(name)) figures.push(...(await bench()));
}
printFigures(figures);
