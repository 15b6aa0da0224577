/** Parses the answer of the feed. Fails closed: anything but a well-formed answer counts as no answer. */

import { isVerifiedKey } from '../../domain/verdict/verified-key.ts';
import { isJsonObject, isStringList, type JsonObject } from '../../lib/json-object.ts';
import { type FeedAnswer, type FeedMismatch, type FeedRow, maxLeaseMs } from '../../wire/feed-messages.ts';

/** Returns null unless the value is a well-formed answer to a request with this number of keys. */
export function parseFeedAnswer(answer: unknown, keys: number): FeedAnswer | null {
  if (!isJsonObject(answer) || !isAnswer(answer) || answer.keys.length !== keys) return null;
  // Operators who switch leases off wait only `maxLeaseMs` for the end of all leases.
  return { ...answer, leaseMs: Math.min(answer.leaseMs, maxLeaseMs) };
}

function isAnswer(answer: JsonObject): answer is JsonObject & FeedAnswer {
  const { cursor, revision, clear, changed, imports, leaseMs, pauseMs, keys } = answer;
  const hasFlags = isFlag(clear) && isFlag(imports);
  const isState = typeof cursor === 'string' && hasFlags && isStringList(changed) && isDuration(leaseMs);
  const isNamed = revision === undefined || (typeof revision === 'string' && /^[\w-]{1,64}$/.test(revision));
  return (
    isState &&
    isNamed &&
    isDuration(pauseMs) &&
    Array.isArray(keys) &&
    keys.every((key) => isMismatch(key) || isRow(key))
  );
}

function isMismatch(key: unknown): key is FeedMismatch {
  return isJsonObject(key) && (key.code === 'MALFORMED' || key.code === 'NOT_FOUND' || key.code === 'REVOKED');
}

function isRow(row: unknown): row is FeedRow {
  if (!isJsonObject(row) || !isVerifiedKey(row)) return false;
  const { createdAt, secretExpiresAt, allowedIps, rateLimit, frozen, label }: JsonObject = row;
  return (
    [row.revoked, row.disabled, row.rotated, row.signed, row.imported].every(isFlag) &&
    isCount(row.version) &&
    (createdAt === undefined || Number.isFinite(createdAt)) &&
    (secretExpiresAt === null || Number.isFinite(secretExpiresAt)) &&
    (allowedIps === null || isStringList(allowedIps)) &&
    (frozen === undefined || isFreeze(frozen)) &&
    (label === undefined || typeof label === 'string') &&
    (rateLimit === null || (isJsonObject(rateLimit) && isCount(rateLimit.limit) && isCount(rateLimit.windowSeconds)))
  );
}

function isFreeze(frozen: unknown): boolean {
  return isJsonObject(frozen) && (frozen.until === null || Number.isFinite(frozen.until)) && isFlag(frozen.disabled);
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
