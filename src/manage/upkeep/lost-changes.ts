/**
 * What an audit trail says about one key that a restored database lacks. Decides by the state of the key and not by times,
 * so the result is the same when it is applied twice, in whatever order the entries are read.
 */
import { type AuditChange, type AuditValue, auditChanges } from '../../domain/audit-entry.ts';
import { type ApiKey, noPreviousSigningSecret, noSigning, type StoredKey } from '../../domain/key/api-key.ts';
import { hasPassed } from '../../domain/moment.ts';
import { releasedDigest } from '../../domain/secret/imported-digest.ts';
import { Decision } from '../../store/changes/change.ts';
import { type Decide, keyWrite } from '../change/change-key.ts';
import type { Caller } from '../management.ts';

/** A change of a field, as exports and events have it. Its values can be omitted. */
export type TrailChange = Pick<AuditChange, 'field'> & Partial<Record<Exclude<keyof AuditChange, 'field'>, unknown>>;

export interface TrailEntry {
  readonly revision: bigint;
  readonly action: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly at: Date;
  readonly changes: readonly TrailChange[];
}

export interface ComparedEntry extends TrailEntry {
  /** Whether the database lacks the entry. */
  readonly isLost: boolean;
}

/** What is applied again. */
export type Ending = 'revoked' | 'disabled' | 'overlapEnded';

/** The settings that restrict what a key can be used for. */
const restrictions = ['allowedIps', 'scopes', 'expiresAt', 'rateLimit'] as const;
/** What a restored key accepts although it was replaced or restricted later. */
export type Undone = 'secret' | 'signing' | (typeof restrictions)[number];

const signingActions: readonly string[] = ['SIGNING_ENABLED', 'SIGNING_ROTATED'];
const stateActions: readonly string[] = ['KEY_DISABLED', 'KEY_ENABLED'];
/** No value of a key was lost with them: if the database has the key, it has them too. */
const creations: readonly string[] = ['KEY_CREATED', 'KEY_IMPORTED'];

/** What is read of an entry. A trail can have millions of entries. */
type KeptEntry = Pick<ComparedEntry, 'revision' | 'action' | 'at' | 'isLost' | 'changes'>;

export class LostChanges {
  readonly #entries: KeptEntry[] = [];
  #hasLost = false;

  add({ revision, action, at, isLost, changes }: ComparedEntry): void {
    this.#hasLost ||= isLost;
    if (creations.includes(action)) return;
    const kept = changes.flatMap((change) => keptChange(change, isLost));
    const isKept = stateActions.includes(action) || (isLost && action === 'KEY_REVOKED');
    if (isKept || kept.length > 0) this.#entries.push({ revision, action, at, isLost, changes: kept });
  }

  get hasLost(): boolean {
    return this.#hasLost;
  }

  /** Returns the endings to apply, and a decision for each, which answers whether the key has to be changed. */
  endings(caller: Caller): readonly { readonly ending: Ending; readonly decide: Decide<boolean> }[] {
    const revocation = this.#lost().find(({ action }) => action === 'KEY_REVOKED');
    if (revocation !== undefined) return [{ ending: 'revoked', decide: this.#revoke(caller, revocation) }];
    const states = this.#entries.filter(({ action }) => stateActions.includes(action));
    const disabling = orders
      .map((order) => states.toSorted(order).at(-1))
      .find((last) => last?.isLost && last.action === 'KEY_DISABLED');
    return [
      ...(disabling ? ([{ ending: 'disabled', decide: disable(caller, disabling) }] as const) : []),
      { ending: 'overlapEnded', decide: this.#endOverlap(caller) },
    ];
  }

  /** Returns what no command can apply again, because only an operator can decide on it. */
  undone(key: ApiKey): Undone[] {
    const isRevoked = key.revokedAt !== null || this.#lost().some(({ action }) => action === 'KEY_REVOKED');
    if (isRevoked) return [];
    const current = new Map(auditChanges(null, key).map(({ field, after }) => [field, after]));
    return [
      ...(this.#replaced(['KEY_ROTATED'], 'prefix', key.prefix) ? (['secret'] as const) : []),
      ...(this.#replaced(signingActions, 'signingVersion', key.signingVersion) ? (['signing'] as const) : []),
      ...restrictions.filter((field) => this.#isUndone(field, current.get(field) ?? null)),
    ];
  }

  #lost(): readonly KeptEntry[] {
    return this.#entries.filter(({ isLost }) => isLost);
  }

  /** Whether one of the actions, in any timeline, replaced the value that the key has. */
  #replaced(actions: readonly string[], field: string, current: AuditValue): boolean {
    return this.#lost().some((entry) => actions.includes(entry.action) && changeOf(entry, field)?.before === current);
  }

  /** Whether a lost change of a setting may not be in force. Entries before the first lost one led to the restored value. */
  #isUndone(field: string, current: AuditValue): boolean {
    const entries = this.#entries.filter((entry) => changeOf(entry, field) !== undefined);
    return orders.some((order) => {
      const ordered = entries.toSorted(order);
      const first = ordered.findIndex(({ isLost }) => isLost);
      const changes = first === -1 ? [] : ordered.slice(first).flatMap((entry) => changeOf(entry, field) ?? []);
      return !areInForce(changes, current);
    });
  }

  #revoke(caller: Caller, entry: KeptEntry): Decide<boolean> {
    const isReleased = this.#lost().some((lost) => changeOf(lost, 'digestReleased')?.after === true);
    return (key) => {
      const released = isReleased ? releasedKey(key, caller) : null;
      if (key.revokedAt !== null && (released === null || released.digest === key.digest)) return new Decision(false);
      const after = released ?? { ...key, revokedAt: caller.now, ...noSigning };
      const changes = [...(released === null ? [] : [digestReleased]), reasonOf(entry)];
      return new Decision(true, keyWrite(caller, 'KEY_REVOKED', key, after, changes));
    };
  }

  /** Ends exactly the overlaps that an entry ended: a later one may have begun in the restored database. */
  #endOverlap(caller: Caller): Decide<boolean> {
    return (key) => {
      if (key.revokedAt !== null) return new Decision(false);
      const endOf = (field: string, end: Date | null) =>
        end === null || hasPassed(end, caller.now) ? undefined : this.#endOfOverlap(key, field, end);
      const secret = endOf('previousSecretExpiresAt', key.previousExpiresAt);
      const signing = endOf('previousSigningSecretExpiresAt', key.previousSigningExpiresAt);
      const entry = secret ?? signing;
      if (entry === undefined) return new Decision(false);
      const after: StoredKey = {
        ...key,
        ...(secret && { previousExpiresAt: null }),
        ...(signing && noPreviousSigningSecret),
      };
      return new Decision(true, keyWrite(caller, 'OVERLAP_ENDED', key, after, [reasonOf(entry)]));
    };
  }

  /** An overlap ends with its key (`overlapEnd`), so an entry can name an expiry of the key as its end. */
  #endOfOverlap({ expiresAt }: ApiKey, field: string, end: Date): KeptEntry | undefined {
    const expiries = this.#entries.flatMap((entry) => {
      const change = changeOf(entry, 'expiresAt');
      return [change?.before, change?.after];
    });
    const earlier = [expiresAt?.toISOString(), ...expiries].filter(
      (expiry) => typeof expiry === 'string' && Date.parse(expiry) < end.getTime(),
    );
    const ends: readonly unknown[] = [end.toISOString(), ...earlier];
    // A new expiry can move the end of an overlap, which goes on.
    return this.#lost().find(
      (entry) => ends.includes(changeOf(entry, field)?.before) && changeOf(entry, 'expiresAt') === undefined,
    );
  }
}

