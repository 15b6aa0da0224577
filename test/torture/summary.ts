/** The result of a run: its counts, and whether it was demanding enough to be meaningful. */

import { countNames, percentile, sum } from '../load/statistics.ts';
import { check, type Violation } from './checker.ts';
import type { Fault } from './faults.ts';
import type { TimedCall, Verification } from './history.ts';
import type { Recovery } from './recovery.ts';
import type { PortCounts, Run } from './run.ts';
import type { Stop } from './stops.ts';

export interface Summary {
  readonly seconds: number;
  readonly changes: ReadonlyMap<string, number>;
  readonly unansweredChanges: number;
  readonly codes: ReadonlyMap<string, number>;
  readonly ports: ReadonlyMap<string, PortCounts>;
  readonly edges: readonly string[];
  readonly verifications: number;
  readonly close: number;
  readonly telling: number;
  readonly stops: readonly StopSummary[];
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly violations: readonly Violation[];
  readonly strange: readonly string[];
  /** Null if the store had no faults. */
  readonly outages: OutageSummary | null;
}

export interface OutageSummary {
  readonly faults: ReadonlyMap<string, number>;
  readonly unavailableCreations: number;
  /** Without calls that a stopped process delayed. */
  readonly longestVerificationMs: number;
  readonly longestSignedVerificationMs: number;
  /** Of edges, signed or not. */
  readonly longestEdgeVerificationMs: number;
  readonly longestChangeMs: number;
  /** The 99th percentile of calls without a fault: what this machine contributes. */
  readonly calmVerificationMs: number;
  readonly calmChangeMs: number;
  /** After the faults of each kind. */
  readonly longestRecoveries: ReadonlyMap<string, Recovery>;
}

export interface StopSummary extends Stop {
  /** Verifications sent to the instance before or during the stop and answered after it. */
  readonly heldUp: number;
  /** Changes answered by the others during the stop. */
  readonly changesMeanwhile: number;
}

export function summarise(run: Run): Summary {
  const { seconds, keys, clock, leaseMs, stops, ports, edges, strange } = run;
  const findings = keys.map((key) => check(key, clock, leaseMs));
  const changes = keys.flatMap((key) => key.changes);
  const verifications = keys.flatMap((key) => key.verifications);
  const latencies = verifications.map(({ started, ended }) => ended - started);
  return {
    seconds,
    changes: countNames(changes.filter(({ answered }) => answered !== null).map(({ kind }) => kind)),
    unansweredChanges: changes.filter(({ answered }) => answered === null).length,
    codes: countNames(verifications.map(({ answer }) => answer.code)),
    ports,
    edges,
    verifications: verifications.length,
    close: sum(findings.map(({ close }) => close)),
    telling: sum(findings.map(({ telling }) => telling)),
    stops: stops.map((stop) => ({
      ...stop,
      heldUp: verifications.filter((one) => wasHeldUp(one, stop)).length,
      changesMeanwhile: changes.filter(
        ({ asked, answered }) => asked > stop.stopped && (answered ?? Number.POSITIVE_INFINITY) < stop.continued,
      ).length,
    })),
    medianMs: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    violations: findings.flatMap(({ violations }) => violations),
    strange,
    outages: run.faults.length === 0 ? null : summariseOutages(run, verifications),
  };
}

function summariseOutages(
  { faults, stops, unavailableCalls, managementCalls, unavailableCreations, edges }: Run,
  verifications: readonly Verification[],
): OutageSummary {
  const longest = (calls: readonly TimedCall[]) =>
    calls
      .filter((call) => !stops.some((stop) => overlaps(call, stop)))
      .reduce((most, { started, ended }) => Math.max(most, ended - started), 0);
  const calm = (calls: readonly TimedCall[]) => {
    const times = calls
      .filter((call) => !stops.some((stop) => overlaps(call, stop)) && !faults.some((fault) => isNear(call, fault)))
      .map(({ started, ended }) => ended - started);
    return percentile(times, 0.99) || 0;
  };
  const isOfEdge = ({ at }: { readonly at: string }) => edges.includes(at);
  const ofInstances = verifications.filter((one) => !isOfEdge(one));
  const unavailableOfInstances = unavailableCalls.filter((one) => !isOfEdge(one));
  const isSigned = ({ circumstances }: Verification) => circumstances.signedWith !== null;
  return {
    faults: countNames(faults.map(({ kind }) => kind)),
    unavailableCreations,
    longestVerificationMs: longest([
      ...ofInstances.filter((one) => !isSigned(one)),
      ...unavailableOfInstances.filter(({ signed }) => !signed),
    ]),
    longestSignedVerificationMs: longest([
      ...ofInstances.filter(isSigned),
      ...unavailableOfInstances.filter(({ signed }) => signed),
    ]),
    longestEdgeVerificationMs: longest([...verifications, ...unavailableCalls].filter(isOfEdge)),
    longestChangeMs: longest(managementCalls),
    calmVerificationMs: calm(verifications),
    calmChangeMs: calm(managementCalls),
    longestRecoveries: longestRecoveries(faults),
  };
}

