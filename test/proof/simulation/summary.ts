/** The counts of a run. */
export interface Summary {
  episodes: number;
  simulatedMs: number;
  changes: number;
  verdicts: number;
  /** Verdicts near a change that the state before the change would have answered otherwise. */
  telling: number;
  readonly faults: Map<string, number>;
  /** What the last episode did wrong; null if it kept the promise. */
  problem: { readonly seed: number; readonly text: string } | null;
}

export function emptySummary(): Summary {
  return { episodes: 0, simulatedMs: 0, changes: 0, verdicts: 0, telling: 0, faults: new Map(), problem: null };
}

/** Adds the counts of a run. Keeps the first problem. */
export function addTo(sum: Summary, { faults, problem, ...counts }: Summary): void {
  sum.episodes += counts.episodes;
  sum.simulatedMs += counts.simulatedMs;
  sum.changes += counts.changes;
  sum.verdicts += counts.verdicts;
  sum.telling += counts.telling;
  for (const [fault, count] of faults) sum.faults.set(fault, (sum.faults.get(fault) ?? 0) + count);
  sum.problem ??= problem;
}
