/**
 * `npm run prove -- spin`: checks that the model of the strict promise holds in each configuration, and that Spin rejects each
 * mutant and each broken condition. Arguments select some of them: `configurations`, `mutants`, `conditions`, or names.
 * `--trace NAME` prints the shortest way in which one mutant breaks the promise.
 */
import { readArguments, rejectArguments } from '../../harness/arguments.ts';
import { type Configuration, conditions, configurations, type Mutant, mutants } from './configurations.ts';
import { missingPrograms, type Result, search } from './spin.ts';

const { positionals, values } = readArguments({
  allowPositionals: true,
  options: { trace: { type: 'string', multiple: true, default: [] } },
});
const chosen = [...positionals, ...values.trace];
const groups = { configurations, mutants, conditions };
const startedAt = performance.now();
let failures = 0;
let states = 0;

await requirePrograms();
requireKnown(chosen);
for (const configuration of configurations.filter(isChosenFrom('configurations')))
  await checkConfiguration(configuration);
for (const mutant of mutants.filter(isChosenFrom('mutants'))) await checkMutant(mutant);
for (const condition of conditions.filter(isChosenFrom('conditions'))) await checkMutant(condition);
const total = `${numeral(states)} states, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
console.log(`total: ${total}; ${failures === 0 ? 'no failure' : `${failures} failed`}`);
process.exitCode = failures === 0 ? 0 : 1;

async function checkConfiguration({ name, ...options }: Configuration): Promise<void> {
  process.stdout.write(`${name}: `);
  const result = await search(options);
  states += result.states;
  console.log(`${result.holds ? 'holds' : 'FAILS'}; ${figures(result)}`);
  if (result.holds) return;
  failures += 1;
  printTrace(result);
  // Without an error, the report says which limit cut the search off.
  if (!result.isBroken) console.log(result.report);
}

async function checkMutant({ name, ...options }: Mutant): Promise<void> {
  process.stdout.write(`${name}: `);
  const { constants, ...others } = options;
  const result = await search({ constants: { ...constants, [name]: 1 }, isShortest: true, ...others });
  console.log(`${result.isBroken ? 'rejected' : 'NOT REJECTED'}; ${figures(result)}`);
  if (!result.isBroken) failures += 1;
  if (values.trace.includes(name)) printTrace(result);
}

async function requirePrograms(): Promise<void> {
  const missing = await missingPrograms();
  if (missing.length === 0) return;
  console.error(`not installed: ${missing.join(', ')}. On Debian: apt-get install spin gcc libc6-dev`);
  process.exit(1);
}

function requireKnown(names: readonly string[]): void {
  const known = new Set([
    ...Object.keys(groups),
    ...Object.values(groups).flatMap((all) => all.map(({ name }) => name)),
  ]);
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  rejectArguments(`unknown: ${unknown.join(', ')}. Known: ${[...known].join(', ')}`);
}

function isChosenFrom(group: keyof typeof groups): (item: { readonly name: string }) => boolean {
  return ({ name }) => chosen.length === 0 || chosen.includes(group) || chosen.includes(name);
}

function figures({ states, depth, megabytes, seconds }: Result): string {
  return `${numeral(states)} states, depth ${numeral(depth)}, ${megabytes.toFixed(0)} MB, ${seconds.toFixed(1)} s`;
}

function numeral(value: number): string {
  return value.toLocaleString('en-US');
}

function printTrace({ trace }: Result): void {
  for (const line of trace) console.log(`  ${line}`);
}
