/**
 * The rules of a key: what each change does to it, for all programs that change keys. Independent of src, whose rules they
 * are compared with, and of the checker of histories, which judges verdicts by rules of its own.
 */
import type { KeyState as HistoryState } from '../proof/history/format.ts';

export type KeyEnv = 'live' | 'test';

/** Times are ISO 8601, as the service has them. */
export interface KeyState {
  readonly name: string;
  readonly env: KeyEnv;
  readonly prefix: string;
  readonly allowedIps: readonly string[];
  readonly scopes: readonly string[];
  readonly tags: readonly string[];
  readonly responsible: string | null;
  readonly expiresAt: string | null;
  readonly disabledAt: string | null;
  /** Whether a fence freezes it, which its own fields do not show. */
  readonly frozen: boolean;
  /** The end of the overlap of the last rotation, as it is stored. */
  readonly previousSecretExpiresAt: string | null;
  readonly revokedAt: string | null;
  readonly signingEnabled: boolean;
  /** How many signing secrets it has had. */
  readonly signingVersion: number;
  /** How many secrets it had before the current one. No answer shows this. */
  readonly rotations: number;
}

export type Settings = Partial<Pick<KeyState, 'name' | 'allowedIps' | 'scopes' | 'expiresAt'>>;

/** A kind is the name of the mutation. */
export type Change =
  | { readonly kind: 'createKey' | 'importKeys'; readonly name: string; readonly env: KeyEnv }
  | { readonly kind: 'updateKey'; readonly settings: Settings }
  | { readonly kind: 'rotateKey'; readonly overlapSeconds: number }
  | { readonly kind: 'revokeKey' | 'endOverlap' | 'disableKey' | 'enableKey' }
  /** A fence that covers this key alone. */
  | { readonly kind: 'freezeKeys' | 'unfreezeKeys' }
  | { readonly kind: 'enableSigning' | 'rotateSigningSecret' | 'disableSigning' };

export type ChangeKind = Change['kind'];

export const actions: Readonly<Record<ChangeKind, string>> = {
  createKey: 'KEY_CREATED',
  importKeys: 'KEY_IMPORTED',
  updateKey: 'KEY_UPDATED',
  revokeKey: 'KEY_REVOKED',
  rotateKey: 'KEY_ROTATED',
  endOverlap: 'OVERLAP_ENDED',
  disableKey: 'KEY_DISABLED',
  enableKey: 'KEY_ENABLED',
  freezeKeys: 'KEYS_FROZEN',
  unfreezeKeys: 'KEYS_UNFROZEN',
  enableSigning: 'SIGNING_ENABLED',
  rotateSigningSecret: 'SIGNING_ROTATED',
  disableSigning: 'SIGNING_DISABLED',
};

export type Outcome =
  | { readonly kind: 'changed'; readonly after: KeyState }
  | { readonly kind: 'nothing to change' }
  | { readonly kind: 'rejected'; readonly code: string };

/** What the service adds: the time of the change, the prefix of a new secret, and who asks, who is responsible for a new key. */
export interface ServiceValues {
  readonly actor: string | null;
  readonly at: string;
  readonly prefix: string;
}