function longestRecoveries(faults: readonly Fault[]): Map<string, Recovery> {
  const longest = new Map<string, Recovery>();
  for (const { kind, recoveries } of faults) {
    for (const { verdictMs, changeMs } of recoveries) {
      const known = longest.get(kind) ?? { verdictMs: 0, changeMs: 0 };
      longest.set(kind, {
        verdictMs: Math.max(known.verdictMs, verdictMs),
        changeMs: Math.max(known.changeMs, changeMs),
      });
    }
  }
  return longest;
}

/** How long a process that was stopped may take to answer the calls that waited. */
const catchUpMs = 500;

/** Stopping one process of an instance may hold up a call of any: all of them wait for the changes of one another. */
function overlaps({ started, ended }: TimedCall, { stopped, continued }: Stop): boolean {
  return started < continued + catchUpMs && ended > stopped;
}

function isNear({ started, ended }: TimedCall, { began, returned }: Fault): boolean {
  return started < returned + promised.recoveryMs && ended > began;
}

/** Whether it waited for most of a stop, or for all that was left of it. */
function wasHeldUp({ at, started, ended }: Verification, { instance, continued }: Stop): boolean {
  return at.startsWith(instance) && started < continued - 100 && ended > continued;
}

export interface Demands {
  readonly changes: number;
  readonly close: number;
  readonly telling: number;
  /** How many kinds of faults must have occurred. */
  readonly faultKinds: number;
}

/** The promises while the store does not answer, and after it has recovered. */
export const promised = {
  verificationMs: 3000,
  signedVerificationMs: 4500,
  edgeVerificationMs: 1000,
  changeMs: 5000,
  recoveryMs: 2000,
} as const;

/** Returns why the run failed or proves nothing; empty if the promise was kept under demanding conditions. */
export function failuresOf(summary: Summary, demands: Demands): string[] {
  const failures = summary.strange.map((answer) => `unexpected answer: ${answer}`);
  if (summary.violations.length > 0) failures.push(`${summary.violations.length} violations of the promise`);
  const demand = (what: string, had: number, wanted: number) => {
    if (had < wanted) failures.push(`too easy: ${had} ${what}, and ${wanted} were wanted`);
  };
  demand('changes', total(summary.changes), demands.changes);
  demand('verifications close to a change', summary.close, demands.close);
  demand('verifications that an old state would have answered otherwise', summary.telling, demands.telling);
  demand('kinds of faults', summary.outages?.faults.size ?? 0, demands.faultKinds);
  for (const [at, { unanswered }] of summary.ports) {
    // With edges, the instances are restarted.
    const mustAnswer = summary.outages !== null && (summary.edges.length === 0 || summary.edges.includes(at));
    if (mustAnswer && unanswered > 0) failures.push(`${at} left ${unanswered} verifications unanswered`);
  }
  if (summary.outages !== null) failures.push(...brokenPromises(summary.outages));
  for (const { process, verifies, heldUp } of summary.stops) {
    if (verifies) demand(`verifications held up by stopping ${process}`, heldUp, 1);
  }
  return failures;
}

export function total(counts: ReadonlyMap<string, number>): number {
  return sum([...counts.values()]);
}

function brokenPromises(outages: OutageSummary): string[] {
  const failures: string[] = [];
  const { calmVerificationMs, calmChangeMs } = outages;
  const limit = (what: string, tookMs: number, limitMs: number, calmMs: number) => {
    if (tookMs <= limitMs + calmMs) return;
    failures.push(
      `${what} took ${tookMs.toFixed(0)} ms; promised are ${limitMs} ms, and busy is ${calmMs.toFixed(0)} ms`,
    );
  };
  limit('a verification', outages.longestVerificationMs, promised.verificationMs, calmVerificationMs);
  limit('a signed one', outages.longestSignedVerificationMs, promised.signedVerificationMs, calmVerificationMs);
  limit('one at an edge', outages.longestEdgeVerificationMs, promised.edgeVerificationMs, calmVerificationMs);
  limit('a change', outages.longestChangeMs, promised.changeMs, calmChangeMs);
  for (const [kind, { verdictMs, changeMs }] of outages.longestRecoveries) {
    limit(`the first verdict after "${kind}"`, verdictMs, promised.recoveryMs, calmVerificationMs);
    limit(`the first change after "${kind}"`, changeMs, promised.recoveryMs, calmChangeMs);
  }
  return failures;
}
