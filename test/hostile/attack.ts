/** The parts of an attack, and the measurement of a victim with and without it. */
import { median } from '../bench/figures.ts';
import type { BenchServer } from '../bench/server.ts';
import { pause, type RunningLoad, runLoad, startLoad } from './load.ts';
import type { LoadPlan, LoadReport } from './load-plan.ts';

export interface Attack {
  readonly name: string;
  readonly run: (stage: Stage) => Promise<readonly Row[]>;
}

export interface Stage {
  /** Starts the service on the attack's own database; one at a time. It is stopped when the attack has run. */
  readonly start: (environment?: NodeJS.ProcessEnv, descriptors?: number) => Promise<BenchServer>;
  /** For files of the attack itself. */
  readonly directory: string;
  readonly seconds: number;
  readonly rounds: number;
  readonly progress: (text: string) => void;
}

/** One line of the table. */
export interface Row {
  readonly victim: string;
  readonly calm: string;
  readonly attacked: string;
  readonly bound: string;
  readonly served: string;
  readonly rejected: string;
  readonly attacker: string;
  /** Empty when all bounds are kept. */
  readonly violations: readonly string[];
}

export interface Assault {
  /** Resolves when the attack is complete. Without it, the attack continues until it is stopped. */
  readonly finished?: Promise<unknown>;
  readonly stop: () => Promise<Pick<LoadReport, 'served' | 'rejected' | 'others'> | null>;
}

export interface Encounter {
  readonly victim: string;
  /** The calls of the victim. Called once for each measurement. */
  readonly plan: () => LoadPlan;
  /** How long an attack goes on before its victim is measured; 2 seconds if absent. */
  readonly buildUpSeconds?: number;
  /** Starts the attack. Called once a round. */
  readonly begin: (round: number) => Promise<Assault>;
}

export interface Measured {
  readonly calm: readonly LoadReport[];
  readonly attacked: readonly LoadReport[];
  /** Describes what the attacker got. */
  readonly attacker: string;
}

/** The pause between an attack and the next calm measurement, for work that the attack has left. */
const restSeconds = 5;
/** The timeout of an attack that has an end. */
const longestSeconds = 60;

/** Measures the victim calm and under attack in turn. */
export async function measure(stage: Stage, { plan, begin, victim, buildUpSeconds = 2 }: Encounter): Promise<Measured> {
  const { seconds, rounds, progress } = stage;
  const [calm, attacked, attackers]: [LoadReport[], LoadReport[], string[]] = [[], [], []];
  progress(`${victim}: warming up`);
  await runLoad(plan(), 3);
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${victim}: round ${round} of ${rounds}, calm`);
    calm.push(await runLoad(plan(), seconds));
    const assault = await begin(round);
    await pause(buildUpSeconds * 1000);
    progress(`${victim}: round ${round} of ${rounds}, under attack`);
    attacked.push(await until(await startLoad(plan()), seconds, assault.finished));
    attackers.push(describe(await assault.stop()));
    await pause(restSeconds * 1000);
    const [before, now] = [calm.at(-1), attacked.at(-1)];
    progress(`${victim}: p99 ${before?.p99Ms.toFixed(1)} ms calm, ${now?.p99Ms.toFixed(1)} ms under attack`);
  }
  return { calm, attacked, attacker: attackers.at(-1) ?? '' };
}

async function until(load: RunningLoad, seconds: number, finished: Promise<unknown> | undefined): Promise<LoadReport> {
  await pause(seconds * 1000);
  if (finished !== undefined) await Promise.race([finished, pause((longestSeconds - seconds) * 1000)]);
  return await load.stop();
}

function describe(report: Awaited<ReturnType<Assault['stop']>>): string {
  if (report === null) return '';
  const others = Object.entries(report.others).map(([what, count]) => `${count} ${what}`);
  return [`${report.served} served`, `${report.rejected} rejected`, ...others].join(', ');
}

export interface LatencyBound {
  /** The p99 under attack may be this many times the calm one… */
  readonly times: number;
  /** …or this, if that is larger. */
  readonly ms: number;
}

/** The required p99 of verifications during an attack. */
export const verificationBound: LatencyBound = { times: 1.5, ms: 5 };

/** A row about the victim's p99; every call of the victim must be served. */
export function latencyRow(victim: string, { calm, attacked, attacker }: Measured, bound: LatencyBound): Row {
  const p99 = (reports: readonly LoadReport[]) => median(reports.map(({ p99Ms }) => p99Ms));
  const allowed = Math.max(bound.times * p99(calm), bound.ms);
  const violations = p99(attacked) > allowed ? [`its p99 is ${p99(attacked).toFixed(1)} ms`] : [];
  return {
    victim,
    calm: `p99 ${p99(calm).toFixed(1)} ms${spread(calm)}`,
    attacked: `p99 ${p99(attacked).toFixed(1)} ms${spread(attacked)}`,
    bound: `${allowed.toFixed(1)} ms`,
    ...countsOf(attacked),
    attacker,
    violations: [...violations, ...notServed([...calm, ...attacked])],
  };
}

/** The required p50 of a victim's calls during an attack: the larger one of these. */
const medianBound = { times: 1.5, moreMs: 10 } as const;

/** A row about the victim's p50, with its p99; every call of the victim must be served. */
export function medianRow(victim: string, { calm, attacked, attacker }: Measured): Row {
  const of = (reports: readonly LoadReport[], field: 'p50Ms' | 'p99Ms') => median(reports.map((one) => one[field]));
  const text = (reports: readonly LoadReport[]) =>
    `p50 ${of(reports, 'p50Ms').toFixed(1)} ms, p99 ${of(reports, 'p99Ms').toFixed(1)} ms${spread(reports)}`;
  const [before, during] = [of(calm, 'p50Ms'), of(attacked, 'p50Ms')];
  const allowed = Math.max(medianBound.times * before, before + medianBound.moreMs);
  const violations = during > allowed ? [`its p50 is ${during.toFixed(1)} ms`] : [];
  return {
    victim,
    calm: text(calm),
    attacked: text(attacked),
    bound: `p50 ${allowed.toFixed(1)} ms`,
    ...countsOf(attacked),
    attacker,
    violations: [...violations, ...notServed([...calm, ...attacked])],
  };
}

/** The range of the p99 over the rounds, and how late the victim's own timer was at worst. */
function spread(reports: readonly LoadReport[]): string {
  const values = reports.map(({ p99Ms }) => p99Ms);
  const own = Math.max(...reports.map(({ ownDelayP99Ms }) => ownDelayP99Ms));
  const range = `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;
  return ` (${range}${Number.isNaN(own) ? '' : `; own ${own.toFixed(1)}`})`;
}

export function countsOf(reports: readonly LoadReport[]): Pick<Row, 'served' | 'rejected'> {
  const sum = (field: 'served' | 'rejected') => String(reports.reduce((total, report) => total + report[field], 0));
  return { served: sum('served'), rejected: sum('rejected') };
}

export function notServed(reports: readonly LoadReport[]): readonly string[] {
  const totals = new Map<string, number>();
  for (const { rejected, others } of reports) {
    for (const [what, count] of Object.entries({ rejected, ...others })) {
      totals.set(what, (totals.get(what) ?? 0) + count);
    }
  }
  return [...totals].filter(([, count]) => count > 0).map(([what, count]) => `calls of the victim: ${count} ${what}`);
}