export function outcomeOf(before: KeyState | null, change: Change, { actor, at, prefix }: ServiceValues): Outcome {
  if (change.kind === 'createKey' || change.kind === 'importKeys')
    return before === null ? changed(newKey(change.name, change.env, prefix, actor)) : rejected('KEY_EXISTS');
  if (before === null) return rejected('KEY_NOT_FOUND');
  if (change.kind === 'revokeKey')
    return before.revokedAt !== null ? nothing : changed({ ...before, revokedAt: at, signingEnabled: false });
  if (before.revokedAt !== null) return rejected('KEY_REVOKED');
  const { signingEnabled, signingVersion } = before;
  switch (change.kind) {
    case 'updateKey': {
      const after = { ...before, ...change.settings };
      return JSON.stringify(after) === JSON.stringify(before) ? nothing : changed(after);
    }
    case 'rotateKey': {
      const { overlapSeconds } = change;
      if (before.disabledAt !== null && overlapSeconds > 0) return rejected('KEY_DISABLED');
      const previousSecretExpiresAt = overlapSeconds === 0 ? null : later(at, overlapSeconds);
      return changed({ ...before, prefix, previousSecretExpiresAt, rotations: before.rotations + 1 });
    }
    case 'endOverlap':
      return before.previousSecretExpiresAt === null ? nothing : changed({ ...before, previousSecretExpiresAt: null });
    case 'disableKey':
      return before.disabledAt !== null ? nothing : changed({ ...before, disabledAt: at });
    case 'enableKey':
      return before.disabledAt === null ? nothing : changed({ ...before, disabledAt: null });
    case 'freezeKeys':
      return changed({ ...before, frozen: true });
    case 'unfreezeKeys':
      return before.frozen ? changed({ ...before, frozen: false }) : nothing;
    case 'enableSigning':
      if (signingEnabled) return rejected('SIGNING_ALREADY_ENABLED');
      return changed({ ...before, signingEnabled: true, signingVersion: signingVersion + 1 });
    case 'rotateSigningSecret':
      if (!signingEnabled) return rejected('SIGNING_NOT_ENABLED');
      return changed({ ...before, signingVersion: signingVersion + 1 });
    case 'disableSigning':
      return signingEnabled ? changed({ ...before, signingEnabled: false }) : nothing;
  }
}

function later(at: string, seconds: number): string | null {
  const time = Date.parse(at);
  return Number.isNaN(time) ? null : new Date(time + 1000 * seconds).toISOString();
}

export function newKey(name: string, env: KeyEnv, prefix: string, responsible: string | null): KeyState {
  return {
    name,
    env,
    prefix,
    allowedIps: [],
    scopes: [],
    tags: [],
    responsible,
    expiresAt: null,
    disabledAt: null,
    frozen: false,
    previousSecretExpiresAt: null,
    revokedAt: null,
    signingEnabled: false,
    signingVersion: 0,
    rotations: 0,
  };
}

const nothing: Outcome = { kind: 'nothing to change' };

function changed(after: KeyState): Outcome {
  return { kind: 'changed', after };
}

function rejected(code: string): Outcome {
  return { kind: 'rejected', code };
}

/** The state as the service names it. No key of a run that reads it expires. */
export function stateName({ revokedAt, disabledAt }: KeyState): string {
  if (revokedAt !== null) return 'REVOKED';
  return disabledAt === null ? 'ACTIVE' : 'DISABLED';
}

/** The state as the service shows it: an overlap ends with its key, when that is revoked or expires. */
export function shownState({ rotations: _, frozen: __, ...state }: KeyState): Omit<KeyState, 'rotations' | 'frozen'> {
  const { previousSecretExpiresAt: end, expiresAt, revokedAt } = state;
  if (end === null) return state;
  const isCut = expiresAt !== null && expiresAt < end;
  return { ...state, previousSecretExpiresAt: revokedAt !== null ? null : isCut ? expiresAt : end };
}

/** The state as histories have it. */
export function historyState(state: KeyState): HistoryState {
  const { name, env, scopes, expiresAt, allowedIps, signingEnabled, signingVersion, rotations } = state;
  return {
    name,
    env,
    revoked: state.revokedAt !== null,
    secret: rotations,
    overlap: state.previousSecretExpiresAt !== null,
    disabled: state.disabledAt !== null,
    frozen: state.frozen,
    scopes,
    expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
    allowed: allowedIps,
    signing: signingEnabled ? signingVersion - 1 : null,
  };
}

type AuditValue = string | number | boolean | readonly string[] | null;

/** The fields that the audit entry of a change must name, each with its values before and after, by the field's name. */
export function expectedChanges(before: KeyState | null, after: KeyState) {
  const old = new Map<string, AuditValue>(before === null ? [] : Object.entries(shownState(before)));
  return Object.entries(shownState(after))
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
