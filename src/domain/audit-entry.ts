import type { EventAction } from './event/event-types.ts';
import type { ApiKey } from './key/api-key.ts';
import { writeSetting } from './key/setting-text.ts';
import { type KeySettings, type SettingName, settingNames } from './key/settings.ts';
import { overlapEnd } from './secret/rotated-secret.ts';

export type AuditAction = EventAction;

/**
 * The kinds of actors: a person with a session, a program with a management key, a workload with a token that it got by a
 * trust rule, a client that presents the key itself, the operator, or Latchkey.
 */
export const actorKinds = ['SESSION', 'MANAGEMENT_KEY', 'WORKLOAD', 'KEY_HOLDER', 'OPERATOR', 'SYSTEM'] as const;

export type ActorKind = (typeof actorKinds)[number];

/** Who does what Latchkey does by itself. */
export const systemActor = { actor: 'latchkey', actorKind: 'SYSTEM', credentialId: null } as const;

export type AuditValue = string | number | boolean | readonly string[] | null;
export type AuditFields = Readonly<Record<string, AuditValue>>;

/** A changed field. Of a list, only the added and removed entries are stored, because lists can be long. */
export interface AuditChange {
  readonly field: string;
  readonly before: AuditValue;
  readonly after: AuditValue;
  /** `added` and `removed` keep the order of the lists. If both are empty, only the order has changed. */
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

export interface AuditEntry {
  /** The position of the change in the order of all changes. */
  readonly revision: bigint;
  readonly action: AuditAction;
  /** The key or webhook that the entry is about; `noSubject` if it is about neither. */
  readonly keyId: string;
  readonly teamId: string;
  /** The name of the actor. Unique only within its kind, because a session token can have any text as its subject. */
  readonly actor: string;
  /** Null in entries of older versions, which did not record the kind. */
  readonly actorKind: ActorKind | null;
  /** The management key or the trust rule with which the actor made the change; null for all others. */
  readonly credentialId: string | null;
  readonly source: string | null;
  readonly requestId: string;
  readonly at: Date;
  readonly changes: readonly AuditChange[];
  /** What this kind of entry has besides changes of fields, as `actions` in domain/event/event-types.ts describes it. */
  readonly details: AuditDetails | null;
}

/** The nil UUID (RFC 9562, section 5.9), which no key and no webhook has. */
export const noSubject = '00000000-0000-0000-0000-000000000000';

export type AuditDetails = Readonly<Record<string, unknown>>;

/** Returns the fields that the audit trail shows of a key: no digest, envelope or secret. */
function shown(key: ApiKey): Record<string, AuditValue> {
  return {
    // In the order in which people look for the fields.
    name: key.name,
    env: key.env,
    prefix: key.prefix,
    ...Object.fromEntries(settingNames.map((name) => [name, shownSetting(name, key[name])])),
    disabledAt: isoText(key.disabledAt),
    previousSecretExpiresAt: isoText(overlapEnd(key, 'key')),
    previousSigningSecretExpiresAt: isoText(overlapEnd(key, 'signing')),
    revokedAt: isoText(key.revokedAt),
    signingEnabled: key.signingEnvelope !== null,
    signingVersion: key.signingVersion,
    ...(key.tripwire ? { tripwire: true } : {}),
  };
}

function shownSetting(name: SettingName, value: KeySettings[SettingName]): AuditValue {
  if (Array.isArray(value)) return value;
  return value === null ? null : writeSetting(name, value);
}

function isoText(moment: Date | null): string | null {
  return moment?.toISOString() ?? null;
}

/** Returns the shown fields that differ between two states of a key; `before` is null for a new key. */
export function auditChanges(before: ApiKey | null, after: ApiKey): AuditChange[] {
  return changesBetween(before === null ? {} : shown(before), shown(after));
}

/** Returns the fields that differ. A field that is absent before had no value. */
export function changesBetween(before: AuditFields, after: AuditFields): AuditChange[] {
  return Object.entries(after).flatMap(([field, value]) => {
    const previous = before[field] ?? null;
    return JSON.stringify(previous) === JSON.stringify(value) ? [] : changeOf(field, previous, value);
  });
}

function changeOf(field: string, before: AuditValue, after: AuditValue): AuditChange {
  if (!isList(before) || !isList(after)) return { field, before, after };
  return { field, before: null, after: null, added: without(after, before), removed: without(before, after) };
}

function isList(value: AuditValue): value is readonly string[] {
  return Array.isArray(value);
}

/** Returns the entries that the other list lacks. Each entry of the other list cancels one equal entry. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const entry of other) counts.set(entry, (counts.get(entry) ?? 0) + 1);
  return list.filter((entry) => {
    const count = counts.get(entry) ?? 0;
    counts.set(entry, count - 1);
    return count <= 0;
  });
}

/** What a call waits for: an entry of the team after the revision, with one of the actions. */
export interface AwaitedEntries {
  readonly teamId: string;
  readonly after: bigint;
  readonly actions: ReadonlySet<AuditAction>;
}
