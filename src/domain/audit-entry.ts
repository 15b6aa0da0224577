import type { ApiKey } from './api-key.ts';

export type AuditAction =
  | 'KEY_CREATED'
  | 'KEY_IMPORTED'
  | 'KEY_UPDATED'
  | 'KEY_REVOKED'
  | 'SIGNING_ENABLED'
  | 'SIGNING_ROTATED'
  | 'SIGNING_DISABLED';

/** Who acts: the bearer of a session token, somebody who presents the key itself, or the operator of the service. */
export type ActorKind = 'SESSION' | 'KEY_HOLDER' | 'OPERATOR';

export type AuditValue = string | number | boolean | readonly string[] | null;

export interface AuditChange {
  readonly field: string;
  readonly before: AuditValue;
  readonly after: AuditValue;
}

export interface AuditEntry {
  /** The change's place in the order of all changes. */
  readonly revision: bigint;
  readonly action: AuditAction;
  readonly keyId: string;
  readonly teamId: string;
  /** The name of the actor. Unique only within its kind, as a session token may have any text as its subject. */
  readonly actor: string;
  /** Null in entries of versions that did not record it. */
  readonly actorKind: ActorKind | null;
  readonly source: string | null;
  readonly requestId: string;
  readonly at: Date;
  readonly changes: readonly AuditChange[];
}

/** The fields of a key that an audit trail may show. A digest, an envelope or a secret is not among them. */
function shown(key: ApiKey | null): Record<string, AuditValue> {
  return {
    name: key?.name ?? null,
    env: key?.env ?? null,
    prefix: key?.prefix ?? null,
    allowedIps: key?.allowedIps ?? null,
    expiresAt: key?.expiresAt?.toISOString() ?? null,
    revokedAt: key?.revokedAt?.toISOString() ?? null,
    signingEnabled: key === null ? null : key.signingEnvelope !== null,
    signingVersion: key?.signingVersion ?? null,
  };
}

/** The shown fields that differ between two states of a key; `before` is null for a key that is new. */
export function auditChanges(before: ApiKey | null, after: ApiKey): AuditChange[] {
  const old = shown(before);
  return Object.entries(shown(after))
    .map(([field, value]) => ({ field, before: old[field] ?? null, after: value }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}
