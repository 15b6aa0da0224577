import { randomUUID } from 'node:crypto';
import type { Slots } from '../admission/slots.ts';
import type { Credential } from '../domain/access/credential.ts';
import { personOf } from '../domain/access/person.ts';
import {
  type ActorKind,
  type AuditAction,
  type AuditEntry,
  type AwaitedEntries,
  auditChanges,
  systemActor,
} from '../domain/audit-entry.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { LatchkeyEvent } from '../domain/event/event.ts';
import type { ApiKey } from '../domain/key/api-key.ts';
import { accessOf, type Permission, type Session } from '../domain/key/permission.ts';
import type { OpaqueRevisions } from '../domain/opaque-revisions.ts';
import type { PolicyRules } from '../domain/policy/key-policy.ts';
import type { KeyRing } from '../domain/secret/key-ring.ts';
import type { RandomBytes } from '../domain/secret/secret.ts';
import type { AllowedNetwork } from '../domain/source/allowed-source.ts';
import type { IpAddress } from '../domain/source/ip-address.ts';
import type { HostAddresses } from '../domain/source/source-match.ts';
import type { VerdictCode } from '../domain/verdict/verdict-code.ts';
import type { Delivery } from '../domain/webhook/delivery.ts';
import type { Webhook } from '../domain/webhook/webhook.ts';
import type { NonceClaim } from '../store/feed/nonces.ts';
import type { Store } from '../store/store.ts';
import type { ChangeBudget } from './change/change-budget.ts';

/** The dependencies of the use cases. */
export interface Management {
  readonly store: Store;
  readonly keyTag: string;
  readonly peppers: KeyRing;
  readonly signingKeks: KeyRing;
  /** Encodes revisions for callers. */
  readonly revisions: OpaqueRevisions;
  readonly maxKeysPerTeam: number;
  readonly budget: ChangeBudget;
  /** What the operator demands of the keys of all teams. */
  readonly policyBounds: PolicyRules;
  readonly randomBytes: RandomBytes;
  /** Returns whether a signature with this nonce was accepted before. */
  readonly isNonceUsed: (keyId: string, nonce: string) => Promise<boolean>;
  /** Records a nonce. Returns whether it is new. */
  readonly claimNonce: (claim: NonceClaim) => Promise<boolean>;
  /** Records when each management key and trust rule was last used and, with a source, from where it was presented. */
  readonly credentialUse: {
    readonly record: (key: CountedCredential, source: IpAddress | null, code: VerdictCode, now: Date) => void;
  };
  /** Resolves a host name of an allow-list, with the same kind of resolver as verifications. */
  readonly resolveHost: (host: string, teamId: string) => Promise<HostAddresses>;
  /** The issuers whose tokens workloads may exchange. */
  readonly trustedIssuers: readonly string[];
  /** Networks that endpoints may have although they are private. */
  readonly webhookNetworks: readonly AllowedNetwork[];
  /** Sends an event to an endpoint, once, and returns what became of it. */
  readonly sendOnce: (webhook: Webhook, event: LatchkeyEvent) => Promise<SentOnce>;
  /** The test events that are under way. */
  readonly testSlots: Slots;
  /**
   * Waits until the team has an entry after a revision with one of the actions, or until the timeout or the signal. Can
   * end earlier. Returns false if the service stops.
   */
  readonly waitForEvents: (awaited: AwaitedEntries, timeoutMs: number, signal: AbortSignal) => Promise<boolean>;
}

export interface CountedCredential {
  readonly id: string;
  readonly teamId: string;
  readonly presentedVersion: number;
}

export type SentOnce = Pick<Delivery, 'outcome' | 'status' | 'error' | 'durationMs' | 'responseBody' | 'attemptedAt'>;

/** The caller of a use case, with the source, id and time of the request. */
export interface Caller {
  readonly session: Session;
  readonly actorKind: ActorKind;
  /** Null for all who do not authenticate with one. */
  readonly credential: Credential | null;
  /** Called before the answer of each change, with the revision of its state. */
  readonly changed?: (revision: bigint) => void;
  readonly source: string | null;
  readonly requestId: string;
  readonly now: Date;
}

/** Returns the caller of a command on this machine, which needs no permission on a team. */
export function operatorCaller({ requestId, now }: Pick<Caller, 'requestId' | 'now'>): Caller {
  const session = { subject: 'operator', teams: new Map(), teamNames: new Map() };
  return { session, actorKind: 'OPERATOR', credential: null, source: null, requestId, now };
}

/** Returns the caller of what Latchkey does by itself. */
export function systemCaller(now: Date): Caller {
  const session = { subject: systemActor.actor, teams: new Map(), teamNames: new Map() };
  return { session, actorKind: systemActor.actorKind, credential: null, source: null, requestId: randomUUID(), now };
}

/** Throws FORBIDDEN unless the caller has the permission on the team. Use only with a team id that the caller sent. */
export function authorizeTeam({ session }: Caller, teamId: string, permission: Permission): void {
  if (accessOf(session, teamId, permission) !== 'granted') throw forbidden(permission);
}

/** Returns the key, if the caller has the permission. Callers of other teams get KEY_NOT_FOUND, as for an unknown id. */
export function authorizeKey<Key extends ApiKey>({ session }: Caller, key: Key | null, permission: Permission): Key {
  const found = key === null ? 'none' : accessOf(session, key.teamId, permission);
  if (key === null || found === 'none') throw new LatchkeyError('KEY_NOT_FOUND', 'There is no key with this id.');
  if (found === 'lacking') throw forbidden(permission);
  return key;
}

export function forbidden(permission: Permission): LatchkeyError {
  return new LatchkeyError('FORBIDDEN', `The caller does not have ${permission} on this team.`);
}

/** Throws FORBIDDEN unless the caller is a person, whatever its permissions. */
export function rejectProgram({ credential }: Caller): void {
  if (credential !== null) throw new LatchkeyError('FORBIDDEN', 'Only a person can do this, with a session.');
}

/** Returns who is responsible for a new key: whom the caller names or, if it is a person who says nothing, the caller. */
export function responsibleFor(
  { responsible }: { readonly responsible?: string | null | undefined },
  { session, actorKind }: Pick<Caller, 'session' | 'actorKind'>,
  parsed: string | null,
): string | null {
  return responsible === undefined && actorKind === 'SESSION' ? personOf(session.subject) : parsed;
}

export function auditEntry(
  caller: Caller,
  action: AuditAction,
  before: ApiKey | null,
  after: ApiKey,
): Omit<AuditEntry, 'revision'> {
  const changes = auditChanges(before, after);
  return { ...entryBy(caller), action, keyId: after.id, teamId: after.teamId, changes, details: null };
}

/** Returns the members of an entry that say who made the call, when and from where. */
export function entryBy({ session, actorKind, credential, source, requestId, now }: Caller) {
  return { actor: session.subject, actorKind, credentialId: credential?.id ?? null, source, requestId, at: now };
}
