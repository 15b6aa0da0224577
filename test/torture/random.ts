export function between(low: number, high: number): number {
  return low + Math.random() * (high - low);
}

export function chance(share: number): boolean {
  return Math.random() < share;
}

export function pick<Value>(values: readonly Value[]): Value {
  const index = Math.floor(Math.random() * values.length);
  if (values.length === 0) throw new RangeError('there is nothing to pick from');
  return values[index] as Value;
}

/** One of the names, each as often as its weight says. */
export function pickWeighted<Name extends string>(weights: Readonly<Partial<Record<Name, number>>>): Name {
  const entries = Object.entries(weights) as [Name, number][];
  let rest = between(
    0,
    entries.reduce((sum, [, weight]) => sum + weight, 0),
  );
  for (const [name, weight] of entries) {
    rest -= weight;
    if (rest < 0) return name;
  }
  throw new RangeError('there is nothing to pick from');
}