function disable(caller: Caller, entry: KeptEntry): Decide<boolean> {
  return (key) => {
    if (key.revokedAt !== null || key.disabledAt !== null) return new Decision(false);
    const after = { ...key, disabledAt: caller.now };
    return new Decision(true, keyWrite(caller, 'KEY_DISABLED', key, after, [reasonOf(entry)]));
  };
}

function reasonOf({ at }: KeptEntry): AuditChange {
  return { field: 'reason', before: null, after: `applied again after a restore; first at ${at.toISOString()}` };
}

function changeOf({ changes }: KeptEntry, field: string): TrailChange | undefined {
  return changes.find((change) => change.field === field);
}

/** Returns what is read of a change: nothing for most fields and, of lists, no value twice. */
function keptChange({ field, before, after, added, removed }: TrailChange, isLost: boolean): readonly TrailChange[] {
  if (field === 'expiresAt') return [{ field, before, after }];
  if (restrictions.some((name) => name === field)) return [{ field, after, added, removed }];
  return isLost && replacedFields.includes(field) ? [{ field, before, after }] : [];
}

const replacedFields: readonly string[] = [
  'prefix',
  'signingVersion',
  'digestReleased',
  'previousSecretExpiresAt',
  'previousSigningSecretExpiresAt',
];

/**
 * Revisions order the entries of one timeline, even if the clocks of instances differ. After a restore, they are used
 * again, and only times order the entries of several timelines. In doubt, the safe result of the two counts.
 */
const orders: readonly ((a: KeptEntry, b: KeptEntry) => number)[] = [
  (a, b) => byTime(a, b) || byRevision(a, b),
  (a, b) => byRevision(a, b) || byTime(a, b),
];

function byTime(a: KeptEntry, b: KeptEntry): number {
  return a.at.getTime() - b.at.getTime();
}

function byRevision(a: KeptEntry, b: KeptEntry): number {
  return Number(a.revision - b.revision);
}

/** Whether a value stays as it is when the changes are applied to it. Not if one was omitted: then it is not known. */
function areInForce(changes: readonly TrailChange[], current: AuditValue): boolean {
  let value: unknown = current;
  for (const { after, added, removed } of changes) {
    if (Array.isArray(added) && Array.isArray(removed)) {
      const kept = Array.isArray(value) ? value.filter((entry) => !removed.includes(entry)) : [];
      value = [...kept, ...added];
    } else if (after === undefined) return false;
    else value = after;
  }
  return comparable(value) === comparable(current);
}

/** The order of a list does not restrict a key. */
function comparable(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? [...new Set(value)].sort() : value);
}

/** Versions before 0.2 could take the digest of an imported key away, so that another team's key with it was accepted. */
const digestReleased = { field: 'digestReleased', before: false, after: true } as const;

function releasedKey<Key extends ApiKey>(key: Key, { now }: Pick<Caller, 'now'>): Key {
  const digest = releasedDigest(key.id);
  return { ...key, digest, revokedAt: key.revokedAt ?? now, ...noSigning, previousExpiresAt: null };
}
