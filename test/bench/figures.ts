export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

export interface Figure {
  readonly name: string;
  readonly floor: string;
  readonly value: string;
  readonly result: number;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly unit?: string;
}

export function printFigures(figures: readonly Figure[]): void {
  console.table(
    figures.map(({ name, floor, value, result, atLeast, atMost, unit = '' }) => ({
      measured: name,
      floor,
      value,
      result: `${result.toFixed(2)}${unit}`,
      target:
        atLeast === 0
          ? 'for comparison'
          : atLeast === undefined
            ? `at most ${atMost}${unit}`
            : `at least ${atLeast}${unit}`,
      met: (atLeast === undefined || result >= atLeast) && (atMost === undefined || result <= atMost),
    })),
  );
}
