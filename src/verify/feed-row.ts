import { hash } from 'node:crypto';
import { isConflict } from '../domain/secret/matching-keys.ts';
import { type AllowedSource, formatAllowedSource } from '../domain/source/allowed-source.ts';
import type { VerifiedKey } from '../domain/verdict/verified-key.ts';
import { isUuid } from '../lib/uuid.ts';
import type { FeedMismatch, FeedRow } from '../wire/feed-messages.ts';
import { type CachedKey, type CachedMatch, ended } from './cached-key.ts';

/** The fields of a row that are not part of the serialized verdict. */
type RowState = Omit<FeedRow, keyof VerifiedKey | 'dependencies'>;

/** Returns the JSON text of a match, with the fields that an edge may know. */
export function feedRow(
  match: CachedMatch | FeedMismatch,
  imported: boolean,
  dependencies?: readonly string[],
): string {
  if ('code' in match) return JSON.stringify(match);
  if (isConflict(match)) return JSON.stringify({ code: match.revoked ? 'REVOKED' : 'NOT_FOUND' });
  const known = imported && dependencies !== undefined;
  const named = known ? { dependencies: dependencies.map((dependency) => feedName(dependency)) } : {};
  const state = JSON.stringify({ ...stateOf(match, imported), ...named });
  return `{${match.described.slice(0, -1)},${state.slice(1)}`;
}

/** Returns the name of a dependency for edges: an id as it is, or a short hash that does not reveal the digest. */
export function feedName(dependency: string): string {
  return isUuid(dependency) ? dependency : hash('sha256', dependency, 'base64url').slice(0, 16);
}

function stateOf(key: CachedKey, imported: boolean): RowState {
  const rotated = key.secretExpiresAt === ended;
  return {
    ...(key.createdAt === null ? {} : { createdAt: key.createdAt }),
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
