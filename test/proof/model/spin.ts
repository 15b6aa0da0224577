/** Runs Spin, which visits every state of the model or finds a way in which it breaks a property. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const model = join(import.meta.dirname, 'promise.pml');

export interface Search {
  /** The constants and mutants that are defined for the model's preprocessor. */
  readonly constants: Readonly<Record<string, number>>;
  /** Breadth first, so that the trace is the shortest one. Needs more memory. */
  readonly isShortest?: boolean;
  /** Checks that each request is decided or fails, under weak fairness, instead of the assertions. */
  readonly isLiveness?: boolean;
  /** A search that reaches one of these limits is not complete. */
  readonly maxDepth?: number;
  readonly maxMegabytes?: number;
}

export interface Result {
  /** Whether every reachable state was visited, without an error. */
  readonly holds: boolean;
  /** Whether Spin found a way to break a property. */
  readonly isBroken: boolean;
  readonly states: number;
  readonly depth: number;
  readonly megabytes: number;
  readonly seconds: number;
  /** The steps that break the property, one per line; empty without an error. */
  readonly trace: readonly string[];
  /** Spin's own report. */
  readonly report: string;
}

/** Returns the required programs that are not installed. */
export async function missingPrograms(): Promise<readonly string[]> {
  const isMissing = async (program: string, option: string) =>
    await run(program, [option]).then(
      () => false,
      () => true,
    );
  const [spin, gcc] = await Promise.all([isMissing('spin', '-V'), isMissing('gcc', '--version')]);
  return [...(spin ? ['spin'] : []), ...(gcc ? ['gcc'] : [])];
}

export async function search(options: Search): Promise<Result> {
  const { constants, isLiveness = false, maxDepth = 3_000_000, maxMegabytes = 8192 } = options;
  const isShortest = options.isShortest === true && !isLiveness;
  const defined = { ...constants, ...(isShortest && { SHORTEST: 1 }), ...(isLiveness && { LIVENESS: 1 }) };
  const definitions = Object.entries(defined).map(([name, value]) => `-D${name}=${value}`);
  // Liveness is checked without partial-order reduction, which saves little here and needs more assumptions.
  const compilerOptions = isLiveness ? ['-DNOREDUCE'] : isShortest ? ['-DSAFETY', '-DBFS'] : ['-DSAFETY'];
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-proof-'));
  try {
    const startedAt = performance.now();
    const inDirectory = { cwd: directory, maxBuffer: 2 ** 26 };
    await run('spin', [...definitions, '-a', model], inDirectory);
    // Compiling takes longer than a small search.
    const optimization = isShortest || isLiveness ? '-O0' : '-O1';
    const compile = ['-w', optimization, ...compilerOptions, `-DMEMLIM=${maxMegabytes}`, '-o', 'pan', 'pan.c'];
    await run('gcc', compile, inDirectory);
    const limits = [`-m${maxDepth}`, `-w${isShortest ? 20 : 25}`];
    // The search fails if it finds an error. Its output then tells which.
    const { stdout } = await run('./pan', [...limits, ...(isLiveness ? ['-a', '-f'] : [])], inDirectory).catch(
      (error) => error,
    );
    const report = String(stdout);
    const number = (pattern: RegExp) => Number(pattern.exec(report)?.[1] ?? Number.NaN);
    const errors = number(/errors: (\d+)/);
    const isComplete = !/not completed|depth too small|out of memory|MEMLIM/i.test(report);
    return {
      holds: errors === 0 && isComplete,
      isBroken: errors > 0,
      states: number(/(\d+) states, stored/),
      depth: number(/depth reached (\d+)/),
      megabytes: number(/([\d.]+)\s+total actual memory usage/),
      seconds: (performance.now() - startedAt) / 1000,
      trace: await traceIn(directory, definitions, constants.PROCESSES ?? 2),
      report,
    };
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function traceIn(directory: string, definitions: readonly string[], processes: number) {
  const trail = join(directory, 'promise.pml.trail');
  if (!existsSync(trail)) return [];
  // -T: without indentation; -B: without the values of all variables at the end.
  const { stdout } = await run('spin', [...definitions, '-T', '-B', '-k', trail, model], { cwd: directory });
  return stdout
    .split('\n')
    .map((line) => line.trim().replace('<<<<<START OF CYCLE>>>>>', 'from here, the steps repeat forever'))
    .filter((line) => /^(writer|node|the|failover|wrong|from here)\b/.test(line))
    .map((line) => line.replace(/^node (\d+)/, (_, index) => (index < processes ? `process ${index}` : 'the edge')));
}
