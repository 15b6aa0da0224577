/** The result of a run: its counts, and whether it was demanding enough to be meaningful. */

import { countNames, percentile, sum } from '../../harness/statistics.ts';
import { checkHistory } from '../../proof/history/checker.ts';
import type { Operation, TimedCall } from '../ledger.ts';
import type { Fault } from './faults.ts';
import type { Run } from './run.ts';
import type { Stop } from './stops.ts';

export type Summary = ReturnType<typeof summarise>;
export type Outages = ReturnType<typeof summariseOutages>;

export function summarise(run: Run) {
  const { seconds, changes, header, events, stops, ports, edges, strange, verifiedCalls, receipts } = run;
  const { violations, close, telling } = checkHistory(header, events);
  const latencies = verifiedCalls.map(({ started, ended }) => ended - started);
  return {
    seconds,
    changes: countNames(changes.filter(({ answer }) => answer !== null).map(({ name }) => name)),
    unansweredChanges: changes.filter(({ answer }) => answer === null).length,
    codes: countNames(verifiedCalls.map(({ code }) => code)),
    ports,
    edges,
    verifications: verifiedCalls.length,
    close,
    telling,
    stops: stops.map((stop) => ({
      ...stop,
      /** Verifications sent to the instance before or during the stop and answered after it. */
      heldUp: [...verifiedCalls, ...run.unavailableCalls].filter((one) => wasHeldUp(one, stop)).length,
      /** Changes answered by the others during the stop. */
      changesMeanwhile: changes.filter(
        ({ started, answer }) => started > stop.stopped && (answer?.ended ?? Number.POSITIVE_INFINITY) < stop.continued,
      ).length,
    })),
    medianMs: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    violations,
    receipts,
    strange,
    /** Null if the store had no faults. */
    outages: run.faults.length === 0 ? null : summariseOutages(run),
  };
}

function summariseOutages(run: Run) {
  const { faults, stops, verifiedCalls, unavailableCalls, operations, edges } = run;
  const managementCalls = operations.flatMap(timed);
  const undelayed = <Call extends TimedCall>(calls: readonly Call[]) =>
    calls.filter((call) => !stops.some((stop) => overlaps(call, stop)));
  const times = (calls: readonly TimedCall[]) => calls.map(({ started, ended }) => ended - started);
  const calm = (calls: readonly TimedCall[]) =>
    percentile(times(undelayed(calls).filter((call) => !faults.some((fault) => isNear(call, fault)))), 0.99) || 0;
  const calmMs = { verdict: calm(verifiedCalls), change: calm(managementCalls) };
  const longest = (name: string, calls: readonly TimedCall[], promisedMs: number, what: keyof typeof calmMs) => ({
    name,
    ms: times(undelayed(calls)).reduce((most, ms) => Math.max(most, ms), 0),
    promisedMs,
    calmMs: calmMs[what],
  });
  const all = [...verifiedCalls, ...unavailableCalls];
  const atEdges = all.filter(({ at }) => edges.includes(at));
  const atInstances = all.filter(({ at }) => !edges.includes(at));
  const [signed, unsigned] = [true, false].map((is) => atInstances.filter((one) => one.signed === is));
  const recoveries = [...new Set(faults.map(({ kind }) => kind))].flatMap((kind) => {
    const those = faults.filter((fault) => fault.kind === kind).flatMap((fault) => fault.recoveries);
    return (['verdict', 'change'] as const).map((what) => ({
      name: `the first ${what} after "${kind}"`,
      ms: Math.max(0, ...those.map((recovery) => recovery[`${what}Ms`])),
      promisedMs: promised.recoveryMs,
      calmMs: calmMs[what],
    }));
  });
  return {
    faults: countNames(faults.map(({ kind }) => kind)),
    unansweredCreations: operations.filter(({ name, answer }) => name === 'create' && answer === null).length,
    /** The longest calls, without those that a stopped process delayed. */
    calls: [
      longest('a verification', unsigned ?? [], promised.verificationMs, 'verdict'),
      longest('with a signature', signed ?? [], promised.signedVerificationMs, 'verdict'),
      longest('one at an edge', atEdges, promised.edgeVerificationMs, 'verdict'),
      longest('a change', managementCalls, promised.changeMs, 'change'),
    ],
    recoveries,
    /** The 99th percentile of calls without a fault: what this machine adds to the promised times. */
    calmVerificationMs: calmMs.verdict,
    calmChangeMs: calmMs.change,
  };
}

/** Empty without a reply. */
export function timed({ at, started, ended }: Operation): TimedCall[] {
  return ended === null ? [] : [{ at, started, ended }];
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
function wasHeldUp({ at, started, ended }: TimedCall, { instance, continued }: Stop): boolean {
  return at.startsWith(instance) && started < continued - 100 && ended > continued;
}

interface Demands {
  readonly changes: number;
  readonly close: number;
  readonly telling: number;
  /** How many kinds of faults must have occurred. */
  readonly faultKinds: number;
}

/** The promises while the store does not answer, and after it has recovered. */
const promised = {
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
  const { contradictions, incomplete, count } = summary.receipts;
  failures.push(...contradictions);
  if (incomplete > 0) failures.push(`${incomplete} of ${count} receipts are not complete`);
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

function brokenPromises({ calls, recoveries }: Outages): string[] {
  return [...calls, ...recoveries]
    .filter(({ ms, promisedMs, calmMs }) => ms > promisedMs + calmMs)
    .map(
      ({ name, ms, promisedMs, calmMs }) =>
        `${name} took ${ms.toFixed(0)} ms; promised are ${promisedMs} ms, and busy is ${calmMs.toFixed(0)} ms`,
    );
}
