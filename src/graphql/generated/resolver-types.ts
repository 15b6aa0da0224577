import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { StoredKey as StoredKeyModel } from '../../domain/key/api-key.ts';
import type { KeyPage as KeyPageModel } from '../../manage/read/read-keys.ts';
import type { ViewerTeam as ViewerTeamModel } from '../../manage/read/read-viewer.ts';
import type { UsageHour as UsageHourModel } from '../../domain/verdict/verdict-code.ts';
import type { ObservedSource as ObservedSourceModel } from '../../domain/source/observed-source.ts';
import type { AddressUse as AddressUseModel } from '../../manage/read/read-observed-sources.ts';
import type { FoundKey as FoundKeyModel } from '../../manage/read/find-keys.ts';
import type { RejectedKey as RejectedKeyModel } from '../../manage/read/read-usage.ts';
import type { AuditEntry as AuditEntryModel } from '../../domain/audit-entry.ts';
import type { AuditPage as AuditPageModel } from '../../manage/read/read-audit-log.ts';
import type { TrustRule as TrustRuleModel } from '../../domain/access/trust-rule.ts';
import type { CountedMember as CountedMemberModel, MemberPage as MemberPageModel } from '../../manage/members/read-members.ts';
import type { ManagementKey as ManagementKeyModel } from '../../domain/access/management-key.ts';
import type { ShownPolicy as ShownPolicyModel } from '../../manage/policy/set-key-policy.ts';
import type { Webhook as WebhookModel } from '../../domain/webhook/webhook.ts';
import type { Delivery as DeliveryModel } from '../../domain/webhook/delivery.ts';
import type { DeliveryPage as DeliveryPageModel } from '../../manage/webhooks/read-deliveries.ts';
import type { LatchkeyEvent as LatchkeyEventModel } from '../../domain/event/event.ts';
import type { Page as PageModel } from '../../manage/read/page.ts';
import type { GraphQLContext } from '../context.ts';
export type Maybe<T> = T | null | undefined;
export type InputMaybe<T> = T | null | undefined;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** An ISO 8601 date-time with an offset, such as `2030-01-31T12:00:00.000Z`. Responses always have milliseconds and `Z`. */
  DateTime: { input: Date; output: Date; }
  /** Any JSON value. A number that a double can't hold, such as 750727362669608961, is rejected: send it as text. */
  JSON: { input: unknown; output: unknown; }
  /** A UUID in its canonical form of 36 characters. Upper case is accepted, and returned in lower case. */
  UUID: { input: string; output: string; }
};

/** The kinds of actors that can change a key. */
export type ActorKind =
  /** A client that presented the key itself. */
  | 'KEY_HOLDER'
  /** A program with a management key, whose id is the `actor`. */
  | 'MANAGEMENT_KEY'
  /** The operator of the service, with a command. */
  | 'OPERATOR'
  /** A client with a session token. */
  | 'SESSION'
  /** The service itself, for example because of a date or a reported leak. */
  | 'SYSTEM'
  /** A workload, such as a job of CI, with a token that it got by a trust rule. The `actor` is the subject of its identity provider. */
  | 'WORKLOAD';

/** A key that was presented from an address. */
export type AddressUse = {
  readonly __typename?: 'AddressUse';
  /** How often it was accepted from the address. Numbers above 2147483647, the largest `Int`, are returned as 2147483647. */
  readonly accepted: Scalars['Int']['output'];
  /** The key. */
  readonly apiKey: ApiKey;
  /** When it was first presented from the address, as far as the counts are kept. */
  readonly firstAt: Scalars['DateTime']['output'];
  /** When it was last presented from the address. */
  readonly lastAt: Scalars['DateTime']['output'];
  /** How often it was rejected. */
  readonly rejected: Scalars['Int']['output'];
};

/** What an allow-list would do to the observed sources of a key. */
export type AllowedIpsPreview = {
  readonly __typename?: 'AllowedIpsPreview';
  /** The observed sources that the list accepts, those that were seen last first. */
  readonly accepted: ReadonlyArray<ObservedSource>;
  /** The observed sources that the list rejects, those that were seen last first. If `unlisted` is not empty, the list may reject others too. */
  readonly rejected: ReadonlyArray<ObservedSource>;
  /** The sources about which nothing can be said, as in the query `unlistedSources`. Empty if all recent sources are above. */
  readonly unlisted: ReadonlyArray<UnlistedSources>;
};

/** An API key of a team, without its secret: `createKey` returns the secret once, next to the key. */
export type ApiKey = {
  readonly __typename?: 'ApiKey';
  /** The only sources that can use the key, as they were written, with one entry for each. Empty: every source can. */
  readonly allowedIps: ReadonlyArray<Scalars['String']['output']>;
  /** The number of entries in `allowedIps`; 0 if every source can use the key. */
  readonly allowedIpsCount: Scalars['Int']['output'];
  /** How often the key was verified, accepted or rejected, on each of the last days in UTC, oldest first; the last number is today's. Null without `view_team`. Numbers above 2147483647, the largest `Int`, are returned as 2147483647. */
  readonly callsByDay?: Maybe<ReadonlyArray<Scalars['Int']['output']>>;
  /** When the key was created. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** Who created or imported the key: the `actor` of the first entry of its audit trail. Null if that entry was purged. */
  readonly createdBy?: Maybe<Scalars['String']['output']>;
  /** A text for people; null if there is none. Verifications do not return it. */
  readonly description?: Maybe<Scalars['String']['output']>;
  /** When the key was disabled; null while it is enabled. */
  readonly disabledAt?: Maybe<Scalars['DateTime']['output']>;
  /** The environment that the key is restricted to. */
  readonly env: KeyEnv;
  /** The key stops working after this time; null if it never expires. */
  readonly expiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** The customer or service that the key belongs to, in the words of the team. */
  readonly externalId?: Maybe<Scalars['String']['output']>;
  /** Identifies the key in every other operation. */
  readonly id: Scalars['UUID']['output'];
  /** When the key last passed a verification; null if it never did. */
  readonly lastUsedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The reported leak of a secret of the key that is accepted, or would be once the key is enabled or renewed; null if there is none. The current secret comes before the previous one. Leaks of secrets that are not accepted anymore, or of a revoked key, are in the log only: `KEY_EXPOSED`. Null without `view_team`. */
  readonly leak?: Maybe<KeyLeak>;
  /** A JSON object of the team. It is part of the verdict of a verification. */
  readonly metadata?: Maybe<Scalars['JSON']['output']>;
  /** A label for people, 1 to 100 characters. */
  readonly name: Scalars['String']['output'];
  /** The rules of the policy that the key violates; it goes on working until `enforceAfter` of the policy. Empty for a revoked key, and without `view_team`. */
  readonly policyViolations: ReadonlyArray<PolicyViolation>;
  /** The leading part of the secret, such as `lk_live_4fJx81Qz`. Each generated one is different, and it can be shown and logged. It changes when the key is rotated: see `previousPrefix`. For an imported key it is the prefix that it was imported with, which other imported keys can have too, or `imported_live_` or `imported_test_` with 8 characters. */
  readonly prefix: Scalars['String']['output'];
  /** The prefix of the previous secret; null if the key was never rotated. */
  readonly previousPrefix?: Maybe<Scalars['String']['output']>;
  /** Until when the previous secret is accepted too, at most until the key expires; null if it is not, or if the key is revoked. It can be in the past. Disabling the key does not change it. */
  readonly previousSecretExpiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** Until when the previous signing secret is accepted too, at most until the key expires; null if it is not, or if the key is revoked. It can be in the past. Disabling the key does not change it. */
  readonly previousSigningSecretExpiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** How many requests the key is accepted for; null if there is no limit. */
  readonly rateLimit?: Maybe<RateLimit>;
  /** Who answers questions about the key: the subject of a session, or the name of a team. Null if the key was made before this was recorded, or by a program. */
  readonly responsible?: Maybe<Scalars['String']['output']>;
  /** Changes whenever the key is changed; use does not change it. It is opaque: send it as `ifRevision`, and compare it for equality only. */
  readonly revision: Scalars['ID']['output'];
  /** When the key was revoked; null if it was not. */
  readonly revokedAt?: Maybe<Scalars['DateTime']['output']>;
  /** When the current secret replaced the previous one; null if the key was never rotated. */
  readonly rotatedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The scopes of the key: what it can be used for, in the words of the API that it protects. */
  readonly scopes: ReadonlyArray<Scalars['String']['output']>;
  /** The current secret and, if the key was ever rotated, the one before it. */
  readonly secrets: ReadonlyArray<KeySecret>;
  /** Whether requests made with the key must also be signed. */
  readonly signingEnabled: Scalars['Boolean']['output'];
  /** The state of the key at the time of the call. */
  readonly state: KeyState;
  /** Labels by which keys are filtered. */
  readonly tags: ReadonlyArray<Scalars['String']['output']>;
  /** The team that owns the key. */
  readonly teamId: Scalars['UUID']['output'];
  /** Whether the key is a tripwire: it is never accepted, and the team is told when somebody presents it. */
  readonly tripwire: Scalars['Boolean']['output'];
};


/** An API key of a team, without its secret: `createKey` returns the secret once, next to the key. */
export type ApiKeyCallsByDayArgs = {
  days?: Scalars['Int']['input'];
};

/** One page of a list of keys, after the Relay cursor connections specification. */
export type ApiKeyConnection = {
  readonly __typename?: 'ApiKeyConnection';
  /** The keys of this page with their cursors, in the requested order. */
  readonly edges: ReadonlyArray<ApiKeyEdge>;
  /** The keys of this page without cursors. */
  readonly nodes: ReadonlyArray<ApiKey>;
  /** Whether there is a next page, and the cursor for it. */
  readonly pageInfo: PageInfo;
  /** The number of keys in the whole list at the time of the call, or in its first 10,000 keys before filters if `totalCountIsPartial` is true. Counted only when requested. */
  readonly totalCount: Scalars['Int']['output'];
  /** Whether the list has more than 10,000 keys before filters, revoked ones included if the filter asks for them. Then `totalCount` covers only the newest 10,000. */
  readonly totalCountIsPartial: Scalars['Boolean']['output'];
};

/** A key in a page. */
export type ApiKeyEdge = {
  readonly __typename?: 'ApiKeyEdge';
  /** Pass it as `after`, with the same `filter` and `orderBy`, to continue after this key. */
  readonly cursor: Scalars['String']['output'];
  /** The key itself. */
  readonly node: ApiKey;
};

/** What happened: to a key or, if the name begins so, to a webhook. */
export type AuditAction =
  /** `createManagementKey`: `details` has `managementKey`, with its `id`, `name` and `prefix`. So do the next two. */
  | 'ACCESS_KEY_CREATED'
  /** A management key expires soon: like `KEY_EXPIRING`, and `details` has `managementKey`. */
  | 'ACCESS_KEY_EXPIRING'
  /** A secret of a management key was reported as leaked: like `KEY_EXPOSED`, and `details` has `managementKey`. */
  | 'ACCESS_KEY_EXPOSED'
  /** `revokeManagementKey`, or a reported leak. */
  | 'ACCESS_KEY_REVOKED'
  /** `rotateManagementKey` */
  | 'ACCESS_KEY_ROTATED'
  /** `createTrustRule`: `details` has `trustRule`, with its `id`, `name` and `issuer`. */
  | 'ACCESS_RULE_CREATED'
  /** `deleteTrustRule`: like `ACCESS_RULE_CREATED`. */
  | 'ACCESS_RULE_DELETED'
  /** `replayEvents` */
  | 'EVENTS_REPLAYED'
  /** `freezeKeys`: `details` has `fence`, with its `id` and `reason`. */
  | 'KEYS_FROZEN'
  /** `unfreezeKeys`, or the fence has ended: like `KEYS_FROZEN`. */
  | 'KEYS_UNFROZEN'
  /** `createKey` */
  | 'KEY_CREATED'
  /** `disableKey` or `changeKeys` */
  | 'KEY_DISABLED'
  /** `enableKey` or `changeKeys` */
  | 'KEY_ENABLED'
  /** The key has expired: `details` has `expiresAt`. */
  | 'KEY_EXPIRED'
  /** The key expires soon: `details` has `expiresAt`, and `days` for how many days before it this is due. */
  | 'KEY_EXPIRING'
  /** A secret of the key was reported as leaked: `details` has `leak` with `source`, `url` and `action`. */
  | 'KEY_EXPOSED'
  /** `importKeys` */
  | 'KEY_IMPORTED'
  /** `revokeKey`, `revokeKeys`, `changeKeys`, or `DELETE /v1/keys/self` with the key itself */
  | 'KEY_REVOKED'
  /** `rotateKey` */
  | 'KEY_ROTATED'
  /** A tripwire was presented, from `source`. At most one entry a minute. */
  | 'KEY_TRIPPED'
  /** The key was not used for a long time: `details` has `lastUsedAt`, null if it never was, and `days`. */
  | 'KEY_UNUSED'
  /** `updateKey` or `changeKeys` */
  | 'KEY_UPDATED'
  /** `setLeakPolicy`: `details` has `policy`. */
  | 'LEAK_POLICY_CHANGED'
  /** `removeMember` or `importMembers`, or the identity provider no longer gives access: `details` has `member` with its `subject`. */
  | 'MEMBER_LEFT'
  /** `endOverlap` */
  | 'OVERLAP_ENDED'
  /** A previous secret of the key stops working soon: `details` has `secret` (`key` or `signing`) and `endsAt`. */
  | 'OVERLAP_ENDING'
  /** `setKeyPolicy`: `details` has `env`. */
  | 'POLICY_CHANGED'
  /** Active keys violate a policy: `details` has `env`, `keys` (how many) and `enforceAfter`. Written when the policy was changed, and 7 days and 1 day before `enforceAfter`. */
  | 'POLICY_VIOLATED'
  /** `disableSigning` */
  | 'SIGNING_DISABLED'
  /** `enableSigning` */
  | 'SIGNING_ENABLED'
  /** `rotateSigningSecret` */
  | 'SIGNING_ROTATED'
  /** `createWebhook`; `details` of all actions of webhooks have `webhook` with `id` and `origin`. */
  | 'WEBHOOK_CREATED'
  /** `deleteWebhook` */
  | 'WEBHOOK_DELETED'
  /** `updateWebhook` with `enabled: false`, or deliveries failed: `details` has `reason`. */
  | 'WEBHOOK_DISABLED'
  /** `updateWebhook` with `enabled: true` */
  | 'WEBHOOK_ENABLED'
  /** `rotateWebhookSecret` */
  | 'WEBHOOK_SECRET_ROTATED'
  /** `sendTestEvent` */
  | 'WEBHOOK_TESTED'
  /** `updateWebhook` */
  | 'WEBHOOK_UPDATED';

/** A changed field: its value before and after or, for a list, the added and removed entries. Secrets are never included. */
export type AuditChange = {
  readonly __typename?: 'AuditChange';
  /** The entries that were added to a list. Null for other fields and for a new key. If both `added` and `removed` are empty, the order of the list changed. */
  readonly added?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
  /** The value after the change. Null if there is none, and if `added` and `removed` describe the change. */
  readonly after?: Maybe<Scalars['JSON']['output']>;
  /** The value before the change. Null if there was none, and if `added` and `removed` describe the change. */
  readonly before?: Maybe<Scalars['JSON']['output']>;
  /** The name of a field of `ApiKey`; or `signingVersion`, which counts the signing secrets issued for the key; `digestReleased`, if an operator released an imported key; or `reason`, if the caller gave one. */
  readonly field: Scalars['String']['output'];
  /** The entries that were removed from a list. Null if `added` is null. */
  readonly removed?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
};

/** The record of one change, written in the same transaction as the change; or of something that the service noticed. */
export type AuditEntry = {
  readonly __typename?: 'AuditEntry';
  /** The kind of change. */
  readonly action: AuditAction;
  /** Who made the change: the `sub` of the session token; `key:` and the key's id, if the key was revoked with the key itself; or `operator`, who released an imported key. Read it together with `actorKind`: a `sub` can be any text. */
  readonly actor: Scalars['String']['output'];
  /** The kind of actor that `actor` names. Null in entries that were written before this field existed. */
  readonly actorKind?: Maybe<ActorKind>;
  /** The time of the change, by the server's clock. */
  readonly at: Scalars['DateTime']['output'];
  /** The fields that were changed. */
  readonly changes: ReadonlyArray<AuditChange>;
  /** What this kind of entry has besides changed fields, as a JSON object; null for most. The type of the event in docs/reference/events.md describes it. */
  readonly details?: Maybe<Scalars['JSON']['output']>;
  /** Identifies the entry. It is opaque and the same on every instance; compare it for equality only. The order of the list is the order of the changes, independent of the clock. */
  readonly id: Scalars['ID']['output'];
  /** The key or webhook that the entry is about. The nil UUID if it is about neither, but about the team. */
  readonly keyId: Scalars['UUID']['output'];
  /** The present name of the key, also if it is revoked. Null if the key has been purged, and for a webhook. */
  readonly keyName?: Maybe<Scalars['String']['output']>;
  /** The id of the request, as in the server's log and the `X-Request-Id` header. */
  readonly requestId: Scalars['String']['output'];
  /** The address of the caller, if the server knows it. */
  readonly source?: Maybe<Scalars['String']['output']>;
  /** The team that owns the key. */
  readonly teamId: Scalars['UUID']['output'];
};

/** One page of an audit trail, newest entries first. */
export type AuditEntryConnection = {
  readonly __typename?: 'AuditEntryConnection';
  /** The entries of this page with their cursors. */
  readonly edges: ReadonlyArray<AuditEntryEdge>;
  /** The entries of this page without cursors. */
  readonly nodes: ReadonlyArray<AuditEntry>;
  /** Whether there is a next page, and the cursor for it. */
  readonly pageInfo: PageInfo;
};

