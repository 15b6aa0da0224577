/** `npm run bench`: every figure as a ratio to a floor that is taken in the same run, as the median of several rounds. */
import { benchCreate } from './create.ts';
import { type Figure, printFigures } from './figures.ts';
import { benchPages } from './pages.ts';
import { benchPostgres } from './postgres.ts';
import { benchVerify } from './verify.ts';

const benches: Readonly<Record<string, () => Promise<Figure[]>>> = {
  create: benchCreate,
  pages: benchPages,
  verify: benchVerify,
  postgres: benchPostgres,
};
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`usage: npm run bench [-- ${Object.keys(benches).join(' ')}]`);
  process.exit(2);
}
const figures: Figure[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (asked.length === 0 || asked.includes(name)) figures.push(...(await bench()));
}
printFigures(figures);
