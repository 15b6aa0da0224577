/** Idempotent creates, with an idempotency key of the client (draft-ietf-httpapi-idempotency-key-header). */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { isStringList } from '../../lib/json-object.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { limits } from '../limits.ts';
import { normalized } from '../normalized.ts';
import { distinctEntries, formatAllowedSource, parseAllowedSource } from '../source/allowed-source.ts';
import { hasStackedMarks } from '../text.ts';
import type { KeyEnv } from './key-env.ts';
import { type KeySettingsInput, type SettingName, settingNames } from './settings.ts';

export interface IdempotentCreate extends Fingerprints {
  readonly id: string;
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

/** What a create asks for, as it was sent: a rule, or the time, may have changed since the first call. */
export interface RequestedKey extends KeySettingsInput {
  readonly env: KeyEnv;
  /** Whether requests with the key must be signed. */
  readonly signing?: boolean | null | undefined;
  readonly tripwire?: boolean | null | undefined;
}

/** Digests of what was asked for. */
interface Fingerprints {
  /** As versions before `canonicalFingerprint` made it, so that they can answer a repeat while they run beside this one. */
  readonly fingerprint: string;
  /** The same for all spellings of the same request. Null in records of earlier versions. */
  readonly canonicalFingerprint: string | null;
}

type FormOf = (name: SettingName, value: unknown) => unknown;

/**
 * Omits defaults, so that settings of later versions don't change the fingerprints. Those of metadata that is nested too
 * deeply for the stack, and so for every version, are the fingerprints of no record.
 */
export function fingerprintsOf(request: RequestedKey): Fingerprints {
  const canonical = canonicalJson(partsOf(request, canonicalForm));
  if (canonical === null) return { fingerprint: '', canonicalFingerprint: '' };
  return { fingerprint: digest(partsOf(request, earlierForm)), canonicalFingerprint: sha256(canonical) };
}

export function isSameRequest(earlier: Fingerprints, request: RequestedKey): boolean {
  const { fingerprint, canonicalFingerprint } = fingerprintsOf(request);
  return (
    earlier.canonicalFingerprint === canonicalFingerprint ||
    earlier.fingerprint === fingerprint ||
    earlier.fingerprint === fingerprintOfFirstVersion(request)
  );
}

function partsOf(request: RequestedKey, formOf: FormOf): readonly unknown[] {
  const { env, signing, tripwire } = request;
  const kind = tripwire === true ? ['tripwire'] : [];
  return [env, signing === true, ...kind, ...givenIn(request).map((name) => [name, formOf(name, request[name])])];
}

/** Returns the fingerprint of 0.1.0, whose creates had no other settings than these. */
function fingerprintOfFirstVersion(request: RequestedKey): string | null {
  const { name, env, expiresAt, signing, tripwire } = request;
  const isKnown =
    signing !== true &&
    tripwire !== true &&
    givenIn(request).every((given) => given === 'name' || given === 'expiresAt');
  return isKnown ? digest([name?.trim(), env, expiresAt ?? null]) : null;
}

function givenIn(request: RequestedKey): readonly SettingName[] {
  return settingNames.filter((name) => !isDefault(request[name]));
}

function isDefault(value: unknown): boolean {
  return value == null || (Array.isArray(value) && value.length === 0);
}

/** The value as versions before `canonicalFingerprint` parsed it. */
function earlierForm(name: SettingName, value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  return name === 'tags' && isStringList(value) ? value.map((tag) => tag.trim()) : value;
}

/** All lists are sets. */
function canonicalForm(name: SettingName, value: unknown): unknown {
  if (typeof value === 'string') return canonicalText(value);
  if (!isStringList(value)) return value;
  const entries = name === 'allowedIps' ? canonicalSources(value) : value.map(canonicalText);
  return [...new Set(entries)].sort();
}

function canonicalText(text: string): string {
  const trimmed = text.trim();
  return hasStackedMarks(trimmed) ? trimmed : normalized(trimmed);
}

/** Returns one entry for each source, as they are stored, in its canonical spelling and with its comment. */
function canonicalSources(entries: readonly string[]): readonly string[] {
  const sources = entries.flatMap((entry) => {
    const parsed = parseAllowedSource(entry);
    return parsed.ok ? [parsed.value] : [];
  });
  // No version has a record of a request with an entry that is not a source.
  const distinct = sources.length === entries.length ? distinctEntries(entries, sources) : entries;
  return distinct.map(canonicalSource);
}

function canonicalSource(entry: string): string {
  const parsed = parseAllowedSource(entry);
  if (!parsed.ok) return canonicalText(entry);
  const [, ...comment] = entry.split('#');
  return `${formatAllowedSource(parsed.value)} # ${canonicalText(comment.join('#'))}`;
}

/** Hashes JSON, which separates the parts, so that different lists never have the same text. */
function digest(parts: readonly unknown[]): string {
  return sha256(JSON.stringify(parts));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
