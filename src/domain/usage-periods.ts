/** Splits a period into those of single calls for usage, so that no answer has too many counts. Runs in a browser too. */
import { dayMs } from './moment.ts';

/** With a count of every verdict in every hour, an answer is below `limits.usageCounts`. */
export const maxUsageDays = 14;

/** Returns the periods in order. Each hour begins in one of them. */
export function usagePeriods(from: Date, to: Date): readonly { readonly from: Date; readonly to: Date }[] {
  const [start, end, step] = [from.getTime(), to.getTime(), maxUsageDays * dayMs];
  return Array.from({ length: Math.ceil((end - start) / step) }, (_, i) => ({
    from: new Date(start + i * step),
    to: new Date(Math.min(start + (i + 1) * step, end)),
  }));
}
