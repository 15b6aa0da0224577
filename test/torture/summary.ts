/** What a run has shown: its counts, and whether it was hard enough to mean something. */
import { check, type Violation } from './checker.ts';
import type { Verification } from './history.ts';
import type { PortCounts, Run } from './run.ts';
import type { Stop } from './stops.ts';

export interface Summary {
  readonly seconds: number;
  readonly changes: ReadonlyMap<string, number>;
  readonly unansweredChanges: number;
  readonly codes: ReadonlyMap<string, number>;
  readonly ports: ReadonlyMap<string, PortCounts>;
  readonly verifications: number;
  readonly close: number;
  readonly telling: number;
  readonly stops: readonly StopSummary[];
  readonly medianMs: number;
  readonly slowOneInHundredMs: number;
  readonly violations: readonly Violation[];
  readonly strange: readonly string[];
}

export interface StopSummary extends Stop {
  /** Verifications sent to the instance before or during the stop and answered after it. */
  readonly heldUp: number;
  /** Changes answered by the others during the stop. */
  readonly changesMeanwhile: number;
}

export function summarise({ seconds, keys, clock, stops, ports, strange }: Run): Summary {
  const findings = keys.map((key) => check(key, clock));
  const changes = keys.flatMap((key) => key.changes);
  const verifications = keys.flatMap((key) => key.verifications);
  const latencies = Float64Array.from(verifications, ({ started, ended }) => ended - started).sort();
  return {
    seconds,
    changes: count(changes.filter(({ answered }) => answered !== null).map(({ kind }) => kind)),
    unansweredChanges: changes.filter(({ answered }) => answered === null).length,
    codes: count(verifications.map(({ answer }) => answer.code)),
    ports,
    verifications: verifications.length,
    close: findings.reduce((sum, { close }) => sum + close, 0),
    telling: findings.reduce((sum, { telling }) => sum + telling, 0),
    stops: stops.map((stop) => ({
      ...stop,
      heldUp: verifications.filter((one) => wasHeldUp(one, stop)).length,
      changesMeanwhile: changes.filter(
        ({ asked, answered }) => asked > stop.stopped && (answered ?? Number.POSITIVE_INFINITY) < stop.continued,
      ).length,
    })),
    medianMs: latencies[latencies.length >> 1] ?? Number.NaN,
    slowOneInHundredMs: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    violations: findings.flatMap(({ violations }) => violations),
    strange,
  };
}

/** Most of a stop went by while it waited, or all that was left of it. */
function wasHeldUp({ at, started, ended }: Verification, { instance, continued }: Stop): boolean {
  return at.startsWith(instance) && started < continued - 100 && ended > continued;
}

function count(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

export interface Demands {
  readonly changes: number;
  readonly close: number;
  readonly telling: number;
}

/** Why the run proves nothing, or proves the contrary; empty when the promise was kept under hard enough conditions. */
export function failuresOf(summary: Summary, demands: Demands): string[] {
  const failures = summary.strange.map((answer) => `unexpected answer: ${answer}`);
  if (summary.violations.length > 0) failures.push(`${summary.violations.length} violations of the promise`);
  const demand = (what: string, had: number, wanted: number) => {
    if (had < wanted) failures.push(`too easy: ${had} ${what}, and ${wanted} were wanted`);
  };
  demand('changes', total(summary.changes), demands.changes);
  demand('verifications close to a change', summary.close, demands.close);
  demand('verifications that an old state would have answered otherwise', summary.telling, demands.telling);
  for (const stop of summary.stops) demand(`verifications held up by stopping ${stop.process}`, stop.heldUp, 1);
  return failures;
}

export function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, one) => sum + one, 0);
}
