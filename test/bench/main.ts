/** `npm run bench`: every figure as a ratio to a floor that is taken in the same run, as the median of several rounds. */
import { type Progress, startProgress } from '../support/progress.ts';
import { benchCreate, createSteps } from './create.ts';
import { benchDashboard, dashboardSteps } from './dashboard.ts';
import { type Figure, printFigures } from './figures.ts';
import { benchLocal, localSteps } from './local.ts';
import { benchPages, pagesSteps } from './pages.ts';
import { benchPostgres, postgresSteps } from './postgres.ts';
import { benchVerify, verifySteps } from './verify.ts';

interface Bench {
  readonly steps: number;
  readonly run: (progress: Progress) => Promise<Figure[]>;
}

const benches: Readonly<Record<string, Bench>> = {
  create: { steps: createSteps, run: benchCreate },
  dashboard: { steps: dashboardSteps, run: benchDashboard },
  pages: { steps: pagesSteps, run: benchPages },
  verify: { steps: verifySteps, run: benchVerify },
  local: { steps: localSteps, run: benchLocal },
  postgres: { steps: postgresSteps, run: benchPostgres },
};
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`usage: npm run bench [-- ${Object.keys(benches).join(' ')}]`);
  process.exit(2);
}
const chosen = Object.entries(benches).filter(([name]) => asked.length === 0 || asked.includes(name));
const progress = startProgress(chosen.reduce((sum, [, { steps }]) => sum + steps, 0));
const figures: Figure[] = [];
for (const [, { run }] of chosen) figures.push(...(await run(progress)));
progress.stop();
printFigures(figures);
