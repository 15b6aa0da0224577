/** A load on the verification port compared with the same load on a bare `node:http` server, in alternating rounds. */

import { progress } from '../../harness/print.ts';
import { median } from '../../harness/statistics.ts';
import { freePort } from '../../support/free-port.ts';
import { startScript } from '../script.ts';
import { runWrk, type WrkLoad, type WrkReport } from '../wrk.ts';
import type { Figure } from './figures.ts';

const rounds = 9;
const seconds = 2;

export interface Case {
  readonly name: string;
  readonly verifyUrl: string;
  /** Called once a round, since some requests can't be sent twice. */
  readonly load: () => WrkLoad;
  /** The answer of the bare server: the size of its body, and of headers beyond the usual ones. */
  readonly answer: readonly [bodySize: number, headerSize: number];
  readonly atLeast: number;
  readonly p99AtMost?: number;
  /** By how many milliseconds the median may exceed that of the bare server. */
  readonly p50AtMostOver?: number;
  readonly warmUps?: number;
}

/** Throws if an answer is not a success. */
export async function measure(url: string, load: WrkLoad, forSeconds = seconds): Promise<WrkReport> {
  const report = await runWrk(url, load, forSeconds);
  const { rejectedPerSecond, errors } = report;
  if (rejectedPerSecond > 0 || errors !== '') throw new Error(`${rejectedPerSecond} rejected per second; ${errors}`);
  return report;
}

interface Pair {
  readonly bare: WrkReport;
  readonly latchkey: WrkReport;
}

export async function compare(options: Case): Promise<Figure[]> {
  const { name, verifyUrl, load, answer, atLeast, p99AtMost, p50AtMostOver, warmUps = 1 } = options;
  const port = await freePort();
  const bare = await startScript(['test/load/bench/bare-server.ts', String(port), ...answer.map(String)]);
  const bareUrl = `http://127.0.0.1:${port}`;
  progress(`${name}, warming up`);
  for (let i = 0; i < warmUps; i += 1) await measure(verifyUrl, load(), 1);
  await measure(bareUrl, load(), 1);
  const pairs: Pair[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${name}, round ${round} of ${rounds}`);
    const current = load();
    pairs.push({ bare: await measure(bareUrl, current), latchkey: await measure(verifyUrl, current) });
  }
  await bare.stop();

  type Field = 'perSecond' | 'p50Ms' | 'p99Ms';
  const of = (side: keyof Pair, field: Field) => median(pairs.map((pair) => pair[side][field]));
  const ratio = (field: Field) => median(pairs.map((pair) => pair.latchkey[field] / pair.bare[field]));
  const figures: Figure[] = [
    {
      name,
      floor: `${of('bare', 'perSecond').toFixed(0)} bare answers/s`,
      value: `${of('latchkey', 'perSecond').toFixed(0)} verdicts/s`,
      result: ratio('perSecond'),
      atLeast,
    },
  ];
  const latency = (field: 'p50Ms' | 'p99Ms') => ({
    name: `${name}, ${field.slice(0, 3)}`,
    floor: `${of('bare', field).toFixed(2)} ms`,
    value: `${of('latchkey', field).toFixed(2)} ms`,
  });
  if (p99AtMost !== undefined) figures.push({ ...latency('p99Ms'), result: ratio('p99Ms'), atMost: p99AtMost });
  if (p50AtMostOver !== undefined) {
    const over = median(pairs.map((pair) => pair.latchkey.p50Ms - pair.bare.p50Ms));
    figures.push({ ...latency('p50Ms'), result: over, atMost: p50AtMostOver, unit: ' ms over' });
  }
  return figures;
}
