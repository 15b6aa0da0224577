/** Places where secrets leaked, as reports name them. Each is recorded once. */
import { createHash } from 'node:crypto';
import type { LeakMatch, LeakPolicy } from '../../domain/leak.ts';
import type { RecordedExposure } from '../../store/changes/change.ts';
import type { FoundKeySecret } from '../../store/rows/keys.ts';
import type { Caller } from '../management.ts';

/** The recorded exposures of each secret: people act on the first ones, and no reporter can fill the log with more. */
const maxRecorded = 100;

/** An exposure of a key, before it is known whether it is recorded. */
export interface Exposure {
  readonly id: string;
  /** Of the leaked secret; 0 for a token that was derived from the key, whose secrets have not leaked. */
  readonly version: number;
  /** The label of that token. */
  readonly label?: string | null | undefined;
  readonly match: LeakMatch;
}

/** A secret of a key, or a token that was derived from one. */
export type LeakedSecret = Pick<FoundKeySecret, 'keyId' | 'version'> &
  Partial<Pick<FoundKeySecret, 'tripwire'>> &
  Pick<Exposure, 'label'>;

export type ExposuresByKey = ReadonlyMap<string, ReadonlyMap<string, Exposure>>;

/** Returns the exposures by key, and then by id: the same place twice is one exposure. */
export function exposuresByKey(
  matches: readonly LeakMatch[],
  found: ReadonlyMap<string, readonly LeakedSecret[]>,
): ExposuresByKey {
  const byKey = new Map<string, Map<string, Exposure>>();
  for (const match of matches) {
    for (const { keyId, version, label } of found.get(match.token) ?? []) {
      const exposures = byKey.get(keyId) ?? new Map<string, Exposure>();
      byKey.set(keyId, exposures);
      const id = idOf(keyId, version, match);
      if (!exposures.has(id)) exposures.set(id, { id, version, label, match });
    }
  }
  return byKey;
}

function idOf(keyId: string, version: number, { source, url }: LeakMatch): string {
  return createHash('sha256')
    .update(JSON.stringify([keyId, version, source, url]))
    .digest('base64url');
}

/** Leaves out places of secrets that leaked in many. What changes the key is recorded first, and always. */
export function withinLimit<One extends Exposure & { readonly action: LeakPolicy }>(
  exposures: readonly One[],
  { recordedOf }: { readonly recordedOf: (version: number) => number },
): readonly One[] {
  const counts = new Map<number, number>();
  return exposures
    .toSorted((a, b) => Number(a.action === 'NOTIFY') - Number(b.action === 'NOTIFY'))
    .filter(({ version, action }, i) => {
      const count = counts.get(version) ?? recordedOf(version);
      counts.set(version, count + 1);
      return count < maxRecorded || (i === 0 && action !== 'NOTIFY');
    });
}

export function placeOf({ source, url }: LeakMatch) {
  return { source: source === '' ? null : source, url: url === '' ? null : url };
}

/** Returns the rows for exposures of a key. */
export function recordOf(keyId: string, caller: Caller, exposures: readonly Exposure[]): readonly RecordedExposure[] {
  return exposures.map(({ id, version, match }) => ({
    ...{ id, keyId, at: caller.now, version, reporter: caller.session.subject },
    ...placeOf(match),
  }));
}
