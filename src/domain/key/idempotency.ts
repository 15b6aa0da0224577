/** Idempotent creates, with an idempotency key of the client (draft-ietf-httpapi-idempotency-key-header). */
import { createHash } from 'node:crypto';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { limits } from '../limits.ts';
import type { KeyEnv } from './key-env.ts';
import { type KeySettings, settingNames } from './settings.ts';

export interface IdempotentCreate {
  readonly id: string;
  readonly fingerprint: string;
  readonly keyId: string;
  /** After this time, a repeated request creates a new key. */
  readonly expiresAt: Date;
}

export const idempotencyRetentionMs = 24 * 3_600_000;

export function parseIdempotencyKey(text: string): Parsed<string> {
  const printable = /^[\x20-\x7e]+$/.test(text) && text.length <= limits.idempotencyKeyCharacters;
  return printable
    ? accepted(text)
    : rejected(`must have 1 to ${limits.idempotencyKeyCharacters} printable ASCII characters`);
}

/** Includes the team and the caller, so that callers can't affect each other or detect each other's calls. */
export function idempotencyId(teamId: string, subject: string, key: string): string {
  return digest([teamId, subject, key]);
}

/** Returns a digest that a repeat must match. Omits defaults, so that settings of later versions don't change it. */
export function fingerprintOf(env: KeyEnv, settings: KeySettings, signing: boolean): string {
  const given = settingNames.filter((name) => !isDefault(settings[name]));
  return digest([env, signing, ...given.map((name) => [name, settings[name]])]);
}

function isDefault(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** Hashes JSON, which separates the parts, so that different lists never have the same text. */
function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
