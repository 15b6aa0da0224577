/** The effect of each operation on a key, implemented a second time, independently of the service. */

import type { AuditAction, AuditValue } from '../../../src/domain/audit-entry.ts';
import type { KeyEnv } from '../../../src/domain/key/api-key.ts';

export interface KeyState {
  readonly name: string;
  readonly env: KeyEnv;
  readonly prefix: string;
  readonly allowedIps: readonly string[];
  readonly scopes: readonly string[];
  readonly tags: readonly string[];
  readonly expiresAt: string | null;
  readonly disabledAt: string | null;
  /** The end of the overlap of the last rotation, as it is stored. */
  readonly previousSecretExpiresAt: string | null;
  readonly revokedAt: string | null;
  readonly signingEnabled: boolean;
  readonly signingVersion: number;
}

export type Change =
  | { readonly kind: 'create'; readonly name: string; readonly env: KeyEnv; readonly expiresAt?: string }
  | { readonly kind: 'update'; readonly fields: UpdatedFields }
  | { readonly kind: 'rotateKey'; readonly overlapSeconds: number }
  | { readonly kind: 'endOverlap' | 'disableKey' | 'enableKey' }
  | { readonly kind: 'revoke' | 'enable' | 'rotate' | 'disable' };

export interface UpdatedFields {
  readonly name?: string;
  readonly allowedIps?: readonly string[];
  readonly scopes?: readonly string[];
  readonly expiresAt?: string | null;
}

export const actions: Readonly<Record<Change['kind'], AuditAction>> = {
  create: 'KEY_CREATED',
  update: 'KEY_UPDATED',
  revoke: 'KEY_REVOKED',
  enable: 'SIGNING_ENABLED',
  rotate: 'SIGNING_ROTATED',
  disable: 'SIGNING_DISABLED',
  rotateKey: 'KEY_ROTATED',
  endOverlap: 'OVERLAP_ENDED',
  disableKey: 'KEY_DISABLED',
  enableKey: 'KEY_ENABLED',
};

export type Outcome =
  | { readonly kind: 'changed'; readonly after: KeyState }
  | { readonly kind: 'nothing to change' }
  | { readonly kind: 'rejected'; readonly code: string };

/** What only the audit entry of a change has: the time of the service, and the prefix of a new secret. */
export interface ServiceValues {
  readonly at: string;
  readonly prefix: string;
}

export function outcomeOf(before: KeyState | null, change: Change, { at, prefix }: ServiceValues): Outcome {
  if (change.kind === 'create') return before === null ? changed(created(change, prefix)) : rejected('KEY_EXISTS');
  if (before === null) return rejected('KEY_NOT_FOUND');
  if (change.kind === 'revoke') {
    return before.revokedAt !== null ? nothing : changed({ ...before, revokedAt: at, signingEnabled: false });
  }
  if (before.revokedAt !== null) return rejected('KEY_REVOKED');
  const { signingEnabled, signingVersion } = before;
  switch (change.kind) {
    case 'update':
      // Each update of the run differs from all before it.
      return changed({ ...before, ...change.fields });
    case 'rotateKey': {
      if (before.disabledAt !== null) return rejected('KEY_DISABLED');
      const { overlapSeconds } = change;
      return changed({
        ...before,
        prefix,
        previousSecretExpiresAt: overlapSeconds === 0 ? null : later(at, overlapSeconds),
      });
    }
    case 'endOverlap':
      return before.previousSecretExpiresAt === null ? nothing : changed({ ...before, previousSecretExpiresAt: null });
    case 'disableKey':
      return before.disabledAt !== null ? nothing : changed({ ...before, disabledAt: at });
    case 'enableKey':
      return before.disabledAt === null ? nothing : changed({ ...before, disabledAt: null });
    case 'enable':
      if (signingEnabled) return rejected('SIGNING_ALREADY_ENABLED');
      return changed({ ...before, signingEnabled: true, signingVersion: signingVersion + 1 });
    case 'rotate':
      if (!signingEnabled) return rejected('SIGNING_NOT_ENABLED');
      return changed({ ...before, signingVersion: signingVersion + 1 });
    case 'disable':
      return signingEnabled ? changed({ ...before, signingEnabled: false }) : nothing;
  }
}

function later(at: string, seconds: number): string | null {
  const time = Date.parse(at);
  return Number.isNaN(time) ? null : new Date(time + 1000 * seconds).toISOString();
}

/** The state as the service names it. */
export function stateName({ revokedAt, disabledAt }: KeyState): string {
  if (revokedAt !== null) return 'REVOKED';
  return disabledAt === null ? 'ACTIVE' : 'DISABLED';
}

function created({ name, env, expiresAt }: Change & { kind: 'create' }, prefix: string): KeyState {
  return {
    name,
    env,
    prefix,
    allowedIps: [],
    scopes: [],
    tags: [],
    expiresAt: expiresAt ?? null,
    disabledAt: null,
    previousSecretExpiresAt: null,
    revokedAt: null,
    signingEnabled: false,
    signingVersion: 0,
  };
}

const nothing: Outcome = { kind: 'nothing to change' };

function changed(after: KeyState): Outcome {
  return { kind: 'changed', after };
}

function rejected(code: string): Outcome {
  return { kind: 'rejected', code };
}

/** The state as the service tells it: the overlap of a revoked key is over. No key expires during an overlap. */
export function told(state: KeyState): KeyState {
  return state.revokedAt === null ? state : { ...state, previousSecretExpiresAt: null };
}

/** The fields that the audit entry of a change must name, each with its values before and after. */
export function expectedChanges(before: KeyState | null, after: KeyState) {
  const old = new Map<string, AuditValue>(before === null ? [] : Object.entries(told(before)));
  return Object.entries(told(after))
    .map(([field, value]) => ({ field, before: old.get(field) ?? null, after: value }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
    .map(asAudited)
    .sort((a, b) => (a.field < b.field ? -1 : 1));
}

/** Returns the added and removed entries of a changed list, as the audit trail has them. */
function asAudited({ field, before, after }: { field: string; before: AuditValue; after: AuditValue }) {
  if (!Array.isArray(before) || !Array.isArray(after)) return { field, before, after, added: null, removed: null };
  const [old, current] = [new Set<string>(before), new Set<string>(after)];
  const added = after.filter((entry) => !old.has(entry));
  return { field, before: null, after: null, added, removed: before.filter((entry) => !current.has(entry)) };
}
