/** `npm run chaos -- faults [name…]`: runs the tests of single faults, such as `clock` or `full-disk`. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { requireOneOf } from '../../harness/arguments.ts';

const names = process.argv.slice(2);
const faults = readdirSync(import.meta.dirname).flatMap((file) => /^(.+)\.slow\.test\.ts$/.exec(file)?.[1] ?? []);
for (const name of names) requireOneOf('a name of a fault', name, faults);
const files = names.length === 0 ? ['test/chaos/faults/'] : names.map((name) => `test/chaos/faults/${name}.`);
const vitest = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', 'alone', ...files];
process.exitCode = spawnSync(vitest[0] ?? '', vitest.slice(1), { stdio: 'inherit' }).status ?? 1;
