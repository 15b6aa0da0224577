/** Parses the answer of the feed. Fails closed: anything but a well-formed answer counts as no answer. */

import { metadataProblem } from '../../domain/key/metadata.ts';
import { isJsonObject, isStringList, type JsonObject } from '../../lib/json-object.ts';
import { type FeedAnswer, type FeedMismatch, type FeedRow, maxLeaseMs } from '../../wire/feed-messages.ts';

/** Returns null for a value that is not the answer to a request with this many keys. */
export function parseFeedAnswer(answer: unknown, keys: number): FeedAnswer | null {
  if (!isJsonObject(answer) || !isAnswer(answer) || answer.keys.length !== keys) return null;
  // A longer one would outlive the time that operators wait for its end.
  return { ...answer, leaseMs: Math.min(answer.leaseMs, maxLeaseMs) };
}

function isAnswer(answer: JsonObject): answer is JsonObject & FeedAnswer {
  const { cursor, clear, changed, importsChanged, imports, leaseMs, pauseMs, keys } = answer;
  const hasFlags = isFlag(clear) && isFlag(importsChanged) && isFlag(imports);
  const isNaming = answer.namesImports === undefined || answer.namesImports === true;
  const isState = typeof cursor === 'string' && hasFlags && isNaming && isStringList(changed) && isDuration(leaseMs);
  return isState && isDuration(pauseMs) && Array.isArray(keys) && keys.every((key) => isMismatch(key) || isRow(key));
}

function isMismatch(key: unknown): key is FeedMismatch {
  return isJsonObject(key) && (key.code === 'MALFORMED' || key.code === 'NOT_FOUND' || key.code === 'REVOKED');
}

function isRow(row: unknown): row is FeedRow {
  if (!isJsonObject(row)) return false;
  const { keyId, teamId, name, env, prefix, expiresAt, secret, externalId, metadata, secretExpiresAt, rateLimit } = row;
  const isKey = [keyId, teamId, name, prefix].every((field) => typeof field === 'string');
  const isDated = expiresAt === null || (typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt)));
  const isKnown = (env === 'live' || env === 'test') && (secret === 'current' || secret === 'previous');
  const isDescribed =
    (externalId === null || typeof externalId === 'string') && (metadata === null || isMetadata(metadata));
  const hasFlags = [row.revoked, row.disabled, row.rotated, row.signed, row.imported].every(isFlag);
  const isEnding = secretExpiresAt === null || Number.isFinite(secretExpiresAt);
  const isListed = isStringList(row.scopes) && (row.allowedIps === null || isStringList(row.allowedIps));
  const isDependent = row.dependencies === undefined || isStringList(row.dependencies);
  const isLimited =
    rateLimit === null || (isJsonObject(rateLimit) && isCount(rateLimit.limit) && isCount(rateLimit.windowSeconds));
  return (
    isKey &&
    isDated &&
    isKnown &&
    isDescribed &&
    hasFlags &&
    isEnding &&
    isListed &&
    isDependent &&
    isLimited &&
    isCount(row.version)
  );
}

/** A value that is nested more deeply would exceed the stack of functions that pass all levels. */
function isMetadata(value: unknown): boolean {
  return isJsonObject(value) && metadataProblem(value) === null;
}

function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1;
}

const maxDurationMs = 600_000;

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= maxDurationMs;
}
