/** The parts of an attack, and the measurement of a victim with and without it. */
import { setTimeout as pause } from 'node:timers/promises';
import { readArguments, readNumber } from '../../harness/arguments.ts';
import { progress } from '../../harness/print.ts';
import type { Server, ServiceOptions } from '../../harness/server.ts';
import { median, sum } from '../../harness/statistics.ts';
import { type Load, type LoadPlan, type LoadReport, runLoad, startLoad } from './load.ts';

const { values } = readArguments({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    /** Of each measurement. */
    seconds: { type: 'string', default: '10' },
    /** Measurements of each victim, calm and under attack in turn. */
    rounds: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
});
/** The names of the attacks to run; empty for all. */
export const only: readonly string[] = values.only;
/** Whether the table of docs/evidence/benchmarks.md, which has one attack, is replaced. */
export const writes = values.write && only.join() === 'bad-receivers';
export const seconds = Math.min(60, readNumber('--seconds', values.seconds));
const rounds = Math.min(20, readNumber('--rounds', values.rounds, 1));

export interface Attack {
  readonly name: string;
  readonly run: (stage: Stage) => Promise<readonly Row[]>;
}

export interface Stage {
  /** Starts the service on the attack's own database. It is stopped when the attack has run. */
  readonly start: (environment?: NodeJS.ProcessEnv, options?: Pick<ServiceOptions, 'maxOpenFiles'>) => Promise<Server>;
  /** With the database, and for files of the attack itself. */
  readonly directory: string;
}

/** A part of the result. */
export interface Row {
  readonly victim: string;
  readonly found: string;
  readonly bound: string;
  /** Empty when all bounds are kept. */
  readonly violations: readonly string[];
}

export interface Assault {
  /** Resolves when the attack is complete. Without it, the attack continues until it is stopped. */
  readonly finished?: Promise<unknown>;
  readonly stop: () => Promise<Pick<LoadReport, 'served' | 'rejected' | 'others'>>;
}

export interface Encounter {
  readonly victim: string;
  /** How long an attack goes on before its victim is measured; 2 seconds if absent. */
  readonly buildUpSeconds?: number;
  /** Starts the attack. Called once a round. */
  readonly begin: () => Promise<Assault>;
}

/** The calls of the victim: a plan for a process of its own, or a load that is started. Called once for each measurement. */
type Victim = { readonly plan: () => LoadPlan } | { readonly start: () => Promise<Load> };

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
export const measurements = 1 + 2 * rounds;

/** Measures the victim calm and under attack in turn. */
export async function measure({ victim, begin, buildUpSeconds = 2, ...calls }: Encounter & Victim): Promise<Measured> {
  const [calm, attacked]: [LoadReport[], LoadReport[]] = [[], []];
  let attacker = '';
  const start = () => ('plan' in calls ? startLoad(calls.plan()) : calls.start());
  await runLoad(start, 3);
  for (let round = 1; round <= rounds; round += 1) {
    const before = await runLoad(start, seconds);
    const { finished, stop } = await begin();
    await pause(buildUpSeconds * 1000);
    const load = await start();
    await pause(seconds * 1000);
    if (finished !== undefined) await Promise.race([finished, pause((maxSeconds - seconds) * 1000)]);
    const during = await load.stop();
    const { served, rejected, others } = await stop();
    attacker = Object.entries({ served, rejected, ...others })
      .map(([what, count]) => `${count} ${what}`)
      .join(', ');
    await pause(restSeconds * 1000);
    const p99s = `p99 ${before.p99Ms.toFixed(1)} ms calm, ${during.p99Ms.toFixed(1)} ms under attack`;
    progress(`${victim}, round ${round} of ${rounds}: ${p99s}`);
    calm.push(before);
    attacked.push(during);
  }
  return { victim, calm, attacked, attacker };
}

type Reports = readonly LoadReport[];

/** The required p99 of verifications during an attack: so many times the calm one, or so many ms if that is more. */
export const verificationBound = { times: 1.5, ms: 5 };

