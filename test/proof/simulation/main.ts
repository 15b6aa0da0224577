/**
 * `npm run prove -- simulate`: runs the real code in a simulated world, and checks the strict promise.
 *
 *     npm run prove -- simulate                           60 seconds, from a fresh seed
 *     npm run prove -- simulate --seed N                  the one episode with this seed, again
 *     npm run prove -- simulate [--seed N] --seconds S    episodes N, N + 1, … for this time
 *     … --history FILE                                    writes the history of the last episode
 *     … --broken NAME                                     a build that is broken on purpose
 *     npm run prove -- simulate broken                    all broken builds: how long it takes to find each
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { readArguments, readNumber, requireOneOf } from '../../harness/arguments.ts';
import { countsText, printRows } from '../../harness/print.ts';
import { brokenBuilds } from './broken-builds.ts';
import { addTo, emptySummary, type Summary } from './summary.ts';
import type { Share } from './worker.ts';

const { values, positionals } = readArguments({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string' },
    history: { type: 'string' },
    broken: { type: 'string' },
  },
});

for (const positional of positionals) requireOneOf('the argument, unless it is absent', positional, ['broken']);
const { broken, history } = values;
if (broken !== undefined) requireOneOf('--broken', broken, Object.keys(brokenBuilds));
const seed = values.seed === undefined ? randomInt(2 ** 31) : readNumber('--seed', values.seed);
const isOne = values.seed !== undefined && values.seconds === undefined && positionals.length === 0;
const seconds = isOne ? null : readNumber('--seconds', values.seconds ?? '60');

if (positionals[0] === 'broken') findAll();
else await simulate();

async function simulate(): Promise<void> {
  printRows([['seed', String(seed)]]);
  const startedAt = performance.now();
  const startCpu = process.cpuUsage();
  const { episodes, simulatedMs, changes, verdicts, telling, faults, problem } = await runShares(
    { seed, step: 1, seconds, historyFile: history ?? null, broken },
    isOne || history !== undefined ? 1 : availableParallelism(),
  );
  const realSeconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(startCpu);
  const cpuMs = (user + system) / 1000;
  printRows([
    ['episodes', `${episodes}, ${(simulatedMs / 1000).toFixed(0)} s simulated in ${realSeconds.toFixed(1)} s`],
    ['changes', `${changes}, ${Math.round((changes / realSeconds) * 60)} per minute`],
    ['verdicts', `${verdicts}; for ${telling}, the state before a change gives another verdict`],
    ['processor', `${(cpuMs / changes).toFixed(2)} ms for a change with its verdicts`],
    ['faults', countsText(faults)],
    [
      'result',
      problem === null ? 'the promise was kept' : `the promise was broken in the episode with seed ${problem.seed}`,
    ],
  ]);
  if (problem === null) return;
  console.log(`\n${problem.text}\n`);
  const again = `npm run prove -- simulate --seed ${problem.seed}`;
  console.log(`To repeat it: ${again}${broken === undefined ? '' : ` --broken '${broken}'`}`);
  process.exitCode = 1;
}

/** Shares the episodes among threads, until all have ended or one has found a problem. */
async function runShares(share: Share, threads: number): Promise<Summary> {
  const workers = Array.from(
    { length: threads },
    (_, i) =>
      new Worker(new URL('worker.ts', import.meta.url), {
        workerData: { ...share, seed: share.seed + i, step: threads } satisfies Share,
      }),
  );
  const sum = emptySummary();
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise<void>((resolve, reject) => {
          worker.once('error', reject);
          worker.once('exit', () => resolve());
          worker.once('message', (summary: Summary) => {
            addTo(sum, summary);
            if (summary.problem !== null) for (const other of workers) void other.terminate();
          });
        }),
    ),
  );
  return sum;
}

/** Runs all broken builds, one after the other. */
function findAll(): void {
  printRows([['seed', String(seed)]]);
  for (const name of Object.keys(brokenBuilds)) {
    const startedAt = performance.now();
    const options = ['simulate', '--broken', name, '--seed', String(seed), '--seconds', String(seconds)];
    const { status } = spawnSync(process.execPath, [process.argv[1] ?? '', ...options]);
    const tookSeconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${status === 1 ? `found in ${tookSeconds} s` : 'NOT FOUND'}: ${name}`);
    if (status !== 1) process.exitCode = 1;
  }
}
