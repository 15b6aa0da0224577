/** Larger than a transaction of the change queue, because each batch waits for the lease once. */
const batchSize = 100;

/** Changes keys in batches, up to a batch for which `isLast` is true. Returns the results in the order of the keys. */
export async function inBatches<Key, Result>(
  keys: readonly Key[],
  change: (batch: readonly Key[]) => Promise<readonly Result[]>,
  isLast: (results: readonly Result[]) => boolean = () => false,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let i = 0; i < keys.length; i += batchSize) {
    const batch = await change(keys.slice(i, i + batchSize));
    results.push(...batch);
    if (isLast(batch)) break;
  }
  return results;
}