/** An entry in a page. */
export type AuditEntryEdge = {
  readonly __typename?: 'AuditEntryEdge';
  /** Pass it as `after` to continue after this entry. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: AuditEntry;
};

/** The result of a change of several keys. */
export type ChangeKeysPayload = {
  readonly __typename?: 'ChangeKeysPayload';
  /** One result for each key, in the order of the input. */
  readonly results: ReadonlyArray<KeyChangeResult>;
};

/** A key to create. */
export type CreateKeyInput = {
  /** The only sources that can use the key, as in `UpdateKeyInput`. Null or empty: every source can. Absent: the default of the policy, else every source. */
  readonly allowedIps?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** A text for people, such as where the key is used: 1 to 500 characters after trimming, none of them invisible. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /** The environment to restrict the key to. */
  readonly env: KeyEnv;
  /** When the key stops working: in the future, before the year 10000. Null: never. Absent: the default of the team's policy, if it has one, else never. */
  readonly expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** The customer or service that the key belongs to: 1 to 255 characters after trimming, none of them invisible. */
  readonly externalId?: InputMaybe<Scalars['String']['input']>;
  /** A JSON object of at most 4,096 bytes, nested at most 8 levels deep. */
  readonly metadata?: InputMaybe<Scalars['JSON']['input']>;
  /** A label for people: 1 to 100 characters after trimming, none of them invisible. */
  readonly name: Scalars['String']['input'];
  /** The rate limit. Null: none. Absent: the default of the policy, else none. */
  readonly rateLimit?: InputMaybe<RateLimitInput>;
  /** Who answers questions about the key: the subject of a session, or the name of a team, 1 to 255 characters after trimming, none of them invisible. Absent: the caller, if it is a person. Null: no one. */
  readonly responsible?: InputMaybe<Scalars['String']['input']>;
  /** The scopes of the key: at most 50 different ones of 1 to 100 characters, each a scope-token of RFC 6749, section 3.3. Null or empty: none. Absent: the default of the policy, else none. */
  readonly scopes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** If true, requests with the key must be signed, and the result has the signing secret. */
  readonly signing?: Scalars['Boolean']['input'];
  /** At most 20 different labels of 1 to 64 characters after trimming, none of them invisible. */
  readonly tags?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** The team that owns the key. */
  readonly teamId: Scalars['UUID']['input'];
  /** If true, the key is a tripwire: it is never accepted, and who presents it gets NOT_FOUND, as for an unknown key, while the team gets the event `key.tripped`. Rejected with OLDER_INSTANCES until the operator has confirmed that no instance before 0.3 runs. */
  readonly tripwire?: Scalars['Boolean']['input'];
};

/** A new key with its secret. */
export type CreateKeyPayload = {
  readonly __typename?: 'CreateKeyPayload';
  /** The key. */
  readonly apiKey: ApiKey;
  /** The full key, to be sent as `Authorization: Bearer <secret>`. It is returned only here. */
  readonly secret: Scalars['String']['output'];
  /** The signing secret, if requests with the key must be signed: 64 hexadecimal characters, whose 32 decoded bytes are the HMAC key. It is returned only here. */
  readonly signingSecret?: Maybe<Scalars['String']['output']>;
};

/** A management key to make. */
export type CreateManagementKeyInput = {
  /** The only sources that can use it, as in `UpdateKeyInput`, with at most 2,000 characters together. Absent, null or empty: every source can. */
  readonly allowedIps?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** When it stops working: in the future, and at most a year from now. */
  readonly expiresAt: Scalars['DateTime']['input'];
  /** A label for people: 1 to 100 characters after trimming, none of them invisible. */
  readonly name: Scalars['String']['input'];
  /** What it may do, each once: `view_team`, `manage_keys` or `manage_webhooks`, of which the caller must have each. */
  readonly permissions: ReadonlyArray<Permission>;
  /** If true, calls with it must be signed, and the result has the signing secret. */
  readonly signing?: Scalars['Boolean']['input'];
  /** The team whose keys it manages. */
  readonly teamId: Scalars['UUID']['input'];
};

/** A new management key with its secret. */
export type CreateManagementKeyPayload = {
  readonly __typename?: 'CreateManagementKeyPayload';
  /** The management key. */
  readonly managementKey: ManagementKey;
  /** The full key, to be sent as `Authorization: Bearer <secret>`. It is returned only here. */
  readonly secret: Scalars['String']['output'];
  /** The signing secret, if calls must be signed: 64 hexadecimal characters. It is returned only here. */
  readonly signingSecret?: Maybe<Scalars['String']['output']>;
};

/** A trust rule to make. */
export type CreateTrustRuleInput = {
  /** The audience that tokens must name (`aud`): 1 to 200 characters. */
  readonly audience: Scalars['String']['input'];
  /** The claims that tokens must have: an object from the name of each, or the path to it with dots, to its exact value, as text. At most 10, one of which identifies the workload by an id that never changes, such as `repository_id` of GitHub, `project_id` of GitLab or `kubernetes.io.serviceaccount.uid`. Names that can be taken by others, such as `repository`, and wildcards are rejected. */
  readonly claims: Scalars['JSON']['input'];
  /** The issuer of the tokens (`iss`), exactly: one of `trustedIssuers`. */
  readonly issuer: Scalars['String']['input'];
  /** A label for people: 1 to 100 characters after trimming, none of them invisible. */
  readonly name: Scalars['String']['input'];
  /** Whether each token can be exchanged only once, by its id (`jti`). GitLab and Kubernetes use theirs several times. */
  readonly once?: Scalars['Boolean']['input'];
  /** What the workloads may do, each once: `view_team`, `manage_keys` or `manage_webhooks`, of which the caller must have each. */
  readonly permissions: ReadonlyArray<Permission>;
  /** The team whose keys the workloads manage. */
  readonly teamId: Scalars['UUID']['input'];
};

/** An endpoint to add. */
export type CreateWebhookInput = {
  /** A text for people, 1 to 500 characters. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /** How events are written. */
  readonly form?: EventForm;
  /** How requests are signed. It cannot be changed. */
  readonly signature?: WebhookSignature;
  /** The team whose events it gets. */
  readonly teamId: Scalars['UUID']['input'];
  /** The types of events, such as `key.created`. Absent or empty: all types. */
  readonly types?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Where to send the events: an https URL with port 443 or a port above 1023, without credentials, at most 2,000 characters. The operator can allow networks for which http and private addresses are accepted too. */
  readonly url: Scalars['String']['input'];
};

/** The trust rule that was removed. */
export type DeleteTrustRulePayload = {
  readonly __typename?: 'DeleteTrustRulePayload';
  /** Its id. */
  readonly id: Scalars['UUID']['output'];
};

/** The endpoint that was removed. */
export type DeleteWebhookPayload = {
  readonly __typename?: 'DeleteWebhookPayload';
  /** Its id. */
  readonly id: Scalars['UUID']['output'];
};

/** The delivery of one event to one endpoint. It is kept for 14 days, and only the last 2,000 of an endpoint. */
export type Delivery = {
  readonly __typename?: 'Delivery';
  /** When it was last attempted; null if it was not. */
  readonly attemptedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The number of attempts so far, since the last replay. */
  readonly attempts: Scalars['Int']['output'];
  /** When the event was first due at the endpoint. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** How long the last attempt took, in milliseconds. */
  readonly durationMs?: Maybe<Scalars['Int']['output']>;
  /** Why the last attempt failed; null if it did not fail. */
  readonly error?: Maybe<Scalars['String']['output']>;
  /** The id of the event, which the request has as `webhook-id`. */
  readonly eventId: Scalars['ID']['output'];
  /** The key or webhook that the event is about. */
  readonly keyId: Scalars['UUID']['output'];
  /** The present name of the key, also if it is revoked. Null if the key has been purged, and for a webhook. */
  readonly keyName?: Maybe<Scalars['String']['output']>;
  /** When it will be attempted; null if it will not. */
  readonly nextAttemptAt?: Maybe<Scalars['DateTime']['output']>;
  /** What became of it. */
  readonly outcome: DeliveryOutcome;
  /** The beginning of the last response, at most 1,024 bytes; if it accepted the event, at most 128 characters. */
  readonly responseBody?: Maybe<Scalars['String']['output']>;
  /** The status of the last response; null if there was none. */
  readonly status?: Maybe<Scalars['Int']['output']>;
  /** The type of the event. */
  readonly type: Scalars['String']['output'];
};

/** One page of the deliveries of an endpoint, newest events first. */
export type DeliveryConnection = {
  readonly __typename?: 'DeliveryConnection';
  /** The deliveries of this page with their cursors. */
  readonly edges: ReadonlyArray<DeliveryEdge>;
  /** The deliveries of this page without cursors. */
  readonly nodes: ReadonlyArray<Delivery>;
  /** Whether there is a next page, and the cursor for it. */
  readonly pageInfo: PageInfo;
};

/** A delivery in a page. */
export type DeliveryEdge = {
  readonly __typename?: 'DeliveryEdge';
  /** Pass it as `after` to continue after this delivery. */
  readonly cursor: Scalars['String']['output'];
  /** The delivery itself. */
  readonly node: Delivery;
};

/** How deliveries to an endpoint go: its last 200, and those that are attempted again, at most 500 new events and 100 replays. Test events are left out. */
export type DeliveryHealth = {
  readonly __typename?: 'DeliveryHealth';
  /** The events that were delivered. */
  readonly delivered: Scalars['Int']['output'];
  /** About when the endpoint is disabled if every attempt until then fails; null while no event is attempted again. */
  readonly disablesAt?: Maybe<Scalars['DateTime']['output']>;
  /** The events whose last attempt failed, and that are not attempted again. */
  readonly failed: Scalars['Int']['output'];
  /** The events whose last attempt failed, and that are attempted again. */
  readonly retrying: Scalars['Int']['output'];
};

/** What became of an event at an endpoint. */
export type DeliveryOutcome =
  /** The endpoint answered with a status from 200 to 299. */
  | 'DELIVERED'
  /** The last attempt failed. */
  | 'FAILED'
  /** It will be attempted, or attempted again. */
  | 'PENDING';

/** The uses of tokens that were derived from a key, with one label. */
export type DerivedUse = {
  readonly __typename?: 'DerivedUse';
  /** How often tokens with it were accepted. */
  readonly count: Scalars['Int']['output'];
  /** The label; empty for all labels after the first 100 of the key. */
  readonly label: Scalars['String']['output'];
  /** When one was last accepted. Up to date within about a second. */
  readonly lastUsedAt: Scalars['DateTime']['output'];
};

/** A disabled key. */
export type DisableKeyPayload = {
  readonly __typename?: 'DisableKeyPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
};

/** A key whose requests need no signature. */
export type DisableSigningPayload = {
  readonly __typename?: 'DisableSigningPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
};

/** An enabled key. */
export type EnableKeyPayload = {
  readonly __typename?: 'EnableKeyPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
};

/** A key of which only the current secret is accepted. */
export type EndOverlapPayload = {
  readonly __typename?: 'EndOverlapPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
};

/** Something that happened. docs/reference/events.md describes each type. */
export type Event = {
  readonly __typename?: 'Event';
  /** What happened, as a JSON object. */
  readonly data: Scalars['JSON']['output'];
  /** Identifies the event, in every delivery and at every instance. */
  readonly id: Scalars['ID']['output'];
  /** When it happened, by the server's clock. The order of events is that of the list, not that of the clock. */
  readonly timestamp: Scalars['DateTime']['output'];
  /** The type, such as `key.created`. */
  readonly type: Scalars['String']['output'];
};

/** How events are written in the requests to an endpoint. */
export type EventForm =
  /** CloudEvents 1.0, in structured mode. */
  | 'CLOUDEVENTS'
  /** Open Cybersecurity Schema Framework: API Activity. */
  | 'OCSF'
  /** The event as `events` returns it (Standard Webhooks). */
  | 'STANDARD';

/** Events, oldest first. */
export type EventPage = {
  readonly __typename?: 'EventPage';
  /** The events after the requested position. */
  readonly events: ReadonlyArray<Event>;
  /** Pass it as `after` to continue. It is never null: if there is no event yet, it is the position of the next one. */
  readonly next: Scalars['ID']['output'];
};

/** The input of a verification to explain. Exactly one of `secret` and `prefix` must be given. */
export type ExplainVerificationInput = {
  /** The environment that the API serves. Absent: any. */
  readonly env?: InputMaybe<KeyEnv>;
  /** The prefix of a key, if its secret is not known. The check FORM is then skipped. */
  readonly prefix?: InputMaybe<Scalars['String']['input']>;
  /** The request itself, to check its signature. Absent: a key with signing enabled gets SIGNATURE_REQUIRED. */
  readonly request?: InputMaybe<SignedRequestInput>;
  /** The scopes that the request needs, at most 50. Absent: none. */
  readonly scopes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** The text that would be presented, at most 1000 characters. This server neither stores nor logs it. Send it in a body, because other servers log URLs. */
  readonly secret?: InputMaybe<Scalars['String']['input']>;
  /** The IPv4 or IPv6 address that the request would come from, without a port. Absent: unknown, with which a key with an allow-list is rejected. */
  readonly sourceIp?: InputMaybe<Scalars['String']['input']>;
  /** The team to search. A key of another team is not found. */
  readonly teamId: Scalars['UUID']['input'];
};

/** Freezes keys of a team: no verifier accepts a key that it covers, whenever it was created. Without `env`, `tags` and `externalId`, it covers the team's management keys and trust rules too, for which who made them is responsible. */
export type Fence = {
  readonly __typename?: 'Fence';
  /** When it was put up. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** Only keys that were created before this time; null: whenever. */
  readonly createdBefore?: Maybe<Scalars['DateTime']['output']>;
  /** Who put it up. */
  readonly createdBy: Scalars['String']['output'];
  /** Only keys of this environment; null: both. */
  readonly env?: Maybe<KeyEnv>;
  /** Only keys with this external ID; null: any. */
  readonly externalId?: Maybe<Scalars['String']['output']>;
  /** Identifies it. */
  readonly id: Scalars['UUID']['output'];
  /** Why, for people. */
  readonly reason: Scalars['String']['output'];
  /** Only keys for which this person or team is responsible; null: anyone. */
  readonly responsible?: Maybe<Scalars['String']['output']>;
  /** Only keys with all of these tags. */
  readonly tags: ReadonlyArray<Scalars['String']['output']>;
  /** The team whose keys are frozen. */
  readonly teamId: Scalars['UUID']['output'];
  /** When it ends by itself; null: never. */
  readonly until?: Maybe<Scalars['DateTime']['output']>;
};

/** A key that a search found. */
export type FoundKey = {
  readonly __typename?: 'FoundKey';
  /** The key. Its team can be another one than that of the search. */
  readonly apiKey: ApiKey;
  /** What the text was found in. */
  readonly match: KeyMatch;
};

/** Which keys to freeze. Absent and null conditions are none. */
export type FreezeKeysInput = {
  /** Only keys that were created before this time. */
  readonly createdBefore?: InputMaybe<Scalars['DateTime']['input']>;
  /** If true, nothing is frozen, and the keys that would be are only counted. */
  readonly dryRun?: Scalars['Boolean']['input'];
  /** Only keys of this environment. */
  readonly env?: InputMaybe<KeyEnv>;
  /** Only keys with this external ID. */
  readonly externalId?: InputMaybe<Scalars['String']['input']>;
  /** Why, for people: 1 to 200 characters after trimming, none of them invisible. */
  readonly reason: Scalars['String']['input'];
  /** Only keys for which this person or team is responsible. */
  readonly responsible?: InputMaybe<Scalars['String']['input']>;
  /** Only keys with all of these tags: 1 to 20. */
  readonly tags?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** The team whose keys to freeze. */
  readonly teamId: Scalars['UUID']['input'];
  /** When the fence ends by itself: at least 5 minutes ahead. Absent or null: when it is lifted. */
  readonly until?: InputMaybe<Scalars['DateTime']['input']>;
};

/** What was frozen, or would be. */
export type FreezeKeysPayload = {
  readonly __typename?: 'FreezeKeysPayload';
  /** How often these keys were verified in this hour and the one before; null with `keys`. */
  readonly calls?: Maybe<Scalars['Int']['output']>;
  /** The fence; null in a dry run. */
  readonly fence?: Maybe<Fence>;
  /** How many unrevoked keys meet the conditions now, among the newest 10,000 of the team; null if they are frozen and could not be counted afterwards. */
  readonly keys?: Maybe<Scalars['Int']['output']>;
  /** The state from which on the keys are frozen: the `Latchkey-Revision` of the answer; null in a dry run. */
  readonly revision?: Maybe<Scalars['ID']['output']>;
};

/** The keys for which somebody else is responsible now. */
export type HandOverKeysPayload = {
  readonly __typename?: 'HandOverKeysPayload';
  /** Whether more keys remain: repeat the call, unless no key of this one was changed. */
  readonly hasMore: Scalars['Boolean']['output'];
  /** One result for each key. */
  readonly results: ReadonlyArray<KeyChangeResult>;
};

/** One line of a request's headers. */
export type HeaderInput = {
  /** The name of the header, in upper or lower case. */
  readonly name: Scalars['String']['input'];
  /** The value of the header. */
  readonly value: Scalars['String']['input'];
};

/** A key of another system to import. */
export type ImportKeyInput = {
  /** The only sources that can use the key, as in `UpdateKeyInput`. Absent, null or empty: every source can. */
  readonly allowedIps?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** A text for people, such as where the key is used: 1 to 500 characters after trimming, none of them invisible. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /** The SHA-256 or SHA-512 of the whole key as its holder sends it, in hexadecimal or base64, with or without a leading `sha256:` or `sha512:`. The key itself has 1 to 1000 visible ASCII characters. It should have at least 128 random bits, which can't be checked from its digest. */
  readonly digest: Scalars['String']['input'];
  /** The environment to restrict the key to. */
  readonly env: KeyEnv;
  /** When the key stops working: in the future, before the year 10000. Absent or null: never. */
  readonly expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** The customer or service that the key belongs to: 1 to 255 characters after trimming, none of them invisible. */
  readonly externalId?: InputMaybe<Scalars['String']['input']>;
  /** A JSON object of at most 4,096 bytes, nested at most 8 levels deep. */
  readonly metadata?: InputMaybe<Scalars['JSON']['input']>;
  /** A label for people: 1 to 100 characters after trimming, none of them invisible. */
  readonly name: Scalars['String']['input'];
  /** The first 4 to 24 characters of the key, visible ASCII, by which people recognize it, such as `sk_live_4fJx`. It is shown and logged, so at most 8 characters after its leading words are kept: more would tell too much of the secret. If it names an environment, that is the environment of the key. Several keys can have the same. Absent or null: one is generated. */
  readonly prefix?: InputMaybe<Scalars['String']['input']>;
  /** The rate limit. Absent or null: none. */
  readonly rateLimit?: InputMaybe<RateLimitInput>;
  /** Who answers questions about the key: the subject of a session, or the name of a team, 1 to 255 characters after trimming, none of them invisible. Absent: the caller, if it is a person. Null: no one. */
  readonly responsible?: InputMaybe<Scalars['String']['input']>;
  /** The scopes of the key: at most 50 different ones of 1 to 100 characters, each a scope-token of RFC 6749, section 3.3. */
  readonly scopes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** At most 20 different labels of 1 to 64 characters after trimming, none of them invisible. */
  readonly tags?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
};

/** The result of an import, or of its dry run. */
export type ImportKeysPayload = {
  readonly __typename?: 'ImportKeysPayload';
  /** Whether it was a dry run. */
  readonly dryRun: Scalars['Boolean']['output'];
  /** One result for each key, in the order of the input. */
  readonly results: ReadonlyArray<ImportResult>;
};

/** Who has access to a team now. */
export type ImportMembersInput = {
  /** Of a list in parts: compares only members whose subject comes after this one, the `upTo` of the part before. */
  readonly after?: InputMaybe<Scalars['String']['input']>;
  /** The subjects of all who have access: at most 1,000, each once, of 1 to 255 characters, in a body of at most 64 kB. More are sent in parts, in the order of their UTF-16 code units, with `after` and `upTo`. */
  readonly subjects: ReadonlyArray<Scalars['String']['input']>;
  /** The team. */
  readonly teamId: Scalars['UUID']['input'];
  /** Of a list in parts: compares only members whose subject does not come after this one. Absent for the last part. */
  readonly upTo?: InputMaybe<Scalars['String']['input']>;
};

/** What an import changed. */
export type ImportMembersPayload = {
  readonly __typename?: 'ImportMembersPayload';
  /** How many people were not known, or had left, and are members now. */
  readonly added: Scalars['Int']['output'];
  /** Whether there is more to do than one call does: repeat it. If it did nothing, a part found no room for new people: send the other parts first, whose people may have left. */
  readonly hasMore: Scalars['Boolean']['output'];
  /** How many members left. */
  readonly left: Scalars['Int']['output'];
};

/** The outcome of the import of one key. */
export type ImportOutcome =
  /** The team already has the key, in any state. It was not changed. */
  | 'EXISTED'
  /** The key was imported or, in a dry run, would be. */
  | 'IMPORTED'
  /** Another team has or had a key with this digest. A digest belongs to the team that imported it first. */
  | 'IN_USE'
  /** The team has the maximum number of keys. */
  | 'LIMIT_REACHED'
  /** The policy of the team, or that of the operator, does not permit the key. */
  | 'POLICY_VIOLATED'
  /** Is no longer returned. */
  | 'PREFIX_TAKEN';

/** The result of the import of one key. */
export type ImportResult = {
  readonly __typename?: 'ImportResult';
  /** The key, if it was imported or existed. */
  readonly apiKey?: Maybe<ApiKey>;
  /** The outcome. */
  readonly outcome: ImportOutcome;
  /** The rules that the key violates, and what they permit, if the outcome is POLICY_VIOLATED; else empty. */
  readonly policyViolations: ReadonlyArray<PolicyViolation>;
};

/** The outcome of the change of one key. */
export type KeyChangeOutcome =
  /** The key was changed. */
  | 'CHANGED'
  /** The team has no key with this id. */
  | 'KEY_NOT_FOUND'
  /** The key is revoked and can't be changed. */
  | 'KEY_REVOKED'
  /** The key was not changed, because the keys before it have long texts, such as allow-lists. Send it in another call. The first key of a call never has this outcome. */
  | 'NOT_ATTEMPTED'
  /** The policy of the team, or that of the operator, does not permit the change. */
  | 'POLICY_VIOLATED'
  /** The key has none of the revisions of `ifRevision`. It was not changed. Read it again. */
  | 'PRECONDITION_FAILED'
  /** The store did not answer. Whether the key was changed is not known: read it, or repeat the change. */
  | 'UNAVAILABLE'
  /** The key was as requested already. It was not changed. */
  | 'UNCHANGED';

/** The result of the change of one key. */
export type KeyChangeResult = {
  readonly __typename?: 'KeyChangeResult';
  /** The key as it is now, if it was changed or is as requested. */
  readonly apiKey?: Maybe<ApiKey>;
  /** The outcome. */
  readonly outcome: KeyChangeOutcome;
  /** The rules that the change violates, and what they permit, if the outcome is POLICY_VIOLATED; else empty. */
  readonly policyViolations: ReadonlyArray<PolicyViolation>;
};

/** Settings that `createKey` gives a new key where its input leaves them out. Null and an empty list in the input are choices, and stay. Not for `putKey` and imports. */
export type KeyDefaults = {
  readonly __typename?: 'KeyDefaults';
  /** The allowed sources; empty: every source. */
  readonly allowedIps: ReadonlyArray<Scalars['String']['output']>;
  /** The time from the creation to the expiry, in seconds; null: no expiry. */
  readonly lifetimeSeconds?: Maybe<Scalars['Int']['output']>;
  /** The rate limit; null: none. */
  readonly rateLimit?: Maybe<RateLimit>;
  /** The scopes; empty: none. */
  readonly scopes: ReadonlyArray<Scalars['String']['output']>;
};

/** Settings for new keys. Absent, null and empty ones: none. */
export type KeyDefaultsInput = {
  /** The allowed sources, as in `CreateKeyInput`. */
  readonly allowedIps?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** The time from the creation to the expiry, in seconds: 60 to 315,360,000 (10 years). */
  readonly lifetimeSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** The rate limit. */
  readonly rateLimit?: InputMaybe<RateLimitInput>;
  /** The scopes, as in `CreateKeyInput`. */
  readonly scopes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
};

/** The environment that a key is restricted to. It is set at creation and never changes. */
export type KeyEnv =
  /** Keys for production traffic. */
  | 'live'
  /** Keys for testing. */
  | 'test';

/** Filters a list of keys. A key must meet all given conditions. */
export type KeyFilter = {
  /** Only keys that were created or imported before this time. */
  readonly createdBefore?: InputMaybe<Scalars['DateTime']['input']>;
  /** Only keys that exactly this `actor` created or imported: 1 to 255 characters. Keys whose first audit entry was purged are not included. */
  readonly createdBy?: InputMaybe<Scalars['String']['input']>;
  /** Only keys of this environment. */
  readonly env?: InputMaybe<KeyEnv>;
  /** Only keys that expire after this time. Keys that never expire are not included. */
  readonly expiresAfter?: InputMaybe<Scalars['DateTime']['input']>;
  /** Only keys that expire before this time. With the default `state`, this includes expired keys. */
  readonly expiresBefore?: InputMaybe<Scalars['DateTime']['input']>;
  /** Only keys with this `externalId`. */
  readonly externalId?: InputMaybe<Scalars['String']['input']>;
  /** True: only keys that some sources alone can use. False: only keys that every source can use. */
  readonly hasAllowedIps?: InputMaybe<Scalars['Boolean']['input']>;
  /** True: only keys with a rate limit. False: only keys without one. */
  readonly hasRateLimit?: InputMaybe<Scalars['Boolean']['input']>;
  /** True: only keys with a `leak`. False: only others. */
  readonly leaked?: InputMaybe<Scalars['Boolean']['input']>;
  /** True: only keys that never expire. False: only keys with an expiry, which can be in the past. */
  readonly neverExpires?: InputMaybe<Scalars['Boolean']['input']>;
  /** True: only keys that never passed a verification. False: only keys that did. */
  readonly neverUsed?: InputMaybe<Scalars['Boolean']['input']>;
  /** Only keys of which exactly this person or team is `responsible`. */
  readonly responsible?: InputMaybe<Scalars['String']['input']>;
  /** Only keys whose `responsible` person is a member of the team in one of these states, each named once; at least one. Keys of a team name, or of a person of whom nothing is known, are not included. */
  readonly responsibleState?: InputMaybe<ReadonlyArray<MemberState>>;
  /** True: only keys in an overlap, whose previous secret or signing secret is still accepted, for a disabled key once it is enabled. False: only others. An overlap ends with its key. */
  readonly rotating?: InputMaybe<Scalars['Boolean']['input']>;
  /** Only keys with all of these scopes; at least one. */
  readonly scopes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Only keys that this text names by an id, or a prefix or its beginning, in any case, anywhere in it, such as in a line of a log; and keys whose name, prefix, external ID, tags or description contain it, ignoring case, and in names and prefixes also accents; 1 to 4000 characters. */
  readonly search?: InputMaybe<Scalars['String']['input']>;
  /** True: only keys whose requests must be signed. False: only keys whose requests need no signature. */
  readonly signingEnabled?: InputMaybe<Scalars['Boolean']['input']>;
  /** Only keys in one of these states, each named once. Absent: all states except `REVOKED`. */
  readonly state?: InputMaybe<ReadonlyArray<KeyState>>;
  /** Only keys with all of these tags; at least one. */
  readonly tags?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Only keys that passed no verification at or after this time, including those that never did. To omit new keys, add `createdBefore` with the same time. */
  readonly unusedSince?: InputMaybe<Scalars['DateTime']['input']>;
  /** True: only keys with `policyViolations`. False: only others. */
  readonly violating?: InputMaybe<Scalars['Boolean']['input']>;
};

/** A reported leak: the first report of a secret, and how many places were reported. */
export type KeyLeak = {
  readonly __typename?: 'KeyLeak';
  /** In how many places the secret was reported; at most the first 100 are recorded. */
  readonly places: Scalars['Int']['output'];
  /** The leading part of the leaked secret. */
  readonly prefix: Scalars['String']['output'];
  /** When it was first reported. */
  readonly reportedAt: Scalars['DateTime']['output'];
  /** Who reported it first: `github` or `leak scanner`; null if Latchkey 0.2 or earlier recorded the leak. */
  readonly reporter?: Maybe<Scalars['String']['output']>;
  /** Which secret leaked. */
  readonly secret: RecentSecret;
  /** The kind of place that was reported first, such as `commit`; null if the scanner did not say, or if Latchkey 0.2 or earlier recorded the leak. */
  readonly source?: Maybe<Scalars['String']['output']>;
  /** Where the secret was found; null as `source` is. Anyone may have written this text. */
  readonly url?: Maybe<Scalars['String']['output']>;
};

/** What of a key a searched text was found in. */
export type KeyMatch =
  /** The description. */
  | 'DESCRIPTION'
  /** The external ID. */
  | 'EXTERNAL_ID'
  /** The id of the key. */
  | 'ID'
  /** The name. */
  | 'NAME'
  /** A prefix of the key, also one from before a rotation. */
  | 'PREFIX'
  /** A secret of the key, also one that a rotation replaced. */
  | 'SECRET'
  /** A tag. */
  | 'TAG';

/** The order of a list of keys. Keys with equal values are ordered by `id`, so that no page repeats or omits a key. */
export type KeyOrder = {
  /** The direction. */
  readonly direction: OrderDirection;
  /** The field to order by. */
  readonly field: KeyOrderField;
};

/** The field that a list of keys is ordered by. */
export type KeyOrderField =
  /** How often the key was verified, accepted or rejected, today and on the six days before, in UTC. Of more than 10,000 keys that match, only the newest are listed. A key that is used while its pages are read can move to another page. */
  | 'CALLS'
  /** When the key was created. */
  | 'CREATED_AT'
  /** When the key expires. In ascending order, keys that never expire are last. */
  | 'EXPIRES_AT'
  /** When the key last passed a verification. In ascending order, keys that never did are first. Of more than 10,000 keys that match, only the newest are listed. A key that is used while its pages are read can move to another page. */
  | 'LAST_USED_AT'
  /** The key's name, ignoring case and accents: punctuation first, then numbers by their value, then letters. */
  | 'NAME';

/** What a team demands of its keys in one environment. A change of a key that violates it is rejected; keys that exist go on working. */
export type KeyPolicy = {
  readonly __typename?: 'KeyPolicy';
  /** When the policy was changed last; null if the team never set one. */
  readonly changedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The settings that a new key gets where its creator gives none. */
  readonly defaults: KeyDefaults;
  /** The rules that apply: those of the team, or the operator's where they are stricter. */
  readonly effective: PolicyRules;
  /** When keys that violate the policy are disabled, with notices 7 days and 1 day before; null: never. It can be in the past. */
  readonly enforceAfter?: Maybe<Scalars['DateTime']['output']>;
  /** The environment. */
  readonly env: KeyEnv;
  /** The longest time from the issue of the current secret to the expiry, in seconds; null: any. If it is set, keys must have an expiry. */
  readonly maxLifetimeSeconds?: Maybe<Scalars['Int']['output']>;
  /** The highest rate limit, as requests per second; null: any. If it is set, keys must have a rate limit. */
  readonly maxRateLimit?: Maybe<RateLimit>;
  /** The longest time from the issue of a secret until it must have been rotated, in seconds; null: any. */
  readonly maxSecretAgeSeconds?: Maybe<Scalars['Int']['output']>;
  /** Whether keys must have allowed sources, and not every IPv4 or public IPv6 address among them. */
  readonly requireAllowedIps: Scalars['Boolean']['output'];
  /** Whether keys must have an expiry. */
  readonly requireExpiry: Scalars['Boolean']['output'];
  /** Whether requests with keys must be signed. */
  readonly requireSigning: Scalars['Boolean']['output'];
  /** The scopes that keys can have; null: any. Empty: none. */
  readonly scopes?: Maybe<ReadonlyArray<PermittedScope>>;
  /** The team. */
  readonly teamId: Scalars['UUID']['output'];
};

/** What a search for a text found. */
export type KeySearch = {
  readonly __typename?: 'KeySearch';
  /** Why the text finds no key, or what is wrong with it, for people; null if there is nothing to say. It repeats at most a prefix. */
  readonly hint?: Maybe<Scalars['String']['output']>;
  /** At most 20 keys, of those that the text names most clearly: first by `match`, in the order of its values, then those of the given team. */
  readonly keys: ReadonlyArray<FoundKey>;
  /** The part of the text that is an id, a prefix, the beginning of one, or in a name, of the keys that were found. It is no secret, so it can be part of a link. Null if they were found by something else. */
  readonly linkable?: Maybe<Scalars['String']['output']>;
};

/** A secret of a key, without the secret itself. Before you end an overlap, check when the previous secret was last used, and `observedSources` for where. */
export type KeySecret = {
  readonly __typename?: 'KeySecret';
  /** Whether it is the current secret. If not, it is the one before it. */
  readonly current: Scalars['Boolean']['output'];
  /** `previousSecretExpiresAt` for the previous secret; null for the current one. */
  readonly expiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** When the secret last passed a verification; null if it never did. */
  readonly lastUsedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The leading part of the secret. */
  readonly prefix: Scalars['String']['output'];
};

/** The state of a key. A revoked key is `REVOKED` and another disabled one `DISABLED`, whether or not it has expired. */
export type KeyState =
  /** Usable: neither revoked, nor disabled, nor expired. */
  | 'ACTIVE'
  /** Disabled. It is rejected until `enableKey` enables it. */
  | 'DISABLED'
  /** Past its `expiresAt`. It is rejected, but still listed, and `updateKey` can renew it. */
  | 'EXPIRED'
  /** Revoked permanently. It can be neither changed nor restored. */
  | 'REVOKED';

/** A key to change. */
export type KeyToChangeInput = {
  /** The key to change. */
  readonly id: Scalars['UUID']['input'];
  /** Changes the key only if it still has one of these `revision`s, such as the one that a dry run has shown. Absent or null: changes the key unconditionally. */
  readonly ifRevision?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  /** The fields to change. Required for UPDATE, and rejected for other actions. */
  readonly settings?: InputMaybe<UpdateKeyInput>;
};

/** A value, and how many keys have it. */
export type KeyValue = {
  readonly __typename?: 'KeyValue';
  /** How many of the keys have it. */
  readonly count: Scalars['Int']['output'];
  /** The value, as the condition of `KeyFilter` for the field takes it. */
  readonly value: Scalars['String']['output'];
};

/** The fields whose values `keyValues` counts. */
export type KeyValueField =
  /** `createdBy` */
  | 'CREATED_BY'
  /** `env` */
  | 'ENV'
  /** `externalId` */
  | 'EXTERNAL_ID'
  /** `responsible` */
  | 'RESPONSIBLE'
  /** `scopes` */
  | 'SCOPE'
  /** `tags` */
  | 'TAG';

/** The values of a field that keys have. */
export type KeyValues = {
  readonly __typename?: 'KeyValues';
  /** Whether there are more values: `search` narrows them. */
  readonly hasMore: Scalars['Boolean']['output'];
  /** Whether keys or values were left out, because only the newest 10,000 keys and 10,000 values are compared. */
  readonly isPartial: Scalars['Boolean']['output'];
  /** The values, the most used ones first: at most 100. */
  readonly values: ReadonlyArray<KeyValue>;
};

/** What `changeKeys` does with the keys. */
export type KeysAction =
  /** As `disableKey` does. */
  | 'DISABLE'
  /** As `enableKey` does. */
  | 'ENABLE'
  /** As `revokeKey` does. */
  | 'REVOKE'
  /** As `updateKey` does, with the `settings` of each key. */
  | 'UPDATE';

/** Counts of a team's keys that may need attention, at the time of the call. Revoked keys are never counted. */
export type KeysOverview = {
  readonly __typename?: 'KeysOverview';
  /** Keys that are neither revoked, nor disabled, nor expired. */
  readonly active: Scalars['Int']['output'];
  /** The time of the counts, by the server's clock. Compute the times of filters from it, so that a list has the keys that were counted. */
  readonly at: Scalars['DateTime']['output'];
  /** Keys that are disabled, expired or not. */
  readonly disabled: Scalars['Int']['output'];
  /** Keys that have expired and are not disabled. */
  readonly expired: Scalars['Int']['output'];
  /** Active keys that expire within 14 days: those that `keys` lists with `state: [ACTIVE]` and an `expiresBefore` 14 days after `at`. */
  readonly expiringSoon: Scalars['Int']['output'];
  /** Whether the team has more than 10,000 keys that are not revoked. Then only the newest 10,000 are counted. */
  readonly isPartial: Scalars['Boolean']['output'];
  /** Keys with a `leak`, disabled and expired ones included: those that `keys` lists with `leaked: true`. */
  readonly leaked: Scalars['Int']['output'];
  /** Active keys that never passed a verification. */
  readonly neverUsed: Scalars['Int']['output'];
  /** Keys that are revoked: at most 10,000, the newest of them. */
  readonly revoked: Scalars['Int']['output'];
  /** Active keys that are older than 90 days and passed no verification within 90 days: those that `keys` lists with `state: [ACTIVE]` and `unusedSince` and `createdBefore` 90 days before `at`. */
  readonly unusedFor90Days: Scalars['Int']['output'];
  /** Active keys that violate a policy: those that `keys` lists with `state: [ACTIVE]` and `violating: true`. */
  readonly violating: Scalars['Int']['output'];
};

/** What happens to a leaked key of a team, besides the event `key.exposed`. */
export type LeakPolicyAction =
  /** The key is disabled. */
  | 'DISABLE'
  /** Nothing else. People decide. */
  | 'NOTIFY'
  /** The key is revoked. */
  | 'REVOKE';

/** A key with which a program manages the keys of a team, without its secret: `createManagementKey` returns the secret once. */
export type ManagementKey = {
  readonly __typename?: 'ManagementKey';
  /** The only sources that can use it, as they were written. Empty: every source can. */
  readonly allowedIps: ReadonlyArray<Scalars['String']['output']>;
  /** When it was made. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** The person who made it. */
  readonly createdBy: Scalars['String']['output'];
  /** When it stops working. */
  readonly expiresAt: Scalars['DateTime']['output'];
  /** Identifies it. It is the `actor` of what is done with it, and the `createdBy` of keys that are made with it. */
  readonly id: Scalars['UUID']['output'];
  /** When it was last accepted; null if it never was. Up to date within about a second. */
  readonly lastUsedAt?: Maybe<Scalars['DateTime']['output']>;
  /** A label for people. */
  readonly name: Scalars['String']['output'];
  /** The addresses from which it was presented, those that were seen last first: at most 200. */
  readonly observedSources: ReadonlyArray<ObservedSource>;
  /** What it may do. Never `manage_access`, `manage_policy` or `import_keys`. */
  readonly permissions: ReadonlyArray<Permission>;
  /** The leading part of the secret, such as `lk_mgmt_4fJx81Qz`. */
  readonly prefix: Scalars['String']['output'];
  /** The prefix of the previous secret; null if it was never rotated. */
  readonly previousPrefix?: Maybe<Scalars['String']['output']>;
  /** Until when the previous secret is accepted too; null if it is not. It can be in the past. */
  readonly previousSecretExpiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** When it was revoked; null if it was not. */
  readonly revokedAt?: Maybe<Scalars['DateTime']['output']>;
  /** When the current secret replaced the previous one; null if it was never rotated. */
  readonly rotatedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Whether calls with it must be signed, as requests with keys are. */
  readonly signingEnabled: Scalars['Boolean']['output'];
  /** Its state at the time of the call. */
  readonly state: ManagementKeyState;
  /** The team whose keys it manages. */
  readonly teamId: Scalars['UUID']['output'];
};

/** The state of a management key. */
export type ManagementKeyState =
  /** It is accepted. */
  | 'ACTIVE'
  /** Past its `expiresAt`. */
  | 'EXPIRED'
  /** Revoked permanently. */
  | 'REVOKED';

/** A person who has or had access to a team: the subject of a session. */
export type Member = {
  readonly __typename?: 'Member';
  /** Of how many keys the person is `responsible`, without revoked ones: among the newest 10,000 of the team. */
  readonly keyCount: Scalars['Int']['output'];
  /** Since when the person has no access; null if the person has. */
  readonly leftAt?: Maybe<Scalars['DateTime']['output']>;
  /** When the person last signed in or, before that, was first imported. It is recorded at most once a day. */
  readonly seenAt: Scalars['DateTime']['output'];
  /** Whether the person still has access. */
  readonly state: MemberState;
  /** The `sub` of the person's session tokens, as keys have it in `responsible` and the audit trail in `actor`. */
  readonly subject: Scalars['String']['output'];
};

/** A list of members, ordered by their subjects, after the Relay cursor connections specification. */
export type MemberConnection = {
  readonly __typename?: 'MemberConnection';
  /** The members of the page, with their cursors. */
  readonly edges: ReadonlyArray<MemberEdge>;
  /** The members of the page. */
  readonly nodes: ReadonlyArray<Member>;
  /** The position of the page in the list. */
  readonly pageInfo: PageInfo;
};

/** A member and its position in the list. */
export type MemberEdge = {
  readonly __typename?: 'MemberEdge';
  /** The position, for `after`. */
  readonly cursor: Scalars['String']['output'];
  /** The member itself. */
  readonly node: Member;
};

/** Whether a person still has access to a team, as far as Latchkey knows. */
export type MemberState =
  /** Has signed in within the last 90 days, or was first imported then. */
  | 'ACTIVE'
  /** Has not signed in for 90 days. Who left and was not removed never signs in again. */
  | 'INACTIVE'
  /** Left: was removed, was missing in an import, or has no access anymore by what the identity provider says. */
  | 'LEFT';

/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type Mutation = {
  readonly __typename?: 'Mutation';
  /** Changes up to 500 keys of a team, each as the mutation for one key does, with an entry of its own in the audit trail. If a field of one key is invalid, the whole call is rejected, with `keys[i].field` in `extensions.errors`; otherwise `results` has the outcome of each key. The keys are changed in batches, and changes of other callers are made between them. If the response is lost, repeat the call: keys that are as requested already are not changed again. Needs `manage_keys`. */
  readonly changeKeys: ChangeKeysPayload;
  /** Creates a key and returns its secret, only this once. Needs `manage_keys` on the team. Rejected with POLICY_VIOLATED if a policy does not permit it. */
  readonly createKey: CreateKeyPayload;
  /** Makes a key with which a program manages the keys of a team, at most 50 for a team. Returns its secret, only this once. It gets no permission that the caller does not have. Needs `manage_access`. Rejected with CREDENTIAL_LIMIT_REACHED above the limit, and with POLICY_VIOLATED if it would live longer than the policy of an environment permits keys to. */
  readonly createManagementKey: CreateManagementKeyPayload;
  /** Lets workloads, such as jobs of CI, manage the keys of a team with the tokens that their platform gives them: at most 50 rules for a team. They get no permission that the caller does not have. Needs `manage_access`. Rejected with CREDENTIAL_LIMIT_REACHED above the limit. */
  readonly createTrustRule: TrustRulePayload;
  /** Adds an endpoint that gets the team's events from now on, at most 20 for a team. Returns its secret, only this once. Needs `manage_webhooks`. */
  readonly createWebhook: WebhookSecretPayload;
  /** Removes a trust rule. Once this is answered, no instance accepts a token that was exchanged by it, and nothing that one asked for is written anymore. Needs `manage_access` on its team. */
  readonly deleteTrustRule: DeleteTrustRulePayload;
  /** Removes an endpoint and the log of its deliveries. Needs `manage_webhooks` on its team. */
  readonly deleteWebhook: DeleteWebhookPayload;
  /** Disables a key: it is rejected until it is enabled. Changes nothing if it is disabled. Needs `manage_keys`. Rejected with KEY_REVOKED for a revoked key. */
  readonly disableKey: DisableKeyPayload;
  /** Requires no signatures any more and deletes the signing secret. Changes nothing if signing is disabled. Needs `manage_keys`. Rejected with KEY_REVOKED for a revoked key, and with POLICY_VIOLATED if a policy requires signing. */
  readonly disableSigning: DisableSigningPayload;
  /** Enables a disabled key. Changes nothing if it is enabled. Needs `manage_keys`. Rejected with KEY_REVOKED for a revoked key, and with POLICY_VIOLATED if it violates a policy. */
  readonly enableKey: EnableKeyPayload;
  /** Requires signed requests from now on and returns the signing secret, only this once. Needs `manage_keys`. Rejected with SIGNING_ALREADY_ENABLED if it is enabled, and with KEY_REVOKED for a revoked key. */
  readonly enableSigning: SigningSecretPayload;
  /** Ends the overlap of a rotation: the previous secret and the previous signing secret of the key are not accepted anymore. Changes nothing if there is no overlap. Needs `manage_keys`. Rejected with KEY_REVOKED for a revoked key. */
  readonly endOverlap: EndOverlapPayload;
  /** Freezes the keys of a team that meet all given conditions; without any, all keys. Once this is answered, no verifier anywhere accepts one, also if it is created later, and nothing that a program that the fence covers asked for is written anymore. The keys themselves are not changed. The change budget does not limit it. Needs `manage_keys` and `view_team`. Rejected with FENCE_LIMIT_REACHED above 100 fences, and with OLDER_INSTANCES until the operator has confirmed that no instance before 0.3 runs. */
  readonly freezeKeys: FreezeKeysPayload;
  /** Makes another person or team responsible for the keys of which one is `responsible`, each as `changeKeys` does: at most 100 in one call, without revoked ones. Needs `manage_keys`. */
  readonly handOverKeys: HandOverKeysPayload;
  /** Imports keys of another system by their digests, so that their holders can continue to use them. They are then keys like any other. If a field of one key is invalid, the whole call is rejected, with `keys[i].field` in `extensions.errors`; otherwise `results` has the outcome of each key. Keys that the team already has are not changed. The keys are imported in batches. If the call fails or its response is lost, repeat it. A digest belongs to the team that imported it first, also after the key was revoked: for others, the outcome is `IN_USE`. If a key is imported by its SHA-256 and by its SHA-512, the first import decides. Needs `import_keys`. */
  readonly importKeys: ImportKeysPayload;
  /** Compares the members of a team with those who have access now, such as from a directory: records that those who are missing have left, at most 500 in one call, and adds those who are not known. Subjects are trimmed and normalized, as the `responsible` of keys is. Needs `manage_keys`. */
  readonly importMembers: ImportMembersPayload;
  /** Creates the one key of a team and environment with an `externalId`, or changes it, so that it has exactly these settings: an absent or null one has its default. Changes nothing if it has them. Calls at the same time make one key; after a revocation, the next call makes a new one. With `ifRevision`, changes the key only if it has one of these `revision`s. With a `digest`, no answer has a secret, and another digest than before is a rotation. Needs `manage_keys`. Rejected with EXTERNAL_ID_AMBIGUOUS, whose `extensions.keyIds` are the ids of 10 of them at most, if several keys have the external ID; with DIGEST_IN_USE if any key, of any team, has or had the digest; with KEY_DISABLED if a disabled key is rotated with an overlap; and as `createKey` is, with KEY_LIMIT_REACHED and POLICY_VIOLATED. */
  readonly putKey: PutKeyPayload;
  /** Records that a person has left a team. Takes no access away, which is what the identity provider does, and changes no key: `handOverKeys` gives the person's keys to others. A person who signs in again at the identity provider, or has access a day later, is a member again. Needs `manage_keys`. */
  readonly removeMember: RemoveMemberPayload;
  /** Sends events to an endpoint again, with the same ids: those with `eventIds`, those from `from` until `to` of its types, or all that `failed`. Needs `manage_webhooks` on its team. */
  readonly replayEvents: ReplayEventsPayload;
  /** Revokes a key permanently. Revoking it again changes nothing and returns the same. Needs `manage_keys`. */
  readonly revokeKey: RevokeKeyPayload;
  /** Revokes the one key of a team and environment with an `externalId`. Needs `manage_keys`. Rejected with KEY_NOT_FOUND if there is none that is not revoked, and with EXTERNAL_ID_AMBIGUOUS if there are several. */
  readonly revokeKeyByExternalId: RevokeKeyPayload;
  /** Revokes all keys that a filter selects, in two calls. The first is a dry run, which returns the number of keys and a `selection`. The second sends that `selection` and revokes exactly these keys. If the filter selects other keys by then, the second call is rejected with SELECTION_CHANGED, and nothing is revoked. The keys are revoked in batches, each with an entry in the audit trail. If the call fails, another dry run returns how many keys are left. Needs `manage_keys` and `view_team`. */
  readonly revokeKeys: RevokeKeysPayload;
  /** Revokes a management key. Once this is answered, no instance accepts it, and nothing that it asked for is written anymore. Changes nothing if it is revoked. Needs `manage_access` on its team. */
  readonly revokeManagementKey: RevokeManagementKeyPayload;
  /** Replaces the secret of a key and returns the new one, only this once. The id, the settings and the audit trail of the key stay. The previous secret is accepted until the overlap ends, at the latest when the key expires, and then gets the verdict ROTATED; a secret before it ends at once. If the response of a call is lost, repeating the call ends the secret that is in use: send `ifRevision` to prevent that. Needs `manage_keys`. A disabled key stays disabled. Rejected with KEY_REVOKED for a revoked key, and with KEY_DISABLED for a disabled one with an overlap. */
  readonly rotateKey: RotateKeyPayload;
  /** Replaces the secret of a management key and returns the new one, only this once. The previous one is accepted until the overlap ends; one before it ends at once. The expiry stays, or becomes the latest that the policy of the team permits; no overlap lasts longer. Needs `manage_access` on its team, and all permissions of the management key. Rejected with KEY_REVOKED if it is revoked. */
  readonly rotateManagementKey: RotateManagementKeyPayload;
  /** Replaces the signing secret and returns the new one, only this once. The previous one is accepted until the overlap ends; one before it ends at once. Needs `manage_keys`. Rejected with SIGNING_NOT_ENABLED if signing is disabled, and with KEY_REVOKED for a revoked key. */
  readonly rotateSigningSecret: SigningSecretPayload;
  /** Replaces the secret of an endpoint. During the overlap, requests have the signatures of both secrets. Needs `manage_webhooks` on its team. */
  readonly rotateWebhookSecret: WebhookSecretPayload;
  /** Sends a test event (`webhook.tested`) to an endpoint, also to a disabled one, and returns how it answered, after at most 15 s. It is not repeated. Needs `manage_webhooks` on its team. */
  readonly sendTestEvent: TestEventPayload;
  /** Sets what a team demands of its keys in one environment, as a whole: an absent or null rule demands nothing. Creations, imports and changes of keys that violate it are rejected from now on. Keys that exist go on working until `enforceAfter`. The operator's rules apply too. Changes nothing if it is set already. Needs `manage_policy`. */
  readonly setKeyPolicy: SetKeyPolicyPayload;
  /** Chooses what happens to a leaked key of a team. Needs `manage_keys` and a session: a program could choose that a leak of its own management key has no consequence. */
  readonly setLeakPolicy: SetLeakPolicyPayload;
  /** Lifts a fence: the keys that it covered work as before, unless another one covers them. Needs `manage_keys` on its team. */
  readonly unfreezeKeys: UnfreezeKeysPayload;
  /** Changes the given fields and leaves the others as they are. Needs `manage_keys`. Rejected with KEY_REVOKED for a revoked key, and with POLICY_VIOLATED if a policy does not permit what is changed. */
  readonly updateKey: UpdateKeyPayload;
  /** Changes an endpoint; absent fields stay as they are. Needs `manage_webhooks` on its team. */
  readonly updateWebhook: WebhookPayload;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationChangeKeysArgs = {
  action: KeysAction;
  keys: ReadonlyArray<KeyToChangeInput>;
  reason?: InputMaybe<Scalars['String']['input']>;
  teamId: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationCreateKeyArgs = {
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  input: CreateKeyInput;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationCreateManagementKeyArgs = {
  input: CreateManagementKeyInput;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationCreateTrustRuleArgs = {
  input: CreateTrustRuleInput;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationCreateWebhookArgs = {
  input: CreateWebhookInput;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationDeleteTrustRuleArgs = {
  id: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationDeleteWebhookArgs = {
  id: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationDisableKeyArgs = {
  id: Scalars['UUID']['input'];
  reason?: InputMaybe<Scalars['String']['input']>;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationDisableSigningArgs = {
  id: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationEnableKeyArgs = {
  id: Scalars['UUID']['input'];
  reason?: InputMaybe<Scalars['String']['input']>;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationEnableSigningArgs = {
  id: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationEndOverlapArgs = {
  id: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationFreezeKeysArgs = {
  input: FreezeKeysInput;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationHandOverKeysArgs = {
  from: Scalars['String']['input'];
  teamId: Scalars['UUID']['input'];
  to: Scalars['String']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationImportKeysArgs = {
  dryRun?: Scalars['Boolean']['input'];
  keys: ReadonlyArray<ImportKeyInput>;
  teamId: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationImportMembersArgs = {
  input: ImportMembersInput;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationPutKeyArgs = {
  ifExists?: InputMaybe<Scalars['Boolean']['input']>;
  ifRevision?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  input: PutKeyInput;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationRemoveMemberArgs = {
  subject: Scalars['String']['input'];
  teamId: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationReplayEventsArgs = {
  eventIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  failed?: Scalars['Boolean']['input'];
  from?: InputMaybe<Scalars['DateTime']['input']>;
  to?: InputMaybe<Scalars['DateTime']['input']>;
  webhookId: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationRevokeKeyArgs = {
  id: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationRevokeKeyByExternalIdArgs = {
  env: KeyEnv;
  externalId: Scalars['String']['input'];
  teamId: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationRevokeKeysArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  dryRun?: Scalars['Boolean']['input'];
  filter: KeyFilter;
  selection?: InputMaybe<Scalars['String']['input']>;
  teamId: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationRevokeManagementKeyArgs = {
  id: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationRotateKeyArgs = {
  id: Scalars['UUID']['input'];
  ifRevision?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  overlapSeconds?: Scalars['Int']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationRotateManagementKeyArgs = {
  id: Scalars['UUID']['input'];
  overlapSeconds?: Scalars['Int']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationRotateSigningSecretArgs = {
  id: Scalars['UUID']['input'];
  overlapSeconds?: Scalars['Int']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationRotateWebhookSecretArgs = {
  id: Scalars['UUID']['input'];
  overlapSeconds?: Scalars['Int']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationSendTestEventArgs = {
  id: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationSetKeyPolicyArgs = {
  input: SetKeyPolicyInput;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationSetLeakPolicyArgs = {
  policy: LeakPolicyAction;
  teamId: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationUnfreezeKeysArgs = {
  id: Scalars['UUID']['input'];
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationUpdateKeyArgs = {
  id: Scalars['UUID']['input'];
  ifRevision?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  input: UpdateKeyInput;
};


/** The mutations. Every change is in force on every instance once it has returned. Creating, importing, updating, rotating and enabling keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up. Revoking and disabling keys, ending an overlap and disabling signing are not limited by it. */
export type MutationUpdateWebhookArgs = {
  id: Scalars['UUID']['input'];
  input: UpdateWebhookInput;
};

/** An address from which a key was presented. */
export type ObservedSource = {
  readonly __typename?: 'ObservedSource';
  /** How often the key was accepted from this address, with any of its secrets, on each of the last 31 days in UTC, oldest first; the last number is today's. Days are counted since the version of Latchkey that has this field. */
  readonly acceptedByDay: ReadonlyArray<Scalars['Int']['output']>;
  /** The IPv4 or IPv6 address. */
  readonly address: Scalars['String']['output'];
  /** How often it was presented, by verdict. */
  readonly counts: ReadonlyArray<VerdictCount>;
  /** When it was first presented from this address. */
  readonly firstAt: Scalars['DateTime']['output'];
  /** When it was last presented from this address. */
  readonly lastAt: Scalars['DateTime']['output'];
  /** How often the key was rejected, like `acceptedByDay`. */
  readonly rejectedByDay: ReadonlyArray<Scalars['Int']['output']>;
  /** Which secret of the key was presented. */
  readonly secret: SecretStanding;
};

/** The direction of an order. */
export type OrderDirection =
  /** Ascending: earliest first, or alphabetical. */
  | 'ASC'
  /** Descending: latest first, or reverse alphabetical. */
  | 'DESC';

/** The position of a page in its list, after the Relay cursor connections specification. */
export type PageInfo = {
  readonly __typename?: 'PageInfo';
  /** The cursor after which to continue: of the last entry of the page, or of a later one that does not meet the conditions of the list. Null if the page is empty and the last one. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are entries after this page. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether the page was requested with `after`, so that there are entries before it. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** The cursor of the first entry of the page; null if the page is empty. */
  readonly startCursor?: Maybe<Scalars['String']['output']>;
};

/** A permission on a team. No permission implies another. */
export type Permission =
  /** Import keys of another system into the team, by their digests. */
  | 'import_keys'
  /** Let programs in: management keys and trust rules. Only people can have it. */
  | 'manage_access'
  /** Create, change and revoke the team's keys. */
  | 'manage_keys'
  /** Decide what the team demands of its keys. Only people can have it. */
  | 'manage_policy'
  /** Manage the endpoints that get the team's events. */
  | 'manage_webhooks'
  /** Read the team's keys, their usage and their audit trail. */
  | 'view_team';

/** A scope that keys can have. */
export type PermittedScope = {
  readonly __typename?: 'PermittedScope';
  /** What it permits, for people who choose scopes; null if nobody said. */
  readonly description?: Maybe<Scalars['String']['output']>;
  /** The scope. */
  readonly name: Scalars['String']['output'];
};

/** A scope that keys can have. */
export type PermittedScopeInput = {
  /** What it permits, for people who choose scopes: 1 to 200 characters after trimming. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /** The scope, as keys have it. */
  readonly name: Scalars['String']['input'];
};

/** Rules for keys. Null and false demand nothing. */
export type PolicyRules = {
  readonly __typename?: 'PolicyRules';
  /** The longest time from the issue of the current secret to the expiry, in seconds; null: any. If it is set, keys must have an expiry. */
  readonly maxLifetimeSeconds?: Maybe<Scalars['Int']['output']>;
  /** The highest rate limit, as requests per second; null: any. If it is set, keys must have a rate limit. */
  readonly maxRateLimit?: Maybe<RateLimit>;
  /** The longest time from the issue of a secret until it must have been rotated, in seconds; null: any. */
  readonly maxSecretAgeSeconds?: Maybe<Scalars['Int']['output']>;
  /** Whether keys must have allowed sources, and not every IPv4 or public IPv6 address among them. */
  readonly requireAllowedIps: Scalars['Boolean']['output'];
  /** Whether keys must have an expiry. */
  readonly requireExpiry: Scalars['Boolean']['output'];
  /** Whether requests with keys must be signed. */
  readonly requireSigning: Scalars['Boolean']['output'];
  /** The scopes that keys can have; null: any. Empty: none. */
  readonly scopes?: Maybe<ReadonlyArray<PermittedScope>>;
};

/** A rule of a policy that a key violates. */
export type PolicyViolation = {
  readonly __typename?: 'PolicyViolation';
  /** The field of the key that violates it: `expiresAt`, `allowedIps`, `signing`, `secret`, `scopes` or `rateLimit`. */
  readonly field: Scalars['String']['output'];
  /** What is permitted. */
  readonly message: Scalars['String']['output'];
  /** The name of the rule: a field of `PolicyRules`. */
  readonly rule: Scalars['String']['output'];
};

/** What a key with an external ID is to be. */
export type PutKeyInput = {
  /** The only sources that can use the key, as in `UpdateKeyInput`. Absent, null or empty: every source can. */
  readonly allowedIps?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** A text for people, such as where the key is used: 1 to 500 characters after trimming, none of them invisible. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /** The SHA-256 of the secret, in hexadecimal or base64, with or without a leading `sha256:`. The secret is `<tag>_<env>_c_` with 8 random characters of base62, `_`, 43 more, and the checksum of all before it: `latchkey keys new-secret` makes one. Absent or null: the answer that creates the key has a secret, and later calls leave it as it is. */
  readonly digest?: InputMaybe<Scalars['String']['input']>;
  /** The environment of the key. */
  readonly env: KeyEnv;
  /** When the key stops working: in the future, before the year 10000. Absent or null: never. */
  readonly expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** The customer or service that the key belongs to: 1 to 255 characters after trimming, none of them invisible. */
  readonly externalId: Scalars['String']['input'];
  /** A JSON object of at most 4,096 bytes, nested at most 8 levels deep. */
  readonly metadata?: InputMaybe<Scalars['JSON']['input']>;
  /** A label for people: 1 to 100 characters after trimming, none of them invisible. */
  readonly name: Scalars['String']['input'];
  /** For how many seconds the previous secret is accepted too, if the digest is another one: 0 to 2,592,000 (30 days). */
  readonly overlapSeconds?: Scalars['Int']['input'];
  /** The first part of that secret, such as `lk_live_c_4fJx81Qz`, by which people recognize it. Absent or null: one is generated. */
  readonly prefix?: InputMaybe<Scalars['String']['input']>;
  /** The rate limit. Absent or null: none. */
  readonly rateLimit?: InputMaybe<RateLimitInput>;
  /** Who answers questions about the key: the subject of a session, or the name of a team, 1 to 255 characters after trimming, none of them invisible. Absent: the caller that creates the key, if it is a person; later calls leave it as it is. Null: no one. */
  readonly responsible?: InputMaybe<Scalars['String']['input']>;
  /** The scopes of the key: at most 50 different ones of 1 to 100 characters, each a scope-token of RFC 6749, section 3.3. */
  readonly scopes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** At most 20 different labels of 1 to 64 characters after trimming, none of them invisible. */
  readonly tags?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** The team that owns the key. */
  readonly teamId: Scalars['UUID']['input'];
};

/** The key as it was asked for. */
export type PutKeyPayload = {
  readonly __typename?: 'PutKeyPayload';
  /** The key. */
  readonly apiKey: ApiKey;
  /** Whether this call created it. */
  readonly created: Scalars['Boolean']['output'];
  /** The full key, if this call created it without a digest. It is returned only here. */
  readonly secret?: Maybe<Scalars['String']['output']>;
};

/** The queries. */
export type Query = {
  readonly __typename?: 'Query';
  /** Lists the keys of a team that were presented from an address in the last 31 days, the key that was seen last first, and at most 100 keys. It adds up at most the 5,000 latest counts of a key and a day. Of each key, only addresses that `observedSources` lists are counted, and only since the version of Latchkey that has this query. Needs `view_team`. */
  readonly addressActivity: ReadonlyArray<AddressUse>;
  /** Lists the audit trail of a team, or of one of its keys, newest first. Needs `view_team`. */
  readonly auditLog: AuditEntryConnection;
  /** Lists the deliveries of an endpoint, newest events first. Needs `manage_webhooks` on its team. */
  readonly deliveries: DeliveryConnection;
  /** How often tokens that were derived from a key were accepted, by their labels: at most 101, those that were used last first. Needs `view_team`. */
  readonly derivedUse: ReadonlyArray<DerivedUse>;
  /** Returns the events of a team after a position, oldest first. Answers at once; `GET /v1/events` can wait. Needs `view_team`. */
  readonly events: EventPage;
  /** Explains the verdict that a verification would return now. It does not count as usage and does not use up the nonce of a signature. Host names in an allow-list are resolved, which can take three seconds. Needs `view_team`. */
  readonly explainVerification: VerificationExplanation;
  /** Lists the fences of a team, oldest first: at most 100. Needs `view_team`. */
  readonly fences: ReadonlyArray<Fence>;
  /** Finds the keys that a text names, in any state: by id, secret, prefix or external ID in all teams in which the caller has `view_team`, at most 50, and with `teamId` also by the texts of that team's keys. Needs `view_team` on that team. */
  readonly findKeys: KeySearch;
  /** Returns one key, in any state. Needs `view_team` on the key's team. */
  readonly key: ApiKey;
  /** Returns the one key of a team and environment with an `externalId` that is not revoked. Needs `view_team`. Rejected with KEY_NOT_FOUND if there is none, and with EXTERNAL_ID_AMBIGUOUS if there are several. */
  readonly keyByExternalId: ApiKey;
  /** Returns the policies of a team: that for `live`, and that for `test`. Needs `view_team`. */
  readonly keyPolicies: ReadonlyArray<KeyPolicy>;
  /** Returns the policy of a team for one environment. Needs `view_team`. */
  readonly keyPolicy: KeyPolicy;
  /** Counts the values that a field has in a team's keys, for a choice of filters. Needs `view_team`. */
  readonly keyValues: KeyValues;
  /** Lists the keys of a team, newest first unless `orderBy` says otherwise. Needs `view_team`. */
  readonly keys: ApiKeyConnection;
  /** Counts a team's keys by state, and those that may need attention. Needs `view_team`. */
  readonly keysOverview: KeysOverview;
  /** Returns what happens to a leaked key of a team. Needs `view_team`. */
  readonly leakPolicy: LeakPolicyAction;
  /** Returns a management key. Needs `manage_access` on its team. */
  readonly managementKey: ManagementKey;
  /** Lists the management keys of a team: those that are not revoked, at most 50, newest first, and then the last 10 revoked ones. Needs `manage_access`. */
  readonly managementKeys: ReadonlyArray<ManagementKey>;
  /** Lists the people who have or had access to a team: at most 10,000 are recorded. Needs `view_team`. */
  readonly members: MemberConnection;
  /** Lists the addresses from which a key was presented, those that were seen last first: the 100 last addresses of each secret, and at most 200 in total. `unlistedSources` says whether there were more. Requests without a known source are not included. Up to date within about ten seconds. Needs `view_team` on the key's team. */
  readonly observedSources: ReadonlyArray<ObservedSource>;
  /** What the operator demands of the keys of all teams. Needs no permission. */
  readonly policyBounds: PolicyRules;
  /** Returns which observed sources of a key a new allow-list would accept and reject. Changes nothing. Host names are resolved, which can take three seconds. Needs `view_team` on the key's team. */
  readonly previewAllowedIps: AllowedIpsPreview;
  /** States when a revocation, a rotation, a freeze, the disabling of a key or a reported leak was answered, and which verifiers have confirmed it since. Its `complete` is true once each of the last hour has, or has been silent for longer than a lease, so that it can accept nothing before it does. Needs `view_team` on the team of the change. Rejected with RECEIPT_NOT_FOUND for the revision of anything else. */
  readonly receipt: Receipt;
  /** Lists the 20 keys of a team that were rejected most often, with their verdicts, most often rejected first. It adds up at most the 5,000 latest counts of a key, an hour and a verdict. Needs `view_team`. */
  readonly rejectedKeys: ReadonlyArray<RejectedKey>;
  /** Returns how often the keys of a team were verified, by hour and verdict, oldest first. Hours and verdicts without verifications are omitted. Counts are as up to date as those of `usage`. Needs `view_team`. */
  readonly teamUsage: ReadonlyArray<UsageHour>;
  /** Lists the trust rules of a team, oldest first: at most 50. Needs `manage_access`. */
  readonly trustRules: ReadonlyArray<TrustRule>;
  /** The issuers whose tokens trust rules can accept, as the operator has set them. Needs no permission. */
  readonly trustedIssuers: ReadonlyArray<Scalars['String']['output']>;
  /** Returns whether and how a key was presented from more addresses than `observedSources` lists: at most one entry for each kind of secret, and none if the list is complete. Needs `view_team` on the key's team. */
  readonly unlistedSources: ReadonlyArray<UnlistedSources>;
  /** Returns how often a key was verified, by hour and verdict, oldest first. Hours and verdicts without verifications are omitted. Counts are up to date within about a second, and later while tens of thousands of keys are in use at once. Needs `view_team` on the key's team. */
  readonly usage: ReadonlyArray<UsageHour>;
  /** Returns the caller and its permissions, as its credential has them. Needs no permission. */
  readonly viewer: Viewer;
  /** Lists the endpoints of a team, oldest first: at most 20. Needs `manage_webhooks`. */
  readonly webhooks: ReadonlyArray<Webhook>;
};


/** The queries. */
export type QueryAddressActivityArgs = {
  address: Scalars['String']['input'];
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryAuditLogArgs = {
  action?: InputMaybe<ReadonlyArray<AuditAction>>;
  actor?: InputMaybe<Scalars['String']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  first?: Scalars['Int']['input'];
  from?: InputMaybe<Scalars['DateTime']['input']>;
  keyId?: InputMaybe<Scalars['UUID']['input']>;
  teamId: Scalars['UUID']['input'];
  to?: InputMaybe<Scalars['DateTime']['input']>;
};


/** The queries. */
export type QueryDeliveriesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: Scalars['Int']['input'];
  outcome?: InputMaybe<DeliveryOutcome>;
  webhookId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryDerivedUseArgs = {
  keyId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryEventsArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  first?: Scalars['Int']['input'];
  teamId: Scalars['UUID']['input'];
  types?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
};


/** The queries. */
export type QueryExplainVerificationArgs = {
  input: ExplainVerificationInput;
};


/** The queries. */
export type QueryFencesArgs = {
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryFindKeysArgs = {
  teamId?: InputMaybe<Scalars['UUID']['input']>;
  text: Scalars['String']['input'];
};


/** The queries. */
export type QueryKeyArgs = {
  id: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryKeyByExternalIdArgs = {
  env: KeyEnv;
  externalId: Scalars['String']['input'];
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryKeyPoliciesArgs = {
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryKeyPolicyArgs = {
  env: KeyEnv;
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryKeyValuesArgs = {
  field: KeyValueField;
  filter?: InputMaybe<KeyFilter>;
  search?: InputMaybe<Scalars['String']['input']>;
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryKeysArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<KeyFilter>;
  first?: Scalars['Int']['input'];
  orderBy?: InputMaybe<KeyOrder>;
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryKeysOverviewArgs = {
  filter?: InputMaybe<KeyFilter>;
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryLeakPolicyArgs = {
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryManagementKeyArgs = {
  id: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryManagementKeysArgs = {
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryMembersArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: Scalars['Int']['input'];
  state?: InputMaybe<ReadonlyArray<MemberState>>;
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryObservedSourcesArgs = {
  keyId: Scalars['UUID']['input'];
  since?: InputMaybe<Scalars['DateTime']['input']>;
};


/** The queries. */
export type QueryPreviewAllowedIpsArgs = {
  allowedIps: ReadonlyArray<Scalars['String']['input']>;
  keyId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryReceiptArgs = {
  revision: Scalars['ID']['input'];
};


/** The queries. */
export type QueryRejectedKeysArgs = {
  from: Scalars['DateTime']['input'];
  teamId: Scalars['UUID']['input'];
  to: Scalars['DateTime']['input'];
};


/** The queries. */
export type QueryTeamUsageArgs = {
  from: Scalars['DateTime']['input'];
  teamId: Scalars['UUID']['input'];
  to: Scalars['DateTime']['input'];
};


/** The queries. */
export type QueryTrustRulesArgs = {
  teamId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryUnlistedSourcesArgs = {
  keyId: Scalars['UUID']['input'];
};


/** The queries. */
export type QueryUsageArgs = {
  from: Scalars['DateTime']['input'];
  keyId: Scalars['UUID']['input'];
  secret?: InputMaybe<RecentSecret>;
  to: Scalars['DateTime']['input'];
};


/** The queries. */
export type QueryWebhooksArgs = {
  teamId: Scalars['UUID']['input'];
};

/** The rate limit of a key. */
export type RateLimit = {
  readonly __typename?: 'RateLimit';
  /** The number of accepted requests in each window. */
  readonly limit: Scalars['Int']['output'];
  /** The length of a window in seconds. Windows begin at multiples of it since 1970-01-01T00:00:00Z. */
  readonly windowSeconds: Scalars['Int']['output'];
};

/** The rate limit of a key. */
export type RateLimitInput = {
  /** The number of accepted requests in each window: 1 to 1,000,000. */
  readonly limit: Scalars['Int']['input'];
  /** The length of a window in seconds: 1 to 86,400 (1 day). */
  readonly windowSeconds: Scalars['Int']['input'];
};

/** A signed statement about a change: a JSON Web Signature (RFC 7515) with Ed25519 (RFC 8037). The keys are at `/.well-known/latchkey-receipts.json`. */
export type Receipt = {
  readonly __typename?: 'Receipt';
  /** The base64url of the JSON that is signed. */
  readonly payload: Scalars['String']['output'];
  /** The base64url of the header that is signed: `alg` and `kid`. */
  readonly protected: Scalars['String']['output'];
  /** The signature, in base64url. */
  readonly signature: Scalars['String']['output'];
  /** What is stated, as JSON, for reading: the content of `payload`. */
  readonly statement: Scalars['JSON']['output'];
};

/** A secret of a key that is or was last in use. */
export type RecentSecret =
  /** The current secret. */
  | 'CURRENT'
  /** The secret before the current one. */
  | 'PREVIOUS';

/** A key with its rejected verifications. */
export type RejectedKey = {
  readonly __typename?: 'RejectedKey';
  /** The key. */
  readonly apiKey: ApiKey;
  /** The number of rejected verifications. Numbers above 2147483647, the largest `Int`, are returned as 2147483647. */
  readonly count: Scalars['Int']['output'];
  /** The number by verdict. */
  readonly counts: ReadonlyArray<VerdictCount>;
};

/** A person who left. */
export type RemoveMemberPayload = {
  readonly __typename?: 'RemoveMemberPayload';
  /** The person. */
  readonly member: Member;
};

/** The events that are sent again. */
export type ReplayEventsPayload = {
  readonly __typename?: 'ReplayEventsPayload';
  /** How many. Deliveries show what becomes of them. */
  readonly count: Scalars['Int']['output'];
};

/** A revoked key. */
export type RevokeKeyPayload = {
  readonly __typename?: 'RevokeKeyPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
};

/** The result of revoking many keys, or of the dry run. */
export type RevokeKeysPayload = {
  readonly __typename?: 'RevokeKeysPayload';
  /** The number of keys that were revoked or, in a dry run, would be. */
  readonly count: Scalars['Int']['output'];
  /** Whether it was a dry run. */
  readonly dryRun: Scalars['Boolean']['output'];
  /** Where to continue if the team has more than 10,000 keys that are not revoked: only that many are compared with the filter, the newest first. Send it as `after` in the next dry run. Null if all keys were compared. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  /** Identifies exactly the keys that were selected. Send it in the call that revokes them. */
  readonly selection: Scalars['String']['output'];
  /** The number of keys that were not revoked because they were changed during this call. */
  readonly skipped: Scalars['Int']['output'];
};

/** A revoked management key. */
export type RevokeManagementKeyPayload = {
  readonly __typename?: 'RevokeManagementKeyPayload';
  /** The management key as it is now. */
  readonly managementKey: ManagementKey;
};

/** A key with its new secret. */
export type RotateKeyPayload = {
  readonly __typename?: 'RotateKeyPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
  /** The full new key, to be sent as `Authorization: Bearer <secret>`. It is returned only here. */
  readonly secret: Scalars['String']['output'];
};

/** A management key with its new secret. */
export type RotateManagementKeyPayload = {
  readonly __typename?: 'RotateManagementKeyPayload';
  /** The management key as it is now. */
  readonly managementKey: ManagementKey;
  /** The full new key. It is returned only here. */
  readonly secret: Scalars['String']['output'];
};

/** The secret of a key that was presented. */
export type SecretStanding =
  /** The current secret. */
  | 'CURRENT'
  /** An older secret. */
  | 'EARLIER'
  /** The secret before the current one. */
  | 'PREVIOUS';

/** A policy to set. Absent and null rules demand nothing, and absent defaults are none. */
export type SetKeyPolicyInput = {
  /** The settings that a new key gets where its creator gives none. The rules must permit them. */
  readonly defaults?: InputMaybe<KeyDefaultsInput>;
  /** When keys that violate the policy are disabled: in the future, or as it was. Null: never. */
  readonly enforceAfter?: InputMaybe<Scalars['DateTime']['input']>;
  /** The environment. */
  readonly env: KeyEnv;
  /** The longest time from the issue of the current secret to the expiry, in seconds: 60 to 315,360,000 (10 years). Keys must then have an expiry. */
  readonly maxLifetimeSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** The highest rate limit, compared as requests per second. Keys must then have a rate limit. */
  readonly maxRateLimit?: InputMaybe<RateLimitInput>;
  /** The longest time from the issue of a secret until it must have been rotated, in seconds: 60 to 315,360,000 (10 years). */
  readonly maxSecretAgeSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** Whether keys must have allowed sources, and not every IPv4 or public IPv6 address among them. */
  readonly requireAllowedIps?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether keys must have an expiry. */
  readonly requireExpiry?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether requests with keys must be signed. */
  readonly requireSigning?: InputMaybe<Scalars['Boolean']['input']>;
  /** The scopes that keys can have: at most 100, each once. Empty: none. */
  readonly scopes?: InputMaybe<ReadonlyArray<PermittedScopeInput>>;
  /** The team. */
  readonly teamId: Scalars['UUID']['input'];
};

/** The policy after the change. */
export type SetKeyPolicyPayload = {
  readonly __typename?: 'SetKeyPolicyPayload';
  /** The policy as it is now. */
  readonly policy: KeyPolicy;
};

/** The policy after the change. */
export type SetLeakPolicyPayload = {
  readonly __typename?: 'SetLeakPolicyPayload';
  /** What happens to a leaked key. */
  readonly policy: LeakPolicyAction;
};

/** The checks of a signature, in the order in which they are made. The first one that fails decides. */
export type SignatureCheckName =
  /** Whether the body that arrived, by `bodyDigest`, is the one that was signed. */
  | 'BODY'
  /** Whether Signature-Input has the one label `sig1` and exactly the components that must be covered, in their order. */
  | 'COMPONENTS'
  /** Whether a request with a body has a Content-Digest with sha-256 or sha-512. */
  | 'CONTENT_DIGEST'
  /** Whether `created` is not in the future, with 5 seconds of clock skew. */
  | 'CREATED'
  /** Whether `expires` has not passed, with 5 seconds of clock skew. */
  | 'EXPIRES'
  /** Whether there is a signature. Fails if both Signature-Input and Signature are missing. */
  | 'HEADERS'
  /** Whether `keyid` is the id of the presented key. */
  | 'KEY_ID'
  /** Whether the signature is the HMAC-SHA-256 of the signature base with the signing secret. */
  | 'MAC'
  /** Whether the nonce was not used before. */
  | 'NONCE'
  /** Whether Signature-Input has exactly the six parameters, each with an accepted value. */
  | 'PARAMETERS'
  /** Whether Signature has one value of 32 bytes, in canonical base64. */
  | 'SIGNATURE'
  /** Whether the method and the URL can be signed. */
  | 'TARGET';

/** The result of checking a signature. It never contains the expected signature or digest. */
export type SignatureExplanation = {
  readonly __typename?: 'SignatureExplanation';
  /** The first check that failed; null if the signature is valid. */
  readonly failedCheck?: Maybe<SignatureCheckName>;
  /** What the failed check expects, for people. The text may change. */
  readonly reason?: Maybe<Scalars['String']['output']>;
  /** The signature base that the server computes from the given request: compare it with the one that was signed. Null if the request is too malformed to have one. */
  readonly signatureBase?: Maybe<Scalars['String']['output']>;
};

/** A signed request as it arrived. */
export type SignedRequestInput = {
  /** The digest of the body that arrived, as a Content-Digest value with sha-256 or sha-512. Absent: no body arrived. */
  readonly bodyDigest?: InputMaybe<Scalars['String']['input']>;
  /** The headers, one entry for each line, at most 200. Those that the signature does not need can be omitted. */
  readonly headers: ReadonlyArray<HeaderInput>;
  /** The HTTP method. */
  readonly method: Scalars['String']['input'];
  /** The URL as the client wrote it; or the path and query, with the authority in the Host header. */
  readonly url: Scalars['String']['input'];
};

/** A key with its new signing secret. */
export type SigningSecretPayload = {
  readonly __typename?: 'SigningSecretPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
  /** The signing secret: 64 hexadecimal characters, whose 32 decoded bytes are the HMAC key. It is returned only here. */
  readonly signingSecret: Scalars['String']['output'];
};

/** The answer to a test event. */
export type TestEventPayload = {
  readonly __typename?: 'TestEventPayload';
  /** The delivery. If it failed, it is not attempted again. */
  readonly delivery: Delivery;
};

/** Whose tokens a team accepts at `POST /v1/token`, in exchange for a token of at most 15 minutes. */
export type TrustRule = {
  readonly __typename?: 'TrustRule';
  /** The audience that tokens must name (`aud`). */
  readonly audience: Scalars['String']['output'];
  /** The claims that tokens must have: an object from the name of each to its exact value, as text. */
  readonly claims: Scalars['JSON']['output'];
  /** When it was made. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** The person who made it. */
  readonly createdBy: Scalars['String']['output'];
  /** Identifies it. */
  readonly id: Scalars['UUID']['output'];
  /** The issuer of the tokens (`iss`): one of those that the operator trusts. */
  readonly issuer: Scalars['String']['output'];
  /** When a token that was exchanged by it was last used; null if none was. Up to date within about a second. */
  readonly lastUsedAt?: Maybe<Scalars['DateTime']['output']>;
  /** A label for people. */
  readonly name: Scalars['String']['output'];
  /** Whether each token can be exchanged only once, by its id (`jti`). */
  readonly once: Scalars['Boolean']['output'];
  /** What the workloads may do. Never `manage_access`, `manage_policy` or `import_keys`. */
  readonly permissions: ReadonlyArray<Permission>;
  /** The team whose keys the workloads manage. */
  readonly teamId: Scalars['UUID']['output'];
};

/** The trust rule that was made. */
export type TrustRulePayload = {
  readonly __typename?: 'TrustRulePayload';
  /** The trust rule. */
  readonly trustRule: TrustRule;
};

/** The fence that was lifted. */
export type UnfreezeKeysPayload = {
  readonly __typename?: 'UnfreezeKeysPayload';
  /** Its id. */
  readonly id: Scalars['UUID']['output'];
};

/** How a secret of a key was presented from addresses that `observedSources` does not list, because there were more than it keeps. */
export type UnlistedSources = {
  readonly __typename?: 'UnlistedSources';
  /** How often it was presented, by verdict. */
  readonly counts: ReadonlyArray<VerdictCount>;
  /** When it was first presented from one of these addresses. */
  readonly firstAt: Scalars['DateTime']['output'];
  /** When it was last presented from one of these addresses. */
  readonly lastAt: Scalars['DateTime']['output'];
  /** Which secret of the key was presented. */
  readonly secret: SecretStanding;
};

/** The fields of a key to change. An absent field stays as it is. So does a field that repeats its value, although it may be no longer allowed, such as an expiry in the past. */
export type UpdateKeyInput = {
  /** The new list of allowed sources, which replaces the whole existing one: at most 100 entries of at most 255 characters. Each is an IP address, a CIDR range or one of at most 16 host names, optionally followed by `# a comment`. Spaces around an entry are removed. If several entries name one source, such as `10.0.0.1` and `10.0.0.1/32`, the first with a comment stays. Names of /etc/hosts, such as `localhost`, are rejected. `[]` allows every source. Not null. */
  readonly allowedIps?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** A text for people, such as where the key is used: 1 to 500 characters after trimming, none of them invisible. Null removes it. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /** The new expiry: in the future, before the year 10000. Null removes it. */
  readonly expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** The customer or service that the key belongs to: 1 to 255 characters after trimming, none of them invisible. Null removes it. */
  readonly externalId?: InputMaybe<Scalars['String']['input']>;
  /** A JSON object of at most 4,096 bytes, nested at most 8 levels deep, which replaces the existing one. Null removes it. */
  readonly metadata?: InputMaybe<Scalars['JSON']['input']>;
  /** The new label: 1 to 100 characters after trimming, none of them invisible. Not null. */
  readonly name?: InputMaybe<Scalars['String']['input']>;
  /** The rate limit. Null removes it. */
  readonly rateLimit?: InputMaybe<RateLimitInput>;
  /** Who answers questions about the key: the subject of a session, or the name of a team, 1 to 255 characters after trimming, none of them invisible. Null removes it. */
  readonly responsible?: InputMaybe<Scalars['String']['input']>;
  /** The scopes of the key: at most 50 different ones of 1 to 100 characters, each a scope-token of RFC 6749, section 3.3. They replace all existing ones. Not null. */
  readonly scopes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** At most 20 different labels of 1 to 64 characters after trimming, none of them invisible. They replace all existing ones. Not null. */
  readonly tags?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
};

/** A changed key. */
export type UpdateKeyPayload = {
  readonly __typename?: 'UpdateKeyPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
};

/** The fields of an endpoint to change. */
export type UpdateWebhookInput = {
  /** A text for people; null removes it. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /** False disables the endpoint. True enables it, and attempts what it missed. Not null. */
  readonly enabled?: InputMaybe<Scalars['Boolean']['input']>;
  /** How events are written. Not null. */
  readonly form?: InputMaybe<EventForm>;
  /** The types of events, which replace the earlier ones; empty: all types. Not null. */
  readonly types?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Where to send the events, as in `createWebhook`. Not null. */
  readonly url?: InputMaybe<Scalars['String']['input']>;
};

/** The number of verifications of a key, or of a team's keys, in one hour with one verdict. */
export type UsageHour = {
  readonly __typename?: 'UsageHour';
  /** The verdict. */
  readonly code: VerdictCode;
  /** The number of verifications. Numbers above 2147483647, the largest `Int`, are returned as 2147483647. */
  readonly count: Scalars['Int']['output'];
  /** The start of the hour. */
  readonly hour: Scalars['DateTime']['output'];
};

/** The verdict of a verification: the first of these, in this order, that applies. */
export type VerdictCode =
  /** The key is disabled. */
  | 'DISABLED'
  /** The key has expired. */
  | 'EXPIRED'
  /** A fence of the team freezes the key: it works again when the fence is lifted. */
  | 'FROZEN'
  /** The key lacks a scope that the request needs. */
  | 'INSUFFICIENT_SCOPE'
  /** The presented text is not a key: it does not have the format of this service's keys and was not imported. */
  | 'MALFORMED'
  /** There is no such key, or imported keys of several teams match, so that none is used. */
  | 'NOT_FOUND'
  /** The key has reached its rate limit. */
  | 'RATE_LIMITED'
  /** The key is revoked, or one of the matching imported keys is. */
  | 'REVOKED'
  /** The secret was replaced by a rotation of the key, and is not accepted anymore. */
  | 'ROTATED'
  /** The signature was valid, but has expired. */
  | 'SIGNATURE_EXPIRED'
  /** The signature does not match this request and this key's signing secret. */
  | 'SIGNATURE_INVALID'
  /** The signature was used before. */
  | 'SIGNATURE_REPLAYED'
  /** Requests with the key must be signed, and this one is not. */
  | 'SIGNATURE_REQUIRED'
  /** The key has an allow-list, and the source is unknown or not on it. */
  | 'SOURCE_NOT_ALLOWED'
  /** The request is accepted. */
  | 'VALID'
  /** The key is for the other environment. */
  | 'WRONG_ENVIRONMENT';

/** A number of verifications with one verdict. */
export type VerdictCount = {
  readonly __typename?: 'VerdictCount';
  /** The verdict. */
  readonly code: VerdictCode;
  /** The number of verifications. Numbers above 2147483647, the largest `Int`, are returned as 2147483647. */
  readonly count: Scalars['Int']['output'];
};

/** One check of a verification, with its outcome. */
export type VerificationCheck = {
  readonly __typename?: 'VerificationCheck';
  /** The reason in one sentence, for people. The text may change. It never contains a secret. */
  readonly explanation: Scalars['String']['output'];
  /** The check. */
  readonly name: VerificationCheckName;
  /** The outcome of the check. */
  readonly outcome: VerificationCheckOutcome;
};

/** The checks of a verification, in the order in which they are made. */
export type VerificationCheckName =
  /** Whether the key is enabled. */
  | 'ENABLEMENT'
  /** Whether the key is for the environment that the API serves. */
  | 'ENVIRONMENT'
  /** Whether there is such a key. */
  | 'EXISTENCE'
  /** Whether the key has expired. */
  | 'EXPIRY'
  /** Whether the presented text has the format of a key, with a correct checksum, or was imported. */
  | 'FORM'
  /** Whether a fence of the team freezes the key. */
  | 'FREEZE'
  /** The rate limit of the key. Never failed: only verification counts requests. */
  | 'RATE_LIMIT'
  /** Whether the key is revoked. */
  | 'REVOCATION'
  /** Whether the secret is the current one of the key, or the previous one during the overlap of a rotation. */
  | 'ROTATION'
  /** Whether the key has the scopes that the request needs. */
  | 'SCOPES'
  /** Whether the request is signed, if the key requires that. */
  | 'SIGNATURE'
  /** Whether the source is on the key's allow-list. */
  | 'SOURCE';

/** The outcome of a check. */
export type VerificationCheckOutcome =
  /** The check rejects the request. */
  | 'FAILED'
  /** The check accepts the request. */
  | 'PASSED'
  /** The check was not made: it does not apply, or its input is missing. */
  | 'SKIPPED';

/** The verdict that a verification would return, and the reasons for it. */
export type VerificationExplanation = {
  readonly __typename?: 'VerificationExplanation';
  /** The key; null if none was found in the team. */
  readonly apiKey?: Maybe<ApiKey>;
  /** All checks in order. Checks after a failed one are made too, if possible, so that all problems are visible at once. */
  readonly checks: ReadonlyArray<VerificationCheck>;
  /** The verdict: that of the first check that fails, or VALID. */
  readonly code: VerdictCode;
  /** Why the signature of the given request is valid or not. Null if there is no request or no key, and if the key requires no signature. */
  readonly signature?: Maybe<SignatureExplanation>;
};

/** The caller, as identified by its credential. */
export type Viewer = {
  readonly __typename?: 'Viewer';
  /** The address of the caller, if the server knows it. */
  readonly source?: Maybe<Scalars['String']['output']>;
  /** The `sub` of the session token, or the id of the management key, as it is written to the audit trail. */
  readonly subject: Scalars['String']['output'];
  /** The teams that the token names, ordered by id. */
  readonly teams: ReadonlyArray<ViewerTeam>;
};

/** A team that the caller has access to. */
export type ViewerTeam = {
  readonly __typename?: 'ViewerTeam';
  /** The id of the team. */
  readonly id: Scalars['UUID']['output'];
  /** The name of the team, for people: the one in the session token or, without one, the one that the operator has set. Null if there is neither. */
  readonly name?: Maybe<Scalars['String']['output']>;
  /** The permissions that the token grants on the team; unknown ones are omitted. */
  readonly permissions: ReadonlyArray<Permission>;
};

/** An endpoint that gets the events of a team as HTTP requests. */
export type Webhook = {
  readonly __typename?: 'Webhook';
  /** When it was created. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** A text for people; null if there is none. */
  readonly description?: Maybe<Scalars['String']['output']>;
  /** When it was disabled; null while it is enabled. A disabled endpoint keeps its place: once it is enabled, it gets what it missed. */
  readonly disabledAt?: Maybe<Scalars['DateTime']['output']>;
  /** Why it is disabled; null while it is enabled. */
  readonly disabledReason?: Maybe<WebhookDisabledReason>;
  /** How events are written. */
  readonly form: EventForm;
  /** Whether its deliveries succeed. */
  readonly health: DeliveryHealth;
  /** Identifies the endpoint. */
  readonly id: Scalars['UUID']['output'];
  /** The last delivery that was attempted; null if there is none. */
  readonly lastDelivery?: Maybe<Delivery>;
  /** Until when the previous secret signs too; null if it does not. It can be in the past. */
  readonly previousSecretExpiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** The public key with which requests are verified; null unless `signature` is `V1A`. */
  readonly publicKey?: Maybe<Scalars['String']['output']>;
  /** How requests are signed. */
  readonly signature: WebhookSignature;
  /** The team whose events it gets. */
  readonly teamId: Scalars['UUID']['output'];
  /** The types of events that it gets, such as `key.created`; empty: all types. */
  readonly types: ReadonlyArray<Scalars['String']['output']>;
  /** Where the events are sent to. */
  readonly url: Scalars['String']['output'];
};

/** Why an endpoint is disabled. */
export type WebhookDisabledReason =
  /** The last attempt to deliver an event failed. */
  | 'FAILING'
  /** It answered 410. */
  | 'GONE'
  /** `updateWebhook` with `enabled: false`. */
  | 'MANUAL';

/** The endpoint after the change. */
export type WebhookPayload = {
  readonly __typename?: 'WebhookPayload';
  /** The endpoint. */
  readonly webhook: Webhook;
};

/** An endpoint with its new secret. */
export type WebhookSecretPayload = {
  readonly __typename?: 'WebhookSecretPayload';
  /** The secret (`whsec_…`) with which the receiver verifies requests, or its public key (`whpk_…`). A secret cannot be read again. */
  readonly secret: Scalars['String']['output'];
  /** The endpoint. */
  readonly webhook: Webhook;
};

/** How requests to an endpoint are signed (Standard Webhooks). */
export type WebhookSignature =
  /** HMAC-SHA-256 with a shared secret, which begins with `whsec_`. */
  | 'V1'
  /** Ed25519. The receiver has the public key, which begins with `whpk_`. */
  | 'V1A';



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  ActorKind: ActorKind;
  AddressUse: ResolverTypeWrapper<AddressUseModel>;
  AllowedIpsPreview: ResolverTypeWrapper<Omit<AllowedIpsPreview, 'accepted' | 'rejected'> & { accepted: ReadonlyArray<ResolversTypes['ObservedSource']>, rejected: ReadonlyArray<ResolversTypes['ObservedSource']> }>;
  ApiKey: ResolverTypeWrapper<StoredKeyModel>;
  ApiKeyConnection: ResolverTypeWrapper<KeyPageModel>;
  ApiKeyEdge: ResolverTypeWrapper<Omit<ApiKeyEdge, 'node'> & { node: ResolversTypes['ApiKey'] }>;
  AuditAction: AuditAction;
  AuditChange: ResolverTypeWrapper<AuditChange>;
  AuditEntry: ResolverTypeWrapper<AuditEntryModel>;
  AuditEntryConnection: ResolverTypeWrapper<AuditPageModel>;
  AuditEntryEdge: ResolverTypeWrapper<Omit<AuditEntryEdge, 'node'> & { node: ResolversTypes['AuditEntry'] }>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  ChangeKeysPayload: ResolverTypeWrapper<Omit<ChangeKeysPayload, 'results'> & { results: ReadonlyArray<ResolversTypes['KeyChangeResult']> }>;
  CreateKeyInput: CreateKeyInput;
  CreateKeyPayload: ResolverTypeWrapper<Omit<CreateKeyPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  CreateManagementKeyInput: CreateManagementKeyInput;
  CreateManagementKeyPayload: ResolverTypeWrapper<Omit<CreateManagementKeyPayload, 'managementKey'> & { managementKey: ResolversTypes['ManagementKey'] }>;
  CreateTrustRuleInput: CreateTrustRuleInput;
  CreateWebhookInput: CreateWebhookInput;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  DeleteTrustRulePayload: ResolverTypeWrapper<DeleteTrustRulePayload>;
  DeleteWebhookPayload: ResolverTypeWrapper<DeleteWebhookPayload>;
  Delivery: ResolverTypeWrapper<DeliveryModel>;
  DeliveryConnection: ResolverTypeWrapper<DeliveryPageModel>;
  DeliveryEdge: ResolverTypeWrapper<Omit<DeliveryEdge, 'node'> & { node: ResolversTypes['Delivery'] }>;
  DeliveryHealth: ResolverTypeWrapper<DeliveryHealth>;
  DeliveryOutcome: DeliveryOutcome;
  DerivedUse: ResolverTypeWrapper<DerivedUse>;
  DisableKeyPayload: ResolverTypeWrapper<Omit<DisableKeyPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  DisableSigningPayload: ResolverTypeWrapper<Omit<DisableSigningPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  EnableKeyPayload: ResolverTypeWrapper<Omit<EnableKeyPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  EndOverlapPayload: ResolverTypeWrapper<Omit<EndOverlapPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  Event: ResolverTypeWrapper<LatchkeyEventModel>;
  EventForm: EventForm;
  EventPage: ResolverTypeWrapper<Omit<EventPage, 'events'> & { events: ReadonlyArray<ResolversTypes['Event']> }>;
  ExplainVerificationInput: ExplainVerificationInput;
  Fence: ResolverTypeWrapper<Fence>;
  FoundKey: ResolverTypeWrapper<FoundKeyModel>;
  FreezeKeysInput: FreezeKeysInput;
  FreezeKeysPayload: ResolverTypeWrapper<FreezeKeysPayload>;
  HandOverKeysPayload: ResolverTypeWrapper<Omit<HandOverKeysPayload, 'results'> & { results: ReadonlyArray<ResolversTypes['KeyChangeResult']> }>;
  HeaderInput: HeaderInput;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  ImportKeyInput: ImportKeyInput;
  ImportKeysPayload: ResolverTypeWrapper<Omit<ImportKeysPayload, 'results'> & { results: ReadonlyArray<ResolversTypes['ImportResult']> }>;
  ImportMembersInput: ImportMembersInput;
  ImportMembersPayload: ResolverTypeWrapper<ImportMembersPayload>;
  ImportOutcome: ImportOutcome;
  ImportResult: ResolverTypeWrapper<Omit<ImportResult, 'apiKey'> & { apiKey?: Maybe<ResolversTypes['ApiKey']> }>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  KeyChangeOutcome: KeyChangeOutcome;
  KeyChangeResult: ResolverTypeWrapper<Omit<KeyChangeResult, 'apiKey'> & { apiKey?: Maybe<ResolversTypes['ApiKey']> }>;
  KeyDefaults: ResolverTypeWrapper<KeyDefaults>;
  KeyDefaultsInput: KeyDefaultsInput;
  KeyEnv: KeyEnv;
  KeyFilter: KeyFilter;
  KeyLeak: ResolverTypeWrapper<KeyLeak>;
  KeyMatch: KeyMatch;
  KeyOrder: KeyOrder;
  KeyOrderField: KeyOrderField;
  KeyPolicy: ResolverTypeWrapper<ShownPolicyModel>;
  KeySearch: ResolverTypeWrapper<Omit<KeySearch, 'keys'> & { keys: ReadonlyArray<ResolversTypes['FoundKey']> }>;
  KeySecret: ResolverTypeWrapper<KeySecret>;
  KeyState: KeyState;
  KeyToChangeInput: KeyToChangeInput;
  KeyValue: ResolverTypeWrapper<KeyValue>;
  KeyValueField: KeyValueField;
  KeyValues: ResolverTypeWrapper<KeyValues>;
  KeysAction: KeysAction;
  KeysOverview: ResolverTypeWrapper<KeysOverview>;
  LeakPolicyAction: LeakPolicyAction;
  ManagementKey: ResolverTypeWrapper<ManagementKeyModel>;
  ManagementKeyState: ManagementKeyState;
  Member: ResolverTypeWrapper<CountedMemberModel>;
  MemberConnection: ResolverTypeWrapper<MemberPageModel>;
  MemberEdge: ResolverTypeWrapper<Omit<MemberEdge, 'node'> & { node: ResolversTypes['Member'] }>;
  MemberState: MemberState;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ObservedSource: ResolverTypeWrapper<ObservedSourceModel>;
  OrderDirection: OrderDirection;
  PageInfo: ResolverTypeWrapper<PageModel>;
  Permission: Permission;
  PermittedScope: ResolverTypeWrapper<PermittedScope>;
  PermittedScopeInput: PermittedScopeInput;
  PolicyRules: ResolverTypeWrapper<PolicyRules>;
  PolicyViolation: ResolverTypeWrapper<PolicyViolation>;
  PutKeyInput: PutKeyInput;
  PutKeyPayload: ResolverTypeWrapper<Omit<PutKeyPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  RateLimit: ResolverTypeWrapper<RateLimit>;
  RateLimitInput: RateLimitInput;
  Receipt: ResolverTypeWrapper<Receipt>;
  RecentSecret: RecentSecret;
  RejectedKey: ResolverTypeWrapper<RejectedKeyModel>;
  RemoveMemberPayload: ResolverTypeWrapper<Omit<RemoveMemberPayload, 'member'> & { member: ResolversTypes['Member'] }>;
  ReplayEventsPayload: ResolverTypeWrapper<ReplayEventsPayload>;
  RevokeKeyPayload: ResolverTypeWrapper<Omit<RevokeKeyPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  RevokeKeysPayload: ResolverTypeWrapper<RevokeKeysPayload>;
  RevokeManagementKeyPayload: ResolverTypeWrapper<Omit<RevokeManagementKeyPayload, 'managementKey'> & { managementKey: ResolversTypes['ManagementKey'] }>;
  RotateKeyPayload: ResolverTypeWrapper<Omit<RotateKeyPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  RotateManagementKeyPayload: ResolverTypeWrapper<Omit<RotateManagementKeyPayload, 'managementKey'> & { managementKey: ResolversTypes['ManagementKey'] }>;
  SecretStanding: SecretStanding;
  SetKeyPolicyInput: SetKeyPolicyInput;
  SetKeyPolicyPayload: ResolverTypeWrapper<Omit<SetKeyPolicyPayload, 'policy'> & { policy: ResolversTypes['KeyPolicy'] }>;
  SetLeakPolicyPayload: ResolverTypeWrapper<SetLeakPolicyPayload>;
  SignatureCheckName: SignatureCheckName;
  SignatureExplanation: ResolverTypeWrapper<SignatureExplanation>;
  SignedRequestInput: SignedRequestInput;
  SigningSecretPayload: ResolverTypeWrapper<Omit<SigningSecretPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  TestEventPayload: ResolverTypeWrapper<Omit<TestEventPayload, 'delivery'> & { delivery: ResolversTypes['Delivery'] }>;
  TrustRule: ResolverTypeWrapper<TrustRuleModel>;
  TrustRulePayload: ResolverTypeWrapper<Omit<TrustRulePayload, 'trustRule'> & { trustRule: ResolversTypes['TrustRule'] }>;
  UUID: ResolverTypeWrapper<Scalars['UUID']['output']>;
  UnfreezeKeysPayload: ResolverTypeWrapper<UnfreezeKeysPayload>;
  UnlistedSources: ResolverTypeWrapper<UnlistedSources>;
  UpdateKeyInput: UpdateKeyInput;
  UpdateKeyPayload: ResolverTypeWrapper<Omit<UpdateKeyPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  UpdateWebhookInput: UpdateWebhookInput;
  UsageHour: ResolverTypeWrapper<UsageHourModel>;
  VerdictCode: VerdictCode;
  VerdictCount: ResolverTypeWrapper<VerdictCount>;
  VerificationCheck: ResolverTypeWrapper<VerificationCheck>;
  VerificationCheckName: VerificationCheckName;
  VerificationCheckOutcome: VerificationCheckOutcome;
  VerificationExplanation: ResolverTypeWrapper<Omit<VerificationExplanation, 'apiKey'> & { apiKey?: Maybe<ResolversTypes['ApiKey']> }>;
  Viewer: ResolverTypeWrapper<Omit<Viewer, 'teams'> & { teams: ReadonlyArray<ResolversTypes['ViewerTeam']> }>;
  ViewerTeam: ResolverTypeWrapper<ViewerTeamModel>;
  Webhook: ResolverTypeWrapper<WebhookModel>;
  WebhookDisabledReason: WebhookDisabledReason;
  WebhookPayload: ResolverTypeWrapper<Omit<WebhookPayload, 'webhook'> & { webhook: ResolversTypes['Webhook'] }>;
  WebhookSecretPayload: ResolverTypeWrapper<Omit<WebhookSecretPayload, 'webhook'> & { webhook: ResolversTypes['Webhook'] }>;
  WebhookSignature: WebhookSignature;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  AddressUse: AddressUseModel;
  AllowedIpsPreview: Omit<AllowedIpsPreview, 'accepted' | 'rejected'> & { accepted: ReadonlyArray<ResolversParentTypes['ObservedSource']>, rejected: ReadonlyArray<ResolversParentTypes['ObservedSource']> };
  ApiKey: StoredKeyModel;
  ApiKeyConnection: KeyPageModel;
  ApiKeyEdge: Omit<ApiKeyEdge, 'node'> & { node: ResolversParentTypes['ApiKey'] };
  AuditChange: AuditChange;
  AuditEntry: AuditEntryModel;
  AuditEntryConnection: AuditPageModel;
  AuditEntryEdge: Omit<AuditEntryEdge, 'node'> & { node: ResolversParentTypes['AuditEntry'] };
  Boolean: Scalars['Boolean']['output'];
  ChangeKeysPayload: Omit<ChangeKeysPayload, 'results'> & { results: ReadonlyArray<ResolversParentTypes['KeyChangeResult']> };
  CreateKeyInput: CreateKeyInput;
  CreateKeyPayload: Omit<CreateKeyPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  CreateManagementKeyInput: CreateManagementKeyInput;
  CreateManagementKeyPayload: Omit<CreateManagementKeyPayload, 'managementKey'> & { managementKey: ResolversParentTypes['ManagementKey'] };
  CreateTrustRuleInput: CreateTrustRuleInput;
  CreateWebhookInput: CreateWebhookInput;
  DateTime: Scalars['DateTime']['output'];
  DeleteTrustRulePayload: DeleteTrustRulePayload;
  DeleteWebhookPayload: DeleteWebhookPayload;
  Delivery: DeliveryModel;
  DeliveryConnection: DeliveryPageModel;
  DeliveryEdge: Omit<DeliveryEdge, 'node'> & { node: ResolversParentTypes['Delivery'] };
  DeliveryHealth: DeliveryHealth;
  DerivedUse: DerivedUse;
  DisableKeyPayload: Omit<DisableKeyPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  DisableSigningPayload: Omit<DisableSigningPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  EnableKeyPayload: Omit<EnableKeyPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  EndOverlapPayload: Omit<EndOverlapPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  Event: LatchkeyEventModel;
  EventPage: Omit<EventPage, 'events'> & { events: ReadonlyArray<ResolversParentTypes['Event']> };
  ExplainVerificationInput: ExplainVerificationInput;
  Fence: Fence;
  FoundKey: FoundKeyModel;
  FreezeKeysInput: FreezeKeysInput;
  FreezeKeysPayload: FreezeKeysPayload;
  HandOverKeysPayload: Omit<HandOverKeysPayload, 'results'> & { results: ReadonlyArray<ResolversParentTypes['KeyChangeResult']> };
  HeaderInput: HeaderInput;
  ID: Scalars['ID']['output'];
  ImportKeyInput: ImportKeyInput;
  ImportKeysPayload: Omit<ImportKeysPayload, 'results'> & { results: ReadonlyArray<ResolversParentTypes['ImportResult']> };
  ImportMembersInput: ImportMembersInput;
  ImportMembersPayload: ImportMembersPayload;
  ImportResult: Omit<ImportResult, 'apiKey'> & { apiKey?: Maybe<ResolversParentTypes['ApiKey']> };
  Int: Scalars['Int']['output'];
  JSON: Scalars['JSON']['output'];
  KeyChangeResult: Omit<KeyChangeResult, 'apiKey'> & { apiKey?: Maybe<ResolversParentTypes['ApiKey']> };
  KeyDefaults: KeyDefaults;
  KeyDefaultsInput: KeyDefaultsInput;
  KeyFilter: KeyFilter;
  KeyLeak: KeyLeak;
  KeyOrder: KeyOrder;
  KeyPolicy: ShownPolicyModel;
  KeySearch: Omit<KeySearch, 'keys'> & { keys: ReadonlyArray<ResolversParentTypes['FoundKey']> };
  KeySecret: KeySecret;
  KeyToChangeInput: KeyToChangeInput;
  KeyValue: KeyValue;
  KeyValues: KeyValues;
  KeysOverview: KeysOverview;
  ManagementKey: ManagementKeyModel;
  Member: CountedMemberModel;
  MemberConnection: MemberPageModel;
  MemberEdge: Omit<MemberEdge, 'node'> & { node: ResolversParentTypes['Member'] };
  Mutation: Record<PropertyKey, never>;
  ObservedSource: ObservedSourceModel;
  PageInfo: PageModel;
  PermittedScope: PermittedScope;
  PermittedScopeInput: PermittedScopeInput;
  PolicyRules: PolicyRules;
  PolicyViolation: PolicyViolation;
  PutKeyInput: PutKeyInput;
  PutKeyPayload: Omit<PutKeyPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  Query: Record<PropertyKey, never>;
  RateLimit: RateLimit;
  RateLimitInput: RateLimitInput;
  Receipt: Receipt;
  RejectedKey: RejectedKeyModel;
  RemoveMemberPayload: Omit<RemoveMemberPayload, 'member'> & { member: ResolversParentTypes['Member'] };
  ReplayEventsPayload: ReplayEventsPayload;
  RevokeKeyPayload: Omit<RevokeKeyPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  RevokeKeysPayload: RevokeKeysPayload;
  RevokeManagementKeyPayload: Omit<RevokeManagementKeyPayload, 'managementKey'> & { managementKey: ResolversParentTypes['ManagementKey'] };
  RotateKeyPayload: Omit<RotateKeyPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  RotateManagementKeyPayload: Omit<RotateManagementKeyPayload, 'managementKey'> & { managementKey: ResolversParentTypes['ManagementKey'] };
  SetKeyPolicyInput: SetKeyPolicyInput;
  SetKeyPolicyPayload: Omit<SetKeyPolicyPayload, 'policy'> & { policy: ResolversParentTypes['KeyPolicy'] };
  SetLeakPolicyPayload: SetLeakPolicyPayload;
  SignatureExplanation: SignatureExplanation;
  SignedRequestInput: SignedRequestInput;
  SigningSecretPayload: Omit<SigningSecretPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  String: Scalars['String']['output'];
  TestEventPayload: Omit<TestEventPayload, 'delivery'> & { delivery: ResolversParentTypes['Delivery'] };
  TrustRule: TrustRuleModel;
  TrustRulePayload: Omit<TrustRulePayload, 'trustRule'> & { trustRule: ResolversParentTypes['TrustRule'] };
  UUID: Scalars['UUID']['output'];
  UnfreezeKeysPayload: UnfreezeKeysPayload;
  UnlistedSources: UnlistedSources;
  UpdateKeyInput: UpdateKeyInput;
  UpdateKeyPayload: Omit<UpdateKeyPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  UpdateWebhookInput: UpdateWebhookInput;
  UsageHour: UsageHourModel;
  VerdictCount: VerdictCount;
  VerificationCheck: VerificationCheck;
  VerificationExplanation: Omit<VerificationExplanation, 'apiKey'> & { apiKey?: Maybe<ResolversParentTypes['ApiKey']> };
  Viewer: Omit<Viewer, 'teams'> & { teams: ReadonlyArray<ResolversParentTypes['ViewerTeam']> };
  ViewerTeam: ViewerTeamModel;
  Webhook: WebhookModel;
  WebhookPayload: Omit<WebhookPayload, 'webhook'> & { webhook: ResolversParentTypes['Webhook'] };
  WebhookSecretPayload: Omit<WebhookSecretPayload, 'webhook'> & { webhook: ResolversParentTypes['Webhook'] };
};

export type CostDirectiveArgs = {
  by?: Maybe<Scalars['String']['input']>;
  kilobytes?: Maybe<Scalars['String']['input']>;
  weight?: Maybe<Scalars['String']['input']>;
};

export type CostDirectiveResolver<Result, Parent, ContextType = GraphQLContext, Args = CostDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type ListSizeDirectiveArgs = {
  assumedSize?: Maybe<Scalars['Int']['input']>;
  by?: Maybe<Scalars['String']['input']>;
  longTexts?: Maybe<Scalars['Int']['input']>;
  sizedFields?: Maybe<ReadonlyArray<Scalars['String']['input']>>;
  slicingArguments?: Maybe<ReadonlyArray<Scalars['String']['input']>>;
};

export type ListSizeDirectiveResolver<Result, Parent, ContextType = GraphQLContext, Args = ListSizeDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type AddressUseResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['AddressUse'] = ResolversParentTypes['AddressUse']> = {
  accepted?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
  firstAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  lastAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  rejected?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type AllowedIpsPreviewResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['AllowedIpsPreview'] = ResolversParentTypes['AllowedIpsPreview']> = {
  accepted?: Resolver<ReadonlyArray<ResolversTypes['ObservedSource']>, ParentType, ContextType>;
  rejected?: Resolver<ReadonlyArray<ResolversTypes['ObservedSource']>, ParentType, ContextType>;
  unlisted?: Resolver<ReadonlyArray<ResolversTypes['UnlistedSources']>, ParentType, ContextType>;
};

export type ApiKeyResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ApiKey'] = ResolversParentTypes['ApiKey']> = {
  allowedIps?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  allowedIpsCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  callsByDay?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Int']>>, ParentType, ContextType, RequireFields<ApiKeyCallsByDayArgs, 'days'>>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  createdBy?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  disabledAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  env?: Resolver<ResolversTypes['KeyEnv'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  externalId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  lastUsedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  leak?: Resolver<Maybe<ResolversTypes['KeyLeak']>, ParentType, ContextType>;
  metadata?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  policyViolations?: Resolver<ReadonlyArray<ResolversTypes['PolicyViolation']>, ParentType, ContextType>;
  prefix?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  previousPrefix?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  previousSecretExpiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  previousSigningSecretExpiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  rateLimit?: Resolver<Maybe<ResolversTypes['RateLimit']>, ParentType, ContextType>;
  responsible?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  revision?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  revokedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  rotatedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  scopes?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  secrets?: Resolver<ReadonlyArray<ResolversTypes['KeySecret']>, ParentType, ContextType>;
  signingEnabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['KeyState'], ParentType, ContextType>;
  tags?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  teamId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  tripwire?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type ApiKeyConnectionResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ApiKeyConnection'] = ResolversParentTypes['ApiKeyConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['ApiKeyEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['ApiKey']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  totalCountIsPartial?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type ApiKeyEdgeResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ApiKeyEdge'] = ResolversParentTypes['ApiKeyEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
};

export type AuditChangeResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['AuditChange'] = ResolversParentTypes['AuditChange']> = {
  added?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
  after?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  before?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  field?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  removed?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
};

export type AuditEntryResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['AuditEntry'] = ResolversParentTypes['AuditEntry']> = {
  action?: Resolver<ResolversTypes['AuditAction'], ParentType, ContextType>;
  actor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  actorKind?: Resolver<Maybe<ResolversTypes['ActorKind']>, ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  changes?: Resolver<ReadonlyArray<ResolversTypes['AuditChange']>, ParentType, ContextType>;
  details?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  keyId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  keyName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  requestId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  source?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  teamId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
};

export type AuditEntryConnectionResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['AuditEntryConnection'] = ResolversParentTypes['AuditEntryConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['AuditEntryEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['AuditEntry']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type AuditEntryEdgeResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['AuditEntryEdge'] = ResolversParentTypes['AuditEntryEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['AuditEntry'], ParentType, ContextType>;
};

export type ChangeKeysPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ChangeKeysPayload'] = ResolversParentTypes['ChangeKeysPayload']> = {
  results?: Resolver<ReadonlyArray<ResolversTypes['KeyChangeResult']>, ParentType, ContextType>;
};

export type CreateKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['CreateKeyPayload'] = ResolversParentTypes['CreateKeyPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
  secret?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  signingSecret?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type CreateManagementKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['CreateManagementKeyPayload'] = ResolversParentTypes['CreateManagementKeyPayload']> = {
  managementKey?: Resolver<ResolversTypes['ManagementKey'], ParentType, ContextType>;
  secret?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  signingSecret?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DeleteTrustRulePayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['DeleteTrustRulePayload'] = ResolversParentTypes['DeleteTrustRulePayload']> = {
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
};

export type DeleteWebhookPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['DeleteWebhookPayload'] = ResolversParentTypes['DeleteWebhookPayload']> = {
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
};

export type DeliveryResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Delivery'] = ResolversParentTypes['Delivery']> = {
  attemptedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  attempts?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  durationMs?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  eventId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  keyId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  keyName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  nextAttemptAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['DeliveryOutcome'], ParentType, ContextType>;
  responseBody?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type DeliveryConnectionResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['DeliveryConnection'] = ResolversParentTypes['DeliveryConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['DeliveryEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Delivery']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type DeliveryEdgeResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['DeliveryEdge'] = ResolversParentTypes['DeliveryEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Delivery'], ParentType, ContextType>;
};

export type DeliveryHealthResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['DeliveryHealth'] = ResolversParentTypes['DeliveryHealth']> = {
  delivered?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  disablesAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  failed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  retrying?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type DerivedUseResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['DerivedUse'] = ResolversParentTypes['DerivedUse']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  label?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lastUsedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type DisableKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['DisableKeyPayload'] = ResolversParentTypes['DisableKeyPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
};

export type DisableSigningPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['DisableSigningPayload'] = ResolversParentTypes['DisableSigningPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
};

export type EnableKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['EnableKeyPayload'] = ResolversParentTypes['EnableKeyPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
};

export type EndOverlapPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['EndOverlapPayload'] = ResolversParentTypes['EndOverlapPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
};

export type EventResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Event'] = ResolversParentTypes['Event']> = {
  data?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type EventPageResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['EventPage'] = ResolversParentTypes['EventPage']> = {
  events?: Resolver<ReadonlyArray<ResolversTypes['Event']>, ParentType, ContextType>;
  next?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type FenceResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Fence'] = ResolversParentTypes['Fence']> = {
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  createdBefore?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  createdBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  env?: Resolver<Maybe<ResolversTypes['KeyEnv']>, ParentType, ContextType>;
  externalId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  responsible?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  tags?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  teamId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  until?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type FoundKeyResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['FoundKey'] = ResolversParentTypes['FoundKey']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
  match?: Resolver<ResolversTypes['KeyMatch'], ParentType, ContextType>;
};

export type FreezeKeysPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['FreezeKeysPayload'] = ResolversParentTypes['FreezeKeysPayload']> = {
  calls?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  fence?: Resolver<Maybe<ResolversTypes['Fence']>, ParentType, ContextType>;
  keys?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  revision?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
};

export type HandOverKeysPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['HandOverKeysPayload'] = ResolversParentTypes['HandOverKeysPayload']> = {
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  results?: Resolver<ReadonlyArray<ResolversTypes['KeyChangeResult']>, ParentType, ContextType>;
};

export type ImportKeysPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ImportKeysPayload'] = ResolversParentTypes['ImportKeysPayload']> = {
  dryRun?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  results?: Resolver<ReadonlyArray<ResolversTypes['ImportResult']>, ParentType, ContextType>;
};

export type ImportMembersPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ImportMembersPayload'] = ResolversParentTypes['ImportMembersPayload']> = {
  added?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  left?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ImportResultResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ImportResult'] = ResolversParentTypes['ImportResult']> = {
  apiKey?: Resolver<Maybe<ResolversTypes['ApiKey']>, ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['ImportOutcome'], ParentType, ContextType>;
  policyViolations?: Resolver<ReadonlyArray<ResolversTypes['PolicyViolation']>, ParentType, ContextType>;
};

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export type KeyChangeResultResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['KeyChangeResult'] = ResolversParentTypes['KeyChangeResult']> = {
  apiKey?: Resolver<Maybe<ResolversTypes['ApiKey']>, ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['KeyChangeOutcome'], ParentType, ContextType>;
  policyViolations?: Resolver<ReadonlyArray<ResolversTypes['PolicyViolation']>, ParentType, ContextType>;
};

export type KeyDefaultsResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['KeyDefaults'] = ResolversParentTypes['KeyDefaults']> = {
  allowedIps?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  lifetimeSeconds?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  rateLimit?: Resolver<Maybe<ResolversTypes['RateLimit']>, ParentType, ContextType>;
  scopes?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
};

export type KeyLeakResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['KeyLeak'] = ResolversParentTypes['KeyLeak']> = {
  places?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  prefix?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  reportedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  reporter?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  secret?: Resolver<ResolversTypes['RecentSecret'], ParentType, ContextType>;
  source?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  url?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type KeyPolicyResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['KeyPolicy'] = ResolversParentTypes['KeyPolicy']> = {
  changedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  defaults?: Resolver<ResolversTypes['KeyDefaults'], ParentType, ContextType>;
  effective?: Resolver<ResolversTypes['PolicyRules'], ParentType, ContextType>;
  enforceAfter?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  env?: Resolver<ResolversTypes['KeyEnv'], ParentType, ContextType>;
  maxLifetimeSeconds?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  maxRateLimit?: Resolver<Maybe<ResolversTypes['RateLimit']>, ParentType, ContextType>;
  maxSecretAgeSeconds?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  requireAllowedIps?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  requireExpiry?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  requireSigning?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  scopes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['PermittedScope']>>, ParentType, ContextType>;
  teamId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
};

export type KeySearchResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['KeySearch'] = ResolversParentTypes['KeySearch']> = {
  hint?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  keys?: Resolver<ReadonlyArray<ResolversTypes['FoundKey']>, ParentType, ContextType>;
  linkable?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type KeySecretResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['KeySecret'] = ResolversParentTypes['KeySecret']> = {
  current?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  lastUsedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  prefix?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type KeyValueResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['KeyValue'] = ResolversParentTypes['KeyValue']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type KeyValuesResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['KeyValues'] = ResolversParentTypes['KeyValues']> = {
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  isPartial?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  values?: Resolver<ReadonlyArray<ResolversTypes['KeyValue']>, ParentType, ContextType>;
};

export type KeysOverviewResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['KeysOverview'] = ResolversParentTypes['KeysOverview']> = {
  active?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  disabled?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  expired?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  expiringSoon?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  isPartial?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  leaked?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  neverUsed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  revoked?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  unusedFor90Days?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  violating?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ManagementKeyResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ManagementKey'] = ResolversParentTypes['ManagementKey']> = {
  allowedIps?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  createdBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiresAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  lastUsedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  observedSources?: Resolver<ReadonlyArray<ResolversTypes['ObservedSource']>, ParentType, ContextType>;
  permissions?: Resolver<ReadonlyArray<ResolversTypes['Permission']>, ParentType, ContextType>;
  prefix?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  previousPrefix?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  previousSecretExpiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  revokedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  rotatedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  signingEnabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['ManagementKeyState'], ParentType, ContextType>;
  teamId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
};

export type MemberResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Member'] = ResolversParentTypes['Member']> = {
  keyCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  leftAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  seenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['MemberState'], ParentType, ContextType>;
  subject?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type MemberConnectionResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['MemberConnection'] = ResolversParentTypes['MemberConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['MemberEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Member']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type MemberEdgeResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['MemberEdge'] = ResolversParentTypes['MemberEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Member'], ParentType, ContextType>;
};

export type MutationResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  changeKeys?: Resolver<ResolversTypes['ChangeKeysPayload'], ParentType, ContextType, RequireFields<MutationChangeKeysArgs, 'action' | 'keys' | 'teamId'>>;
  createKey?: Resolver<ResolversTypes['CreateKeyPayload'], ParentType, ContextType, RequireFields<MutationCreateKeyArgs, 'input'>>;
  createManagementKey?: Resolver<ResolversTypes['CreateManagementKeyPayload'], ParentType, ContextType, RequireFields<MutationCreateManagementKeyArgs, 'input'>>;
  createTrustRule?: Resolver<ResolversTypes['TrustRulePayload'], ParentType, ContextType, RequireFields<MutationCreateTrustRuleArgs, 'input'>>;
  createWebhook?: Resolver<ResolversTypes['WebhookSecretPayload'], ParentType, ContextType, RequireFields<MutationCreateWebhookArgs, 'input'>>;
  deleteTrustRule?: Resolver<ResolversTypes['DeleteTrustRulePayload'], ParentType, ContextType, RequireFields<MutationDeleteTrustRuleArgs, 'id'>>;
  deleteWebhook?: Resolver<ResolversTypes['DeleteWebhookPayload'], ParentType, ContextType, RequireFields<MutationDeleteWebhookArgs, 'id'>>;
  disableKey?: Resolver<ResolversTypes['DisableKeyPayload'], ParentType, ContextType, RequireFields<MutationDisableKeyArgs, 'id'>>;
  disableSigning?: Resolver<ResolversTypes['DisableSigningPayload'], ParentType, ContextType, RequireFields<MutationDisableSigningArgs, 'id'>>;
  enableKey?: Resolver<ResolversTypes['EnableKeyPayload'], ParentType, ContextType, RequireFields<MutationEnableKeyArgs, 'id'>>;
  enableSigning?: Resolver<ResolversTypes['SigningSecretPayload'], ParentType, ContextType, RequireFields<MutationEnableSigningArgs, 'id'>>;
  endOverlap?: Resolver<ResolversTypes['EndOverlapPayload'], ParentType, ContextType, RequireFields<MutationEndOverlapArgs, 'id'>>;
  freezeKeys?: Resolver<ResolversTypes['FreezeKeysPayload'], ParentType, ContextType, RequireFields<MutationFreezeKeysArgs, 'input'>>;
  handOverKeys?: Resolver<ResolversTypes['HandOverKeysPayload'], ParentType, ContextType, RequireFields<MutationHandOverKeysArgs, 'from' | 'teamId' | 'to'>>;
  importKeys?: Resolver<ResolversTypes['ImportKeysPayload'], ParentType, ContextType, RequireFields<MutationImportKeysArgs, 'dryRun' | 'keys' | 'teamId'>>;
  importMembers?: Resolver<ResolversTypes['ImportMembersPayload'], ParentType, ContextType, RequireFields<MutationImportMembersArgs, 'input'>>;
  putKey?: Resolver<ResolversTypes['PutKeyPayload'], ParentType, ContextType, RequireFields<MutationPutKeyArgs, 'input'>>;
  removeMember?: Resolver<ResolversTypes['RemoveMemberPayload'], ParentType, ContextType, RequireFields<MutationRemoveMemberArgs, 'subject' | 'teamId'>>;
  replayEvents?: Resolver<ResolversTypes['ReplayEventsPayload'], ParentType, ContextType, RequireFields<MutationReplayEventsArgs, 'failed' | 'webhookId'>>;
  revokeKey?: Resolver<ResolversTypes['RevokeKeyPayload'], ParentType, ContextType, RequireFields<MutationRevokeKeyArgs, 'id'>>;
  revokeKeyByExternalId?: Resolver<ResolversTypes['RevokeKeyPayload'], ParentType, ContextType, RequireFields<MutationRevokeKeyByExternalIdArgs, 'env' | 'externalId' | 'teamId'>>;
  revokeKeys?: Resolver<ResolversTypes['RevokeKeysPayload'], ParentType, ContextType, RequireFields<MutationRevokeKeysArgs, 'dryRun' | 'filter' | 'teamId'>>;
  revokeManagementKey?: Resolver<ResolversTypes['RevokeManagementKeyPayload'], ParentType, ContextType, RequireFields<MutationRevokeManagementKeyArgs, 'id'>>;
  rotateKey?: Resolver<ResolversTypes['RotateKeyPayload'], ParentType, ContextType, RequireFields<MutationRotateKeyArgs, 'id' | 'overlapSeconds'>>;
  rotateManagementKey?: Resolver<ResolversTypes['RotateManagementKeyPayload'], ParentType, ContextType, RequireFields<MutationRotateManagementKeyArgs, 'id' | 'overlapSeconds'>>;
  rotateSigningSecret?: Resolver<ResolversTypes['SigningSecretPayload'], ParentType, ContextType, RequireFields<MutationRotateSigningSecretArgs, 'id' | 'overlapSeconds'>>;
  rotateWebhookSecret?: Resolver<ResolversTypes['WebhookSecretPayload'], ParentType, ContextType, RequireFields<MutationRotateWebhookSecretArgs, 'id' | 'overlapSeconds'>>;
  sendTestEvent?: Resolver<ResolversTypes['TestEventPayload'], ParentType, ContextType, RequireFields<MutationSendTestEventArgs, 'id'>>;
  setKeyPolicy?: Resolver<ResolversTypes['SetKeyPolicyPayload'], ParentType, ContextType, RequireFields<MutationSetKeyPolicyArgs, 'input'>>;
  setLeakPolicy?: Resolver<ResolversTypes['SetLeakPolicyPayload'], ParentType, ContextType, RequireFields<MutationSetLeakPolicyArgs, 'policy' | 'teamId'>>;
  unfreezeKeys?: Resolver<ResolversTypes['UnfreezeKeysPayload'], ParentType, ContextType, RequireFields<MutationUnfreezeKeysArgs, 'id'>>;
  updateKey?: Resolver<ResolversTypes['UpdateKeyPayload'], ParentType, ContextType, RequireFields<MutationUpdateKeyArgs, 'id' | 'input'>>;
  updateWebhook?: Resolver<ResolversTypes['WebhookPayload'], ParentType, ContextType, RequireFields<MutationUpdateWebhookArgs, 'id' | 'input'>>;
};

export type ObservedSourceResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ObservedSource'] = ResolversParentTypes['ObservedSource']> = {
  acceptedByDay?: Resolver<ReadonlyArray<ResolversTypes['Int']>, ParentType, ContextType>;
  address?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  counts?: Resolver<ReadonlyArray<ResolversTypes['VerdictCount']>, ParentType, ContextType>;
  firstAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  lastAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  rejectedByDay?: Resolver<ReadonlyArray<ResolversTypes['Int']>, ParentType, ContextType>;
  secret?: Resolver<ResolversTypes['SecretStanding'], ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type PermittedScopeResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['PermittedScope'] = ResolversParentTypes['PermittedScope']> = {
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type PolicyRulesResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['PolicyRules'] = ResolversParentTypes['PolicyRules']> = {
  maxLifetimeSeconds?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  maxRateLimit?: Resolver<Maybe<ResolversTypes['RateLimit']>, ParentType, ContextType>;
  maxSecretAgeSeconds?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  requireAllowedIps?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  requireExpiry?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  requireSigning?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  scopes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['PermittedScope']>>, ParentType, ContextType>;
};

export type PolicyViolationResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['PolicyViolation'] = ResolversParentTypes['PolicyViolation']> = {
  field?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  rule?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type PutKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['PutKeyPayload'] = ResolversParentTypes['PutKeyPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
  created?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  secret?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  addressActivity?: Resolver<ReadonlyArray<ResolversTypes['AddressUse']>, ParentType, ContextType, RequireFields<QueryAddressActivityArgs, 'address' | 'teamId'>>;
  auditLog?: Resolver<ResolversTypes['AuditEntryConnection'], ParentType, ContextType, RequireFields<QueryAuditLogArgs, 'first' | 'teamId'>>;
  deliveries?: Resolver<ResolversTypes['DeliveryConnection'], ParentType, ContextType, RequireFields<QueryDeliveriesArgs, 'first' | 'webhookId'>>;
  derivedUse?: Resolver<ReadonlyArray<ResolversTypes['DerivedUse']>, ParentType, ContextType, RequireFields<QueryDerivedUseArgs, 'keyId'>>;
  events?: Resolver<ResolversTypes['EventPage'], ParentType, ContextType, RequireFields<QueryEventsArgs, 'first' | 'teamId'>>;
  explainVerification?: Resolver<ResolversTypes['VerificationExplanation'], ParentType, ContextType, RequireFields<QueryExplainVerificationArgs, 'input'>>;
  fences?: Resolver<ReadonlyArray<ResolversTypes['Fence']>, ParentType, ContextType, RequireFields<QueryFencesArgs, 'teamId'>>;
  findKeys?: Resolver<ResolversTypes['KeySearch'], ParentType, ContextType, RequireFields<QueryFindKeysArgs, 'text'>>;
  key?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType, RequireFields<QueryKeyArgs, 'id'>>;
  keyByExternalId?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType, RequireFields<QueryKeyByExternalIdArgs, 'env' | 'externalId' | 'teamId'>>;
  keyPolicies?: Resolver<ReadonlyArray<ResolversTypes['KeyPolicy']>, ParentType, ContextType, RequireFields<QueryKeyPoliciesArgs, 'teamId'>>;
  keyPolicy?: Resolver<ResolversTypes['KeyPolicy'], ParentType, ContextType, RequireFields<QueryKeyPolicyArgs, 'env' | 'teamId'>>;
  keyValues?: Resolver<ResolversTypes['KeyValues'], ParentType, ContextType, RequireFields<QueryKeyValuesArgs, 'field' | 'teamId'>>;
  keys?: Resolver<ResolversTypes['ApiKeyConnection'], ParentType, ContextType, RequireFields<QueryKeysArgs, 'first' | 'teamId'>>;
  keysOverview?: Resolver<ResolversTypes['KeysOverview'], ParentType, ContextType, RequireFields<QueryKeysOverviewArgs, 'teamId'>>;
  leakPolicy?: Resolver<ResolversTypes['LeakPolicyAction'], ParentType, ContextType, RequireFields<QueryLeakPolicyArgs, 'teamId'>>;
  managementKey?: Resolver<ResolversTypes['ManagementKey'], ParentType, ContextType, RequireFields<QueryManagementKeyArgs, 'id'>>;
  managementKeys?: Resolver<ReadonlyArray<ResolversTypes['ManagementKey']>, ParentType, ContextType, RequireFields<QueryManagementKeysArgs, 'teamId'>>;
  members?: Resolver<ResolversTypes['MemberConnection'], ParentType, ContextType, RequireFields<QueryMembersArgs, 'first' | 'teamId'>>;
  observedSources?: Resolver<ReadonlyArray<ResolversTypes['ObservedSource']>, ParentType, ContextType, RequireFields<QueryObservedSourcesArgs, 'keyId'>>;
  policyBounds?: Resolver<ResolversTypes['PolicyRules'], ParentType, ContextType>;
  previewAllowedIps?: Resolver<ResolversTypes['AllowedIpsPreview'], ParentType, ContextType, RequireFields<QueryPreviewAllowedIpsArgs, 'allowedIps' | 'keyId'>>;
  receipt?: Resolver<ResolversTypes['Receipt'], ParentType, ContextType, RequireFields<QueryReceiptArgs, 'revision'>>;
  rejectedKeys?: Resolver<ReadonlyArray<ResolversTypes['RejectedKey']>, ParentType, ContextType, RequireFields<QueryRejectedKeysArgs, 'from' | 'teamId' | 'to'>>;
  teamUsage?: Resolver<ReadonlyArray<ResolversTypes['UsageHour']>, ParentType, ContextType, RequireFields<QueryTeamUsageArgs, 'from' | 'teamId' | 'to'>>;
  trustRules?: Resolver<ReadonlyArray<ResolversTypes['TrustRule']>, ParentType, ContextType, RequireFields<QueryTrustRulesArgs, 'teamId'>>;
  trustedIssuers?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  unlistedSources?: Resolver<ReadonlyArray<ResolversTypes['UnlistedSources']>, ParentType, ContextType, RequireFields<QueryUnlistedSourcesArgs, 'keyId'>>;
  usage?: Resolver<ReadonlyArray<ResolversTypes['UsageHour']>, ParentType, ContextType, RequireFields<QueryUsageArgs, 'from' | 'keyId' | 'to'>>;
  viewer?: Resolver<ResolversTypes['Viewer'], ParentType, ContextType>;
  webhooks?: Resolver<ReadonlyArray<ResolversTypes['Webhook']>, ParentType, ContextType, RequireFields<QueryWebhooksArgs, 'teamId'>>;
};

export type RateLimitResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['RateLimit'] = ResolversParentTypes['RateLimit']> = {
  limit?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  windowSeconds?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ReceiptResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Receipt'] = ResolversParentTypes['Receipt']> = {
  payload?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  protected?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  signature?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  statement?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
};

export type RejectedKeyResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['RejectedKey'] = ResolversParentTypes['RejectedKey']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  counts?: Resolver<ReadonlyArray<ResolversTypes['VerdictCount']>, ParentType, ContextType>;
};

export type RemoveMemberPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['RemoveMemberPayload'] = ResolversParentTypes['RemoveMemberPayload']> = {
  member?: Resolver<ResolversTypes['Member'], ParentType, ContextType>;
};

export type ReplayEventsPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ReplayEventsPayload'] = ResolversParentTypes['ReplayEventsPayload']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type RevokeKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['RevokeKeyPayload'] = ResolversParentTypes['RevokeKeyPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
};

export type RevokeKeysPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['RevokeKeysPayload'] = ResolversParentTypes['RevokeKeysPayload']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  dryRun?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  selection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  skipped?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type RevokeManagementKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['RevokeManagementKeyPayload'] = ResolversParentTypes['RevokeManagementKeyPayload']> = {
  managementKey?: Resolver<ResolversTypes['ManagementKey'], ParentType, ContextType>;
};

export type RotateKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['RotateKeyPayload'] = ResolversParentTypes['RotateKeyPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
  secret?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type RotateManagementKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['RotateManagementKeyPayload'] = ResolversParentTypes['RotateManagementKeyPayload']> = {
  managementKey?: Resolver<ResolversTypes['ManagementKey'], ParentType, ContextType>;
  secret?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type SetKeyPolicyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['SetKeyPolicyPayload'] = ResolversParentTypes['SetKeyPolicyPayload']> = {
  policy?: Resolver<ResolversTypes['KeyPolicy'], ParentType, ContextType>;
};

export type SetLeakPolicyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['SetLeakPolicyPayload'] = ResolversParentTypes['SetLeakPolicyPayload']> = {
  policy?: Resolver<ResolversTypes['LeakPolicyAction'], ParentType, ContextType>;
};

export type SignatureExplanationResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['SignatureExplanation'] = ResolversParentTypes['SignatureExplanation']> = {
  failedCheck?: Resolver<Maybe<ResolversTypes['SignatureCheckName']>, ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  signatureBase?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type SigningSecretPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['SigningSecretPayload'] = ResolversParentTypes['SigningSecretPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
  signingSecret?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type TestEventPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['TestEventPayload'] = ResolversParentTypes['TestEventPayload']> = {
  delivery?: Resolver<ResolversTypes['Delivery'], ParentType, ContextType>;
};

export type TrustRuleResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['TrustRule'] = ResolversParentTypes['TrustRule']> = {
  audience?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  claims?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  createdBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  issuer?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lastUsedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  once?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  permissions?: Resolver<ReadonlyArray<ResolversTypes['Permission']>, ParentType, ContextType>;
  teamId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
};

export type TrustRulePayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['TrustRulePayload'] = ResolversParentTypes['TrustRulePayload']> = {
  trustRule?: Resolver<ResolversTypes['TrustRule'], ParentType, ContextType>;
};

export interface UuidScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['UUID'], any> {
  name: 'UUID';
}

export type UnfreezeKeysPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['UnfreezeKeysPayload'] = ResolversParentTypes['UnfreezeKeysPayload']> = {
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
};

export type UnlistedSourcesResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['UnlistedSources'] = ResolversParentTypes['UnlistedSources']> = {
  counts?: Resolver<ReadonlyArray<ResolversTypes['VerdictCount']>, ParentType, ContextType>;
  firstAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  lastAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  secret?: Resolver<ResolversTypes['SecretStanding'], ParentType, ContextType>;
};

export type UpdateKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['UpdateKeyPayload'] = ResolversParentTypes['UpdateKeyPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
};

export type UsageHourResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['UsageHour'] = ResolversParentTypes['UsageHour']> = {
  code?: Resolver<ResolversTypes['VerdictCode'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  hour?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type VerdictCountResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['VerdictCount'] = ResolversParentTypes['VerdictCount']> = {
  code?: Resolver<ResolversTypes['VerdictCode'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type VerificationCheckResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['VerificationCheck'] = ResolversParentTypes['VerificationCheck']> = {
  explanation?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['VerificationCheckName'], ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['VerificationCheckOutcome'], ParentType, ContextType>;
};

export type VerificationExplanationResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['VerificationExplanation'] = ResolversParentTypes['VerificationExplanation']> = {
  apiKey?: Resolver<Maybe<ResolversTypes['ApiKey']>, ParentType, ContextType>;
  checks?: Resolver<ReadonlyArray<ResolversTypes['VerificationCheck']>, ParentType, ContextType>;
  code?: Resolver<ResolversTypes['VerdictCode'], ParentType, ContextType>;
  signature?: Resolver<Maybe<ResolversTypes['SignatureExplanation']>, ParentType, ContextType>;
};

export type ViewerResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Viewer'] = ResolversParentTypes['Viewer']> = {
  source?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  subject?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  teams?: Resolver<ReadonlyArray<ResolversTypes['ViewerTeam']>, ParentType, ContextType>;
};

export type ViewerTeamResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ViewerTeam'] = ResolversParentTypes['ViewerTeam']> = {
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  permissions?: Resolver<ReadonlyArray<ResolversTypes['Permission']>, ParentType, ContextType>;
};

export type WebhookResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Webhook'] = ResolversParentTypes['Webhook']> = {
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  disabledAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  disabledReason?: Resolver<Maybe<ResolversTypes['WebhookDisabledReason']>, ParentType, ContextType>;
  form?: Resolver<ResolversTypes['EventForm'], ParentType, ContextType>;
  health?: Resolver<ResolversTypes['DeliveryHealth'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  lastDelivery?: Resolver<Maybe<ResolversTypes['Delivery']>, ParentType, ContextType>;
  previousSecretExpiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  publicKey?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  signature?: Resolver<ResolversTypes['WebhookSignature'], ParentType, ContextType>;
  teamId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  types?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  url?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type WebhookPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['WebhookPayload'] = ResolversParentTypes['WebhookPayload']> = {
  webhook?: Resolver<ResolversTypes['Webhook'], ParentType, ContextType>;
};

export type WebhookSecretPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['WebhookSecretPayload'] = ResolversParentTypes['WebhookSecretPayload']> = {
  secret?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  webhook?: Resolver<ResolversTypes['Webhook'], ParentType, ContextType>;
};

export type Resolvers<ContextType = GraphQLContext> = {
  AddressUse?: AddressUseResolvers<ContextType>;
  AllowedIpsPreview?: AllowedIpsPreviewResolvers<ContextType>;
  ApiKey?: ApiKeyResolvers<ContextType>;
  ApiKeyConnection?: ApiKeyConnectionResolvers<ContextType>;
  ApiKeyEdge?: ApiKeyEdgeResolvers<ContextType>;
  AuditChange?: AuditChangeResolvers<ContextType>;
  AuditEntry?: AuditEntryResolvers<ContextType>;
  AuditEntryConnection?: AuditEntryConnectionResolvers<ContextType>;
  AuditEntryEdge?: AuditEntryEdgeResolvers<ContextType>;
  ChangeKeysPayload?: ChangeKeysPayloadResolvers<ContextType>;
  CreateKeyPayload?: CreateKeyPayloadResolvers<ContextType>;
  CreateManagementKeyPayload?: CreateManagementKeyPayloadResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  DeleteTrustRulePayload?: DeleteTrustRulePayloadResolvers<ContextType>;
  DeleteWebhookPayload?: DeleteWebhookPayloadResolvers<ContextType>;
  Delivery?: DeliveryResolvers<ContextType>;
  DeliveryConnection?: DeliveryConnectionResolvers<ContextType>;
  DeliveryEdge?: DeliveryEdgeResolvers<ContextType>;
  DeliveryHealth?: DeliveryHealthResolvers<ContextType>;
  DerivedUse?: DerivedUseResolvers<ContextType>;
  DisableKeyPayload?: DisableKeyPayloadResolvers<ContextType>;
  DisableSigningPayload?: DisableSigningPayloadResolvers<ContextType>;
  EnableKeyPayload?: EnableKeyPayloadResolvers<ContextType>;
  EndOverlapPayload?: EndOverlapPayloadResolvers<ContextType>;
  Event?: EventResolvers<ContextType>;
  EventPage?: EventPageResolvers<ContextType>;
  Fence?: FenceResolvers<ContextType>;
  FoundKey?: FoundKeyResolvers<ContextType>;
  FreezeKeysPayload?: FreezeKeysPayloadResolvers<ContextType>;
  HandOverKeysPayload?: HandOverKeysPayloadResolvers<ContextType>;
  ImportKeysPayload?: ImportKeysPayloadResolvers<ContextType>;
  ImportMembersPayload?: ImportMembersPayloadResolvers<ContextType>;
  ImportResult?: ImportResultResolvers<ContextType>;
  JSON?: GraphQLScalarType;
  KeyChangeResult?: KeyChangeResultResolvers<ContextType>;
  KeyDefaults?: KeyDefaultsResolvers<ContextType>;
  KeyLeak?: KeyLeakResolvers<ContextType>;
  KeyPolicy?: KeyPolicyResolvers<ContextType>;
  KeySearch?: KeySearchResolvers<ContextType>;
  KeySecret?: KeySecretResolvers<ContextType>;
  KeyValue?: KeyValueResolvers<ContextType>;
  KeyValues?: KeyValuesResolvers<ContextType>;
  KeysOverview?: KeysOverviewResolvers<ContextType>;
  ManagementKey?: ManagementKeyResolvers<ContextType>;
  Member?: MemberResolvers<ContextType>;
  MemberConnection?: MemberConnectionResolvers<ContextType>;
  MemberEdge?: MemberEdgeResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  ObservedSource?: ObservedSourceResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  PermittedScope?: PermittedScopeResolvers<ContextType>;
  PolicyRules?: PolicyRulesResolvers<ContextType>;
  PolicyViolation?: PolicyViolationResolvers<ContextType>;
  PutKeyPayload?: PutKeyPayloadResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  RateLimit?: RateLimitResolvers<ContextType>;
  Receipt?: ReceiptResolvers<ContextType>;
  RejectedKey?: RejectedKeyResolvers<ContextType>;
  RemoveMemberPayload?: RemoveMemberPayloadResolvers<ContextType>;
  ReplayEventsPayload?: ReplayEventsPayloadResolvers<ContextType>;
  RevokeKeyPayload?: RevokeKeyPayloadResolvers<ContextType>;
  RevokeKeysPayload?: RevokeKeysPayloadResolvers<ContextType>;
  RevokeManagementKeyPayload?: RevokeManagementKeyPayloadResolvers<ContextType>;
  RotateKeyPayload?: RotateKeyPayloadResolvers<ContextType>;
  RotateManagementKeyPayload?: RotateManagementKeyPayloadResolvers<ContextType>;
  SetKeyPolicyPayload?: SetKeyPolicyPayloadResolvers<ContextType>;
  SetLeakPolicyPayload?: SetLeakPolicyPayloadResolvers<ContextType>;
  SignatureExplanation?: SignatureExplanationResolvers<ContextType>;
  SigningSecretPayload?: SigningSecretPayloadResolvers<ContextType>;
  TestEventPayload?: TestEventPayloadResolvers<ContextType>;
  TrustRule?: TrustRuleResolvers<ContextType>;
  TrustRulePayload?: TrustRulePayloadResolvers<ContextType>;
  UUID?: GraphQLScalarType;
  UnfreezeKeysPayload?: UnfreezeKeysPayloadResolvers<ContextType>;
  UnlistedSources?: UnlistedSourcesResolvers<ContextType>;
  UpdateKeyPayload?: UpdateKeyPayloadResolvers<ContextType>;
  UsageHour?: UsageHourResolvers<ContextType>;
  VerdictCount?: VerdictCountResolvers<ContextType>;
  VerificationCheck?: VerificationCheckResolvers<ContextType>;
  VerificationExplanation?: VerificationExplanationResolvers<ContextType>;
  Viewer?: ViewerResolvers<ContextType>;
  ViewerTeam?: ViewerTeamResolvers<ContextType>;
  Webhook?: WebhookResolvers<ContextType>;
  WebhookPayload?: WebhookPayloadResolvers<ContextType>;
  WebhookSecretPayload?: WebhookSecretPayloadResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = GraphQLContext> = {
  cost?: CostDirectiveResolver<any, any, ContextType>;
  listSize?: ListSizeDirectiveResolver<any, any, ContextType>;
};
