/**
 * Creating under a key that the caller chose, so that a call whose answer got lost can be repeated and makes nothing
 * twice (draft-ietf-httpapi-idempotency-key-header).
 */
import { createHash } from 'node:crypto';
import type { KeyEnv } from './api-key.ts';
import { limits } from './limits.ts';
import { accepted, type Parsed, rejected } from './parsed.ts';

/** What is remembered of a create, and found by its repeat. */
export interface IdempotentCreate {
  readonly id: string;
  readonly fingerprint: string;
  readonly keyId: string;
  /** From then on a repeat is a new create. */
  readonly expiresAt: Date;
}

/** Longer than anybody goes on trying. */
export const idempotencyRetentionMs = 24 * 3_600_000;

export function parseIdempotencyKey(text: string): Parsed<string> {
  const printable = /^[\x20-\x7e]+$/.test(text) && text.length <= limits.idempotencyKeyCharacters;
  return printable
    ? accepted(text)
    : rejected(`must have 1 to ${limits.idempotencyKeyCharacters} printable ASCII characters`);
}

/**
 * A digest, since what somebody puts there may be anything. Of the team and the caller too: the same key of somebody
 * else is another one, and nobody can learn by it what others do.
 */
export function idempotencyId(teamId: string, subject: string, key: string): string {
  return digest([teamId, subject, key]);
}

/** What makes two requests the same. */
export function fingerprintOf(request: { name: string; env: KeyEnv; expiresAt: Date | null }): string {
  return digest([request.name, request.env, request.expiresAt?.toISOString() ?? null]);
}

/** JSON tells the parts apart: no two lists have one text. */
function digest(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
