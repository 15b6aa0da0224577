import { type AllowedSource, formatAllowedSource } from '../domain/allowed-source.ts';
import type { FeedMismatch, FeedRow } from '../domain/feed-messages.ts';
import { isConflict } from '../domain/matching-keys.ts';
import { type CachedKey, type CachedMatch, ended } from './cached-key.ts';

/** The fields of a row that are not part of the serialized verdict. */
type RowState = Omit<FeedRow, 'keyId' | 'name' | 'prefix' | 'secret' | 'scopes' | 'metadata' | FieldOfBoth>;
type FieldOfBoth = 'teamId' | 'env' | 'expiresAt' | 'externalId';

/** Returns the JSON text of a match, with the fields that an edge may know. */
export function feedRow(match: CachedMatch | FeedMismatch, imported: boolean): string {
  if ('code' in match) return JSON.stringify(match);
  if (isConflict(match)) return JSON.stringify({ code: match.revoked ? 'REVOKED' : 'NOT_FOUND' });
  const state = JSON.stringify(stateOf(match, imported));
  return `{${match.described.slice(0, -1)},${state.slice(1)}`;
}

function stateOf(key: CachedKey, imported: boolean): RowState {
  const rotated = key.secretExpiresAt === ended;
  return {
    version: key.presentedVersion,
    revoked: key.revoked,
    disabled: key.disabled,
    rotated,
    secretExpiresAt: rotated ? null : key.secretExpiresAt,
    allowedIps: key.restricted ? key.sources.map((source: AllowedSource) => formatAllowedSource(source)) : null,
    signed: key.signing !== null,
    rateLimit: key.rateLimit,
    imported,
  };
}
