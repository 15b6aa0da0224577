/**
 * Writes what verification processes and edges report about keys. A client with a feed token can report anything, so
 * nothing is written about keys, secrets and windows that do not exist.
 */
import type { ReportedKey } from '../../store/rows/keys.ts';
import type { Store } from '../../store/store.ts';
import type { ControlPlane, RateCount } from '../../wire/control-plane.ts';

type ReportedUse = Pick<ControlPlane, 'addUsage' | 'addSources' | 'addRates'>;

export function reportedUse(store: Store): ReportedUse {
  const keysOf = (records: readonly { readonly keyId: string }[]) =>
    store.keys.reported([...new Set(records.map(({ keyId }) => keyId))]);
  return {
    addUsage: async (records, verifiers = []) => {
      if (verifiers.length > 0) await store.receipts.addVerifiers(verifiers);
      const keys = await keysOf(records);
      const known = records.flatMap((record) => {
        const key = keys.get(record.keyId);
        return hasSecret(key, record) ? [{ ...record, teamId: key.teamId }] : [];
      });
      if (known.length > 0) await store.usage.add(known);
    },
    addSources: async (records) => {
      const keys = await keysOf(records);
      const known = records.flatMap((record) => {
        const key = keys.get(record.keyId);
        return hasSecret(key, record) ? [{ ...record, teamId: key.teamId }] : [];
      });
      if (known.length > 0) await store.observedSources.add(known, new Date());
    },
    addRates: async (counts) => {
      const keys = await keysOf(counts);
      const now = new Date();
      const known = counts.filter((count) => hasWindow(keys.get(count.keyId), count, now.getTime()));
      const sums = known.length > 0 ? await store.rateCounts.add(known, now) : [];
      const sumOf = new Map(known.map(({ keyId }, i) => [keyId, sums[i]]));
      return counts.map(({ keyId, count }) => sumOf.get(keyId) ?? count);
    },
  };
}

function hasSecret(key: ReportedKey | undefined, { version }: { readonly version: number }): key is ReportedKey {
  return key !== undefined && version <= key.secretVersion;
}

/** How far the clock of an edge may differ. */
const clockToleranceMs = 60_000;

/** Returns whether the count is for a current window of the key's rate limit. */
function hasWindow(key: ReportedKey | undefined, { windowSeconds, windowEnd }: RateCount, now: number): boolean {
  if (key === undefined || key.rateLimitWindowSeconds !== windowSeconds) return false;
  const [windowMs, end] = [windowSeconds * 1000, windowEnd.getTime()];
  return end % windowMs === 0 && end > now - clockToleranceMs && end <= now + windowMs + clockToleranceMs;
}
