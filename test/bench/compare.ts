/** A load on the verification port beside the same on a bare `node:http` server: same client, same bodies, in turn. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../support/embedded-postgres.ts';
import type { Progress } from '../support/progress.ts';
import { type Figure, median } from './figures.ts';
import { type BenchServer, temporaryDirectory } from './server.ts';
import { type Load, type Measured, measure } from './wrk.ts';

const rounds = 9;
const seconds = 2;

/** The steps of one comparison: the warm-up and the rounds. */
export const compareSteps = rounds + 1;

export interface Case {
  readonly name: string;
  readonly server: Pick<BenchServer, 'verifyUrl'>;
  readonly progress: Progress;
  /** A fresh one each round, where a request can't be sent twice. */
  readonly load: () => Load;
  /** Of the floor's answer: the size of its body, and of headers beyond the usual ones. */
  readonly answer: readonly [bodySize: number, headerSize: number];
  readonly atLeast: number;
  readonly p99AtMost?: number;
  /** How many milliseconds the median may be over the floor's. */
  readonly p50AtMostOver?: number;
  readonly warmUps?: number;
}

interface Pair {
  readonly floor: Measured;
  readonly ours: Measured;
}

export async function compare({
  name,
  server,
  progress,
  load,
  answer,
  atLeast,
  p99AtMost,
  p50AtMostOver,
  warmUps = 1,
}: Case): Promise<Figure[]> {
  const scratch = temporaryDirectory();
  const bare = await startBare(answer);
  progress.next(`${name}, warming up`);
  for (let i = 0; i < warmUps; i += 1) await measure(server.verifyUrl, load(), 1, scratch.path);
  await measure(bare.url, load(), 1, scratch.path);
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    progress.next(`${name}, round ${round + 1} of ${rounds}`);
    const current = load();
    const floor = await measure(bare.url, current, seconds, scratch.path);
    pairs.push({ floor, ours: await measure(server.verifyUrl, current, seconds, scratch.path) });
  }
  await bare.stop();
  scratch.remove();

  const of = (side: keyof Pair, what: keyof Measured) => median(pairs.map((pair) => pair[side][what]));
  const ratio = (what: keyof Measured) => median(pairs.map(({ floor, ours }) => ours[what] / floor[what]));
  const figures: Figure[] = [
    {
      name,
      floor: `${of('floor', 'perSecond').toFixed(0)} bare answers/s`,
      value: `${of('ours', 'perSecond').toFixed(0)} verdicts/s`,
      result: ratio('perSecond'),
      atLeast,
    },
  ];
  const latency = (what: 'p50Ms' | 'p99Ms') => ({
    name: `${name}, ${what.slice(0, 3)}`,
    floor: `${of('floor', what).toFixed(2)} ms`,
    value: `${of('ours', what).toFixed(2)} ms`,
  });
  if (p99AtMost !== undefined) figures.push({ ...latency('p99Ms'), result: ratio('p99Ms'), atMost: p99AtMost });
  if (p50AtMostOver !== undefined) {
    const over = median(pairs.map(({ floor, ours }) => ours.p50Ms - floor.p50Ms));
    figures.push({ ...latency('p50Ms'), result: over, atMost: p50AtMostOver, unit: ' ms over' });
  }
  return figures;
}

async function startBare([bodySize, headerSize]: readonly [number, number]) {
  const port = await freePort();
  const script = ['test/bench/bare-server.ts', String(port), String(bodySize), String(headerSize)];
  const child = spawn('node', script, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const stop = async () => {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}
