/**
 * `npm run chaos -- network [latencies | torture] [--seconds <n>] [--delay <ms>] [--loss <percent>] [--lease <ms>] [--seed <n>]`:
 * runs two instances, PostgreSQL and three edges on hosts of their own, in network namespaces of this machine. Measures
 * their latencies, and then tries to catch them deciding on an old state, while every link loses packets and is cut.
 * `--delay`, `--loss`: of the packets of each direction of a link; packets are lost during torture only.
 */
import { parseArgs } from 'node:util';
import { printFailures, printRows, progress } from '../../load/print.ts';
import { exitOnSignals } from '../../load/schedule.ts';
import { print } from '../torture/print.ts';
import { torture } from '../torture/run.ts';
import { failuresOf, summarise } from '../torture/summary.ts';
import { startHosts } from './hosts.ts';
import { type Latency, measureLatencies } from './latencies.ts';
import { asInstances, createLinkFaults, type LinkFaults } from './link-faults.ts';
import { whyNoHosts } from './network.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '180' },
    delay: { type: 'string', default: '20' },
    loss: { type: 'string', default: '1' },
    /** VERIFY_LEASE_MS of the instances, during torture. */
    lease: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const [what = 'both'] = positionals;
if (!['latencies', 'torture', 'both'].includes(what))
  throw new Error('the argument is latencies or torture, or absent');
const delayMs = Number(values.delay);
const failures: string[] = [];

exitOnSignals();
const obstacle = whyNoHosts();
if (obstacle !== '') {
  printFailures([`no hosts: ${obstacle}`]);
} else {
  if (what !== 'torture') for (const leaseMs of [0, delayMs, 10 * delayMs]) await latencies(leaseMs);
  if (what !== 'latencies') await tortureLinks();
  printFailures(failures.slice(0, 20));
}

async function latencies(leaseMs: number): Promise<void> {
  progress(`latencies with a lease of ${leaseMs} ms, without loss of packets`);
  const measured = await measureLatencies({ leaseMs, delayMs, calls: 3000, singleCalls: 40 });
  console.log(`\nlease ${leaseMs} ms, round trip R of a link ${measured.roundTripMs.toFixed(1)} ms`);
  printRows(measured.latencies.map((latency) => [latency.what.padEnd(42), describe(latency)]));
  const missed = measured.latencies.filter((latency) => !isAsPredicted(latency));
  failures.push(...missed.map((latency) => `lease ${leaseMs} ms, ${latency.what}: ${describe(latency)}`));
}

function describe({ formula, formulaMs, workMs, measuredMs }: Latency): string {
  return `${measuredMs.toFixed(1)} ms; predicted ${formula} = ${formulaMs.toFixed(1)} ms, and ${workMs.toFixed(1)} ms of work`;
}

/** Within 20%. What should not wait at all takes less than 2 ms. */
function isAsPredicted({ formulaMs, workMs, measuredMs }: Latency): boolean {
  const predictedMs = formulaMs + workMs;
  return Math.abs(measuredMs - predictedMs) <= Math.max(0.2 * predictedMs, 2);
}

async function tortureLinks(): Promise<void> {
  const seconds = Math.min(600, Number(values.seconds));
  const leaseMs = Number(values.lease);
  const hosts = await startHosts({ leaseMs, seed: Number(values.seed) });
  progress(`torture for ${seconds} s; packets are lost by the seed ${values.seed}`);
  try {
    await hosts.use({ delayMs, loss: Number(values.loss) / 100 });
    const faults = createLinkFaults(hosts, { minMs: 1000, maxMs: 3000 });
    const plan = { seconds, keys: 48, changers: 8, pauseMs: 30, faults: Math.floor(seconds / 4.5), leaseMs };
    const summary = summarise(await torture(asInstances(hosts, faults), plan));
    print(summary);
    printRows([['faults of links', faultLines(faults).join('\n')]]);
    failures.push(...failuresOf(summary, { changes: 500, close: 2000, telling: 500, faultKinds: 4 }));
  } finally {
    await hosts.stop();
  }
}

function faultLines({ counts }: LinkFaults): string[] {
  return [...counts].map(([link, kinds]) => {
    const list = Object.entries(kinds).map(([kind, count]) => `${kind} ${count}`);
    return `${link.padEnd(14)} ${list.join(', ')}`;
  });
}
