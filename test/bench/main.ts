/** `npm run bench`: every figure as a ratio to a floor that is taken in the same run, as the median of several rounds. */
import { startProgress } from '../load/progress.ts';
import { exitOnSignals } from '../load/schedule.ts';
import { create } from './create.ts';
import { dashboard } from './dashboard.ts';
import { type Bench, type Figure, printFigures } from './figures.ts';
import { local } from './local.ts';
import { pages } from './pages.ts';
import { postgres } from './postgres.ts';
import { verify } from './verify.ts';

const benches: Readonly<Record<string, Bench>> = { create, dashboard, pages, verify, local, postgres };
const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`usage: npm run bench [-- ${Object.keys(benches).join(' ')}]`);
  process.exit(2);
}
exitOnSignals();
const chosen = Object.entries(benches).filter(([name]) => names.length === 0 || names.includes(name));
const progress = startProgress(chosen.reduce((sum, [, { steps }]) => sum + steps, 0));
const figures: Figure[] = [];
for (const [, { run }] of chosen) figures.push(...(await run(progress)));
progress.stop();
printFigures(figures);
