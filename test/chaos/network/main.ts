/**
 * `npm run chaos -- network [--seconds <n>] [--lease <ms>] [--seed <n>]`: runs two instances, PostgreSQL and three edges on
 * hosts of their own, in network namespaces of this machine, and tries to catch them deciding on an old state, while every
 * link loses packets and is cut.
 * `npm run chaos -- network latency [--write]`: measures how long calls take there, without and with delay. With `--write`,
 * the table of docs/evidence/latency.md is replaced.
 */

import { readArguments, readNumber, requireOneOf } from '../../harness/arguments.ts';
import { countsText, printFailures, printRows, progress } from '../../harness/print.ts';
import { tableText, takenNow, writeBlock } from '../../harness/results/page.ts';
import { print } from '../torture/print.ts';
import { torture } from '../torture/run.ts';
import { failuresOf, summarise } from '../torture/summary.ts';
import { startHosts } from './hosts.ts';
import { type Latency, type LatencyRow, measureLatencies } from './latency.ts';
import { asInstances, createLinkFaults, type LinkFaults } from './link-faults.ts';
import { whyNoHosts } from './network.ts';

const { values, positionals } = readArguments({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '180' },
    /** VERIFY_LEASE_MS of the instances. */
    lease: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    write: { type: 'boolean', default: false },
  },
});

const [what = 'torture'] = positionals;
requireOneOf('the argument, unless it is absent', what, ['torture', 'latency']);
const seconds = Math.min(600, readNumber('--seconds', values.seconds));
const leaseMs = readNumber('--lease', values.lease);
const seed = readNumber('--seed', values.seed);
/** Of each direction of each link. */
const usualQuality = { delayMs: 20, loss: 0.01 };

const obstacle = whyNoHosts();
if (obstacle !== '') printFailures([`no hosts: ${obstacle}`]);
else if (what === 'latency') await latency();
else printFailures(await tortureLinks());

async function latency(): Promise<void> {
  const taken = values.write ? takenNow(['network-latency']) : null;
  const rows = await measureLatencies();
  const header = ['call', 'L', 'formula', 'expected', 'without delay', 'measured'];
  const table = tableText(header, rows.map(cellsOf));
  console.log(table);
  if (taken !== null) writeBlock('network-latency', taken, table);
}

function cellsOf({ name, leaseMs, expected, without, delayed }: LatencyRow): string[] {
  return [name, `${leaseMs} ms`, expected.formula, ...[expected, without, delayed].map(textOf)];
}

function textOf({ median, p99 }: Latency): string {
  return p99 === undefined ? `${median.toFixed(1)} ms` : `${median.toFixed(1)} ms; 99% ${p99.toFixed(1)} ms`;
}

async function tortureLinks(): Promise<readonly string[]> {
  const hosts = await startHosts({ leaseMs, seed });
  progress(`torture for ${seconds} s; packets are lost by the seed ${seed}`);
  try {
    await hosts.use(usualQuality);
    const faults = createLinkFaults(hosts, { minMs: 1000, maxMs: 3000 });
    const plan = { seconds, keys: 48, changers: 8, pauseMs: 30, faults: Math.floor(seconds / 4.5), leaseMs };
    const summary = summarise(await torture(asInstances(hosts, faults), plan));
    print(summary);
    printRows([['faults of links', faultLines(faults).join('\n')]]);
    return failuresOf(summary, { changes: 500, close: 2000, telling: 500, faultKinds: 4 }).slice(0, 20);
  } finally {
    await hosts.stop();
  }
}

function faultLines({ counts }: LinkFaults): string[] {
  return [...counts].map(([link, kinds]) => `${link.padEnd(14)} ${countsText(Object.entries(kinds))}`);
}
