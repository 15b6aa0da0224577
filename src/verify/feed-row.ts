import { notFrozen } from '../domain/fence/fence.ts';
import { type AllowedSource, formatAllowedSource } from '../domain/source/allowed-source.ts';
import type { VerifiedKey } from '../domain/verdict/verified-key.ts';
import type { FeedMismatch, FeedRow } from '../wire/feed-messages.ts';
import { type CachedKey, ended } from './cached-key.ts';

/** The fields of a row that are not part of the serialized verdict. */
type RowState = Omit<FeedRow, keyof VerifiedKey | 'dependencies'>;

/** Returns the JSON text of a match, with the fields that an edge may know. */
export function feedRow(match: CachedKey | FeedMismatch, imported: boolean): string {
  if ('code' in match) return JSON.stringify(match);
  // Without the list, neither edges of 0.1 nor later ones cache the row of an imported key.
  const state = JSON.stringify({ ...stateOf(match, imported), ...(imported ? { dependencies: [] } : {}) });
  return `{${match.described.slice(0, -1)},${state.slice(1)}`;
}

function stateOf(key: CachedKey, imported: boolean): RowState {
  const rotated = key.secretExpiresAt === ended;
  const until = key.frozenUntil;
  const isFrozen = until !== notFrozen;
  return {
    createdAt: key.createdAt,
    version: key.presentedVersion,
    revoked: key.revoked,
    // Also for edges that know no fences. A fence clears their cache when it is put up, and when it is lifted or ends.
    disabled: key.disabled || isFrozen,
    ...(isFrozen ? { frozen: { until: until === Infinity ? null : until, disabled: key.disabled } } : {}),
    rotated,
    secretExpiresAt: rotated ? null : key.secretExpiresAt,
    allowedIps: key.restricted ? key.sources.map((source: AllowedSource) => formatAllowedSource(source)) : null,
    signed: key.signing !== null,
    rateLimit: key.rateLimit,
    imported,
    ...(key.label === null ? {} : { label: key.label }),
  };
}
