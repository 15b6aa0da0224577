/** The parts of an attack, and the measurement of a victim with and without it. */
import { pause } from '../load/schedule.ts';
import type { Server, ServiceOptions } from '../load/server.ts';
import { median, sum } from '../load/statistics.ts';
import { type LoadPlan, type LoadReport, type RunningLoad, runLoad, startLoad } from './load.ts';

export interface Attack {
  readonly name: string;
  readonly run: (stage: Stage) => Promise<readonly Row[]>;
}

export interface Stage {
  /** Starts the service on the attack's own database; one at a time. It is stopped when the attack has run. */
  readonly start: (environment?: NodeJS.ProcessEnv, options?: Pick<ServiceOptions, 'maxOpenFiles'>) => Promise<Server>;
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

export const emptyRow: Row = {
  victim: '',
  calm: '',
  attacked: '',
  bound: '',
  served: '',
  rejected: '',
  attacker: '',
  violations: [],
};

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
  readonly begin: () => Promise<Assault>;
}

export interface Measured {
  readonly victim: string;
  readonly calm: readonly LoadReport[];
  readonly attacked: readonly LoadReport[];
  /** Describes what the attacker got. */
  readonly attacker: string;
}

/** The pause between an attack and the next calm measurement, for work that the attack has left. */
const restSeconds = 5;
/** The timeout of an attack that has an end. */
const maxSeconds = 60;

/** The number of measurements of each victim: one to warm up, and two a round. */
export function measurementsOf({ rounds }: Stage): number {
  return 1 + 2 * rounds;
}

/** Measures the victim calm and under attack in turn. */
export async function measure(stage: Stage, { plan, begin, victim, buildUpSeconds = 2 }: Encounter): Promise<Measured> {
  const { seconds, rounds, progress } = stage;
  const [calm, attacked]: [LoadReport[], LoadReport[]] = [[], []];
  let attacker = '';
  progress(`${victim}: warming up`);
  await runLoad(plan(), 3);
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${victim}: round ${round} of ${rounds}, calm`);
    const before = await runLoad(plan(), seconds);
    const assault = await begin();
    await pause(buildUpSeconds * 1000);
    progress(`${victim}: round ${round} of ${rounds}, under attack`);
    const during = await runUntil(await startLoad(plan()), seconds, assault.finished);
    attacker = describe(await assault.stop());
    await pause(restSeconds * 1000);
    progress(`${victim}: p99 ${before.p99Ms.toFixed(1)} ms calm, ${during.p99Ms.toFixed(1)} ms under attack`);
    calm.push(before);
    attacked.push(during);
  }
  return { victim, calm, attacked, attacker };
}

async function runUntil(load: RunningLoad, seconds: number, finished: Assault['finished']): Promise<LoadReport> {
  await pause(seconds * 1000);
  if (finished !== undefined) await Promise.race([finished, pause((maxSeconds - seconds) * 1000)]);
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
export function latencyRow(measured: Measured, { times, ms }: LatencyBound): Row {
  const p99 = (reports: readonly LoadReport[]) => median(reports.map(({ p99Ms }) => p99Ms));
  const allowed = Math.max(times * p99(measured.calm), ms);
  return rowOf(measured, {
    text: (reports) => `p99 ${p99(reports).toFixed(1)} ms${range(reports)}`,
    bound: `${allowed.toFixed(1)} ms`,
    violation: p99(measured.attacked) > allowed ? `its p99 is ${p99(measured.attacked).toFixed(1)} ms` : null,
  });
}

/** The required p50 of a victim's calls during an attack: the larger one of these. */
const medianBound = { times: 1.5, moreMs: 10 } as const;

/** A row about the victim's p50, with its p99; every call of the victim must be served. */
export function medianRow(measured: Measured): Row {
  const of = (reports: readonly LoadReport[], field: 'p50Ms' | 'p99Ms') => median(reports.map((one) => one[field]));
  const [before, during] = [of(measured.calm, 'p50Ms'), of(measured.attacked, 'p50Ms')];
  const allowed = Math.max(medianBound.times * before, before + medianBound.moreMs);
  return rowOf(measured, {
    text: (reports) =>
      `p50 ${of(reports, 'p50Ms').toFixed(1)} ms, p99 ${of(reports, 'p99Ms').toFixed(1)} ms${range(reports)}`,
    bound: `p50 ${allowed.toFixed(1)} ms`,
    violation: during > allowed ? `its p50 is ${during.toFixed(1)} ms` : null,
  });
}

/** A row about how many calls of the victim are served per second, compared with the calm rate. */
export function rateRow(measured: Measured, minShare: number): Row {
  const rate = (reports: readonly LoadReport[]) => median(reports.map(({ served, seconds }) => served / seconds));
  const min = minShare * rate(measured.calm);
  return rowOf(measured, {
    text: (reports) => `${rate(reports).toFixed(1)}/s`,
    bound: `at least ${min.toFixed(1)}/s`,
    violation: rate(measured.attacked) >= min ? null : `only ${rate(measured.attacked).toFixed(1)} answers/s`,
  });
}

interface Judgement {
  readonly text: (reports: readonly LoadReport[]) => string;
  readonly bound: string;
  readonly violation: string | null;
}

function rowOf({ victim, calm, attacked, attacker }: Measured, { text, bound, violation }: Judgement): Row {
  return {
    victim,
    calm: text(calm),
    attacked: text(attacked),
    bound,
    served: String(sum(attacked.map(({ served }) => served))),
    rejected: String(sum(attacked.map(({ rejected }) => rejected))),
    attacker,
    violations: [...(violation === null ? [] : [violation]), ...notServed([...calm, ...attacked])],
  };
}

/** The range of the p99 over the rounds, and how late the victim's own timer was at worst. */
function range(reports: readonly LoadReport[]): string {
  const values = reports.map(({ p99Ms }) => p99Ms);
  const own = Math.max(...reports.map(({ ownDelayP99Ms }) => ownDelayP99Ms));
  const text = `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;
  return ` (${text}${Number.isNaN(own) ? '' : `; own ${own.toFixed(1)}`})`;
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