/** A row about the victim's p99; every call of the victim must be served. */
export function latencyRow(measured: Measured, { times, ms }: typeof verificationBound): Row {
  const p99 = (reports: Reports) => median(reports.map(({ p99Ms }) => p99Ms));
  const allowed = Math.max(times * p99(measured.calm), ms);
  const text = (reports: Reports) => `p99 ${p99(reports).toFixed(1)} ms${range(reports)}`;
  return rowOf(measured, text, `p99 ${allowed.toFixed(1)} ms`, p99(measured.attacked) <= allowed);
}

/** A row about the victim's p50, which may be 1.5 times the calm one or 10 ms more; every call must be served. */
export function medianRow(measured: Measured): Row {
  const p50 = (reports: Reports) => median(reports.map(({ p50Ms }) => p50Ms));
  const allowed = Math.max(1.5 * p50(measured.calm), p50(measured.calm) + 10);
  const text = (reports: Reports) => {
    const p99 = median(reports.map(({ p99Ms }) => p99Ms));
    return `p50 ${p50(reports).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${range(reports)}`;
  };
  return rowOf(measured, text, `p50 ${allowed.toFixed(1)} ms`, p50(measured.attacked) <= allowed);
}

/** A row about the victim's p99, which may be so many ms longer than the calm one; every call must be served. */
export function delayRow(measured: Measured, ms: number): Row {
  const p99 = (reports: Reports) => median(reports.map(({ p99Ms }) => p99Ms));
  const allowed = p99(measured.calm) + ms;
  const text = (reports: Reports) => {
    const p50 = median(reports.map(({ p50Ms }) => p50Ms));
    const max = Math.max(...reports.map(({ maxMs }) => maxMs));
    return `p50 ${p50.toFixed(0)} ms, p99 ${p99(reports).toFixed(0)} ms, max ${max.toFixed(0)} ms`;
  };
  return rowOf(measured, text, `p99 ${allowed.toFixed(0)} ms`, p99(measured.attacked) <= allowed);
}

/** A row about how many calls of the victim are served per second, compared with the calm rate. */
export function rateRow(measured: Measured, minShare: number): Row {
  const rate = (reports: Reports) => median(reports.map((report) => report.served / report.seconds));
  const min = minShare * rate(measured.calm);
  const text = (reports: Reports) => `${rate(reports).toFixed(1)}/s`;
  return rowOf(measured, text, `at least ${min.toFixed(1)}/s`, rate(measured.attacked) >= min);
}

function rowOf(
  { victim, calm, attacked, attacker }: Measured,
  text: (reports: Reports) => string,
  bound: string,
  isKept: boolean,
): Row {
  const found = [
    `${text(calm)} calm`,
    `${text(attacked)} under attack, ${sum(attacked.map(({ served }) => served))} served`,
    `the attacker: ${attacker}`,
  ];
  const violations = [...(isKept ? [] : [`${text(attacked)} under attack`]), ...notServed([...calm, ...attacked])];
  return { victim, found: found.join('\n'), bound, violations };
}

/** The range of the p99 over the rounds, and how late the victim's own timer was at worst. */
function range(reports: Reports): string {
  const values = reports.map(({ p99Ms }) => p99Ms);
  const own = Math.max(...reports.map(({ ownDelayP99Ms }) => ownDelayP99Ms));
  const text = `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;
  return ` (${text}${Number.isNaN(own) ? '' : `; own ${own.toFixed(1)}`})`;
}

export function notServed(reports: Reports): readonly string[] {
  const totals = new Map<string, number>();
  for (const { rejected, others } of reports) {
    for (const [what, count] of Object.entries({ rejected, ...others })) {
      totals.set(what, (totals.get(what) ?? 0) + count);
    }
  }
  return [...totals].filter(([, count]) => count > 0).map(([what, count]) => `calls of the victim: ${count} ${what}`);
}
