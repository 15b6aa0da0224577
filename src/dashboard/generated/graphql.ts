/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
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

/** A key to create. */
export type CreateKeyInput = {
  /** The only sources that can use the key, as in `UpdateKeyInput`. Null or empty: every source can. Absent: the default of the policy, else every source. */
  allowedIps?: Array<string> | null | undefined;
  /** A text for people, such as where the key is used: 1 to 500 characters after trimming, none of them invisible. */
  description?: string | null | undefined;
  /** The environment to restrict the key to. */
  env: KeyEnv;
  /** When the key stops working: in the future, before the year 10000. Null: never. Absent: the default of the team's policy, if it has one, else never. */
  expiresAt?: string | null | undefined;
  /** The customer or service that the key belongs to: 1 to 255 characters after trimming, none of them invisible. */
  externalId?: string | null | undefined;
  /** A JSON object of at most 4,096 bytes, nested at most 8 levels deep. */
  metadata?: unknown;
  /** A label for people: 1 to 100 characters after trimming, none of them invisible. */
  name: string;
  /** The rate limit. Null: none. Absent: the default of the policy, else none. */
  rateLimit?: RateLimitInput | null | undefined;
  /** Who answers questions about the key: the subject of a session, or the name of a team, 1 to 255 characters after trimming, none of them invisible. Absent: the caller, if it is a person. Null: no one. */
  responsible?: string | null | undefined;
  /** The scopes of the key: at most 50 different ones of 1 to 100 characters, each a scope-token of RFC 6749, section 3.3. Null or empty: none. Absent: the default of the policy, else none. */
  scopes?: Array<string> | null | undefined;
  /** If true, requests with the key must be signed, and the result has the signing secret. */
  signing?: boolean;
  /** At most 20 different labels of 1 to 64 characters after trimming, none of them invisible. */
  tags?: Array<string> | null | undefined;
  /** The team that owns the key. */
  teamId: string;
  /** If true, the key is a tripwire: it is never accepted, and who presents it gets NOT_FOUND, as for an unknown key, while the team gets the event `key.tripped`. Rejected with OLDER_INSTANCES until the operator has confirmed that no instance before 0.3 runs. */
  tripwire?: boolean;
};

/** A management key to make. */
export type CreateManagementKeyInput = {
  /** The only sources that can use it, as in `UpdateKeyInput`, with at most 2,000 characters together. Absent, null or empty: every source can. */
  allowedIps?: Array<string> | null | undefined;
  /** When it stops working: in the future, and at most a year from now. */
  expiresAt: string;
  /** A label for people: 1 to 100 characters after trimming, none of them invisible. */
  name: string;
  /** What it may do, each once: `view_team`, `manage_keys` or `manage_webhooks`, of which the caller must have each. */
  permissions: Array<Permission>;
  /** If true, calls with it must be signed, and the result has the signing secret. */
  signing?: boolean;
  /** The team whose keys it manages. */
  teamId: string;
};

/** A trust rule to make. */
export type CreateTrustRuleInput = {
  /** The audience that tokens must name (`aud`): 1 to 200 characters. */
  audience: string;
  /** The claims that tokens must have: an object from the name of each, or the path to it with dots, to its exact value, as text. At most 10, one of which identifies the workload by an id that never changes, such as `repository_id` of GitHub, `project_id` of GitLab or `kubernetes.io.serviceaccount.uid`. Names that can be taken by others, such as `repository`, and wildcards are rejected. */
  claims: unknown;
  /** The issuer of the tokens (`iss`), exactly: one of `trustedIssuers`. */
  issuer: string;
  /** A label for people: 1 to 100 characters after trimming, none of them invisible. */
  name: string;
  /** Whether each token can be exchanged only once, by its id (`jti`). GitLab and Kubernetes use theirs several times. */
  once?: boolean;
  /** What the workloads may do, each once: `view_team`, `manage_keys` or `manage_webhooks`, of which the caller must have each. */
  permissions: Array<Permission>;
  /** The team whose keys the workloads manage. */
  teamId: string;
};

/** An endpoint to add. */
export type CreateWebhookInput = {
  /** A text for people, 1 to 500 characters. */
  description?: string | null | undefined;
  /** How events are written. */
  form?: EventForm;
  /** How requests are signed. It cannot be changed. */
  signature?: WebhookSignature;
  /** The team whose events it gets. */
  teamId: string;
  /** The types of events, such as `key.created`. Absent or empty: all types. */
  types?: Array<string> | null | undefined;
  /** Where to send the events: an https URL with port 443 or a port above 1023, without credentials, at most 2,000 characters. The operator can allow networks for which http and private addresses are accepted too. */
  url: string;
};

/** What became of an event at an endpoint. */
export type DeliveryOutcome =
  /** The endpoint answered with a status from 200 to 299. */
  | 'DELIVERED'
  /** The last attempt failed. */
  | 'FAILED'
  /** It will be attempted, or attempted again. */
  | 'PENDING';

/** How events are written in the requests to an endpoint. */
export type EventForm =
  /** CloudEvents 1.0, in structured mode. */
  | 'CLOUDEVENTS'
  /** Open Cybersecurity Schema Framework: API Activity. */
  | 'OCSF'
  /** The event as `events` returns it (Standard Webhooks). */
  | 'STANDARD';

/** The input of a verification to explain. Exactly one of `secret` and `prefix` must be given. */
export type ExplainVerificationInput = {
  /** The environment that the API serves. Absent: any. */
  env?: KeyEnv | null | undefined;
  /** The prefix of a key, if its secret is not known. The check FORM is then skipped. */
  prefix?: string | null | undefined;
  /** The request itself, to check its signature. Absent: a key with signing enabled gets SIGNATURE_REQUIRED. */
  request?: SignedRequestInput | null | undefined;
  /** The scopes that the request needs, at most 50. Absent: none. */
  scopes?: Array<string> | null | undefined;
  /** The text that would be presented, at most 1000 characters. This server neither stores nor logs it. Send it in a body, because other servers log URLs. */
  secret?: string | null | undefined;
  /** The IPv4 or IPv6 address that the request would come from, without a port. Absent: unknown, with which a key with an allow-list is rejected. */
  sourceIp?: string | null | undefined;
  /** The team to search. A key of another team is not found. */
  teamId: string;
};

/** Which keys to freeze. Absent and null conditions are none. */
export type FreezeKeysInput = {
  /** Only keys that were created before this time. */
  createdBefore?: string | null | undefined;
  /** If true, nothing is frozen, and the keys that would be are only counted. */
  dryRun?: boolean;
  /** Only keys of this environment. */
  env?: KeyEnv | null | undefined;
  /** Only keys with this external ID. */
  externalId?: string | null | undefined;
  /** Why, for people: 1 to 200 characters after trimming, none of them invisible. */
  reason: string;
  /** Only keys for which this person or team is responsible. */
  responsible?: string | null | undefined;
  /** Only keys with all of these tags: 1 to 20. */
  tags?: Array<string> | null | undefined;
  /** The team whose keys to freeze. */
  teamId: string;
  /** When the fence ends by itself: at least 5 minutes ahead. Absent or null: when it is lifted. */
  until?: string | null | undefined;
};

/** One line of a request's headers. */
export type HeaderInput = {
  /** The name of the header, in upper or lower case. */
  name: string;
  /** The value of the header. */
  value: string;
};

/** A key of another system to import. */
export type ImportKeyInput = {
  /** The only sources that can use the key, as in `UpdateKeyInput`. Absent, null or empty: every source can. */
  allowedIps?: Array<string> | null | undefined;
  /** A text for people, such as where the key is used: 1 to 500 characters after trimming, none of them invisible. */
  description?: string | null | undefined;
  /** The SHA-256 or SHA-512 of the whole key as its holder sends it, in hexadecimal or base64, with or without a leading `sha256:` or `sha512:`. The key itself has 1 to 1000 visible ASCII characters. It should have at least 128 random bits, which can't be checked from its digest. */
  digest: string;
  /** The environment to restrict the key to. */
  env: KeyEnv;
  /** When the key stops working: in the future, before the year 10000. Absent or null: never. */
  expiresAt?: string | null | undefined;
  /** The customer or service that the key belongs to: 1 to 255 characters after trimming, none of them invisible. */
  externalId?: string | null | undefined;
  /** A JSON object of at most 4,096 bytes, nested at most 8 levels deep. */
  metadata?: unknown;
  /** A label for people: 1 to 100 characters after trimming, none of them invisible. */
  name: string;
  /** The first 4 to 24 characters of the key, visible ASCII, by which people recognize it, such as `sk_live_4fJx`. It is shown and logged, so at most 8 characters after its leading words are kept: more would tell too much of the secret. If it names an environment, that is the environment of the key. Several keys can have the same. Absent or null: one is generated. */
  prefix?: string | null | undefined;
  /** The rate limit. Absent or null: none. */
  rateLimit?: RateLimitInput | null | undefined;
  /** Who answers questions about the key: the subject of a session, or the name of a team, 1 to 255 characters after trimming, none of them invisible. Absent: the caller, if it is a person. Null: no one. */
  responsible?: string | null | undefined;
  /** The scopes of the key: at most 50 different ones of 1 to 100 characters, each a scope-token of RFC 6749, section 3.3. */
  scopes?: Array<string> | null | undefined;
  /** At most 20 different labels of 1 to 64 characters after trimming, none of them invisible. */
  tags?: Array<string> | null | undefined;
};

/** Who has access to a team now. */
export type ImportMembersInput = {
  /** Of a list in parts: compares only members whose subject comes after this one, the `upTo` of the part before. */
  after?: string | null | undefined;
  /** The subjects of all who have access: at most 1,000, each once, of 1 to 255 characters, in a body of at most 64 kB. More are sent in parts, in the order of their UTF-16 code units, with `after` and `upTo`. */
  subjects: Array<string>;
  /** The team. */
  teamId: string;
  /** Of a list in parts: compares only members whose subject does not come after this one. Absent for the last part. */
  upTo?: string | null | undefined;
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

/** Settings for new keys. Absent, null and empty ones: none. */
export type KeyDefaultsInput = {
  /** The allowed sources, as in `CreateKeyInput`. */
  allowedIps?: Array<string> | null | undefined;
  /** The time from the creation to the expiry, in seconds: 60 to 315,360,000 (10 years). */
  lifetimeSeconds?: number | null | undefined;
  /** The rate limit. */
  rateLimit?: RateLimitInput | null | undefined;
  /** The scopes, as in `CreateKeyInput`. */
  scopes?: Array<string> | null | undefined;
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
  createdBefore?: string | null | undefined;
  /** Only keys that exactly this `actor` created or imported: 1 to 255 characters. Keys whose first audit entry was purged are not included. */
  createdBy?: string | null | undefined;
  /** Only keys of this environment. */
  env?: KeyEnv | null | undefined;
  /** Only keys that expire after this time. Keys that never expire are not included. */
  expiresAfter?: string | null | undefined;
  /** Only keys that expire before this time. With the default `state`, this includes expired keys. */
  expiresBefore?: string | null | undefined;
  /** Only keys with this `externalId`. */
  externalId?: string | null | undefined;
  /** True: only keys that some sources alone can use. False: only keys that every source can use. */
  hasAllowedIps?: boolean | null | undefined;
  /** True: only keys with a rate limit. False: only keys without one. */
  hasRateLimit?: boolean | null | undefined;
  /** True: only keys with a `leak`. False: only others. */
  leaked?: boolean | null | undefined;
  /** True: only keys that never expire. False: only keys with an expiry, which can be in the past. */
  neverExpires?: boolean | null | undefined;
  /** True: only keys that never passed a verification. False: only keys that did. */
  neverUsed?: boolean | null | undefined;
  /** Only keys of which exactly this person or team is `responsible`. */
  responsible?: string | null | undefined;
  /** Only keys whose `responsible` person is a member of the team in one of these states, each named once; at least one. Keys of a team name, or of a person of whom nothing is known, are not included. */
  responsibleState?: Array<MemberState> | null | undefined;
  /** True: only keys in an overlap, whose previous secret or signing secret is still accepted, for a disabled key once it is enabled. False: only others. An overlap ends with its key. */
  rotating?: boolean | null | undefined;
  /** Only keys with all of these scopes; at least one. */
  scopes?: Array<string> | null | undefined;
  /** Only keys that this text names by an id, or a prefix or its beginning, in any case, anywhere in it, such as in a line of a log; and keys whose name, prefix, external ID, tags or description contain it, ignoring case, and in names and prefixes also accents; 1 to 4000 characters. */
  search?: string | null | undefined;
  /** True: only keys whose requests must be signed. False: only keys whose requests need no signature. */
  signingEnabled?: boolean | null | undefined;
  /** Only keys in one of these states, each named once. Absent: all states except `REVOKED`. */
  state?: Array<KeyState> | null | undefined;
  /** Only keys with all of these tags; at least one. */
  tags?: Array<string> | null | undefined;
  /** Only keys that passed no verification at or after this time, including those that never did. To omit new keys, add `createdBefore` with the same time. */
  unusedSince?: string | null | undefined;
  /** True: only keys with `policyViolations`. False: only others. */
  violating?: boolean | null | undefined;
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
  direction: OrderDirection;
  /** The field to order by. */
  field: KeyOrderField;
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
  id: string;
  /** Changes the key only if it still has one of these `revision`s, such as the one that a dry run has shown. Absent or null: changes the key unconditionally. */
  ifRevision?: Array<string | number> | null | undefined;
  /** The fields to change. Required for UPDATE, and rejected for other actions. */
  settings?: UpdateKeyInput | null | undefined;
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

/** What happens to a leaked key of a team, besides the event `key.exposed`. */
export type LeakPolicyAction =
  /** The key is disabled. */
  | 'DISABLE'
  /** Nothing else. People decide. */
  | 'NOTIFY'
  /** The key is revoked. */
  | 'REVOKE';

/** The state of a management key. */
export type ManagementKeyState =
  /** It is accepted. */
  | 'ACTIVE'
  /** Past its `expiresAt`. */
  | 'EXPIRED'
  /** Revoked permanently. */
  | 'REVOKED';

/** Whether a person still has access to a team, as far as Latchkey knows. */
export type MemberState =
  /** Has signed in within the last 90 days, or was first imported then. */
  | 'ACTIVE'
  /** Has not signed in for 90 days. Who left and was not removed never signs in again. */
  | 'INACTIVE'
  /** Left: was removed, was missing in an import, or has no access anymore by what the identity provider says. */
  | 'LEFT';

/** The direction of an order. */
export type OrderDirection =
  /** Ascending: earliest first, or alphabetical. */
  | 'ASC'
  /** Descending: latest first, or reverse alphabetical. */
  | 'DESC';

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
export type PermittedScopeInput = {
  /** What it permits, for people who choose scopes: 1 to 200 characters after trimming. */
  description?: string | null | undefined;
  /** The scope, as keys have it. */
  name: string;
};

/** The rate limit of a key. */
export type RateLimitInput = {
  /** The number of accepted requests in each window: 1 to 1,000,000. */
  limit: number;
  /** The length of a window in seconds: 1 to 86,400 (1 day). */
  windowSeconds: number;
};

/** A secret of a key that is or was last in use. */
export type RecentSecret =
  /** The current secret. */
  | 'CURRENT'
  /** The secret before the current one. */
  | 'PREVIOUS';

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
  defaults?: KeyDefaultsInput | null | undefined;
  /** When keys that violate the policy are disabled: in the future, or as it was. Null: never. */
  enforceAfter?: string | null | undefined;
  /** The environment. */
  env: KeyEnv;
  /** The longest time from the issue of the current secret to the expiry, in seconds: 60 to 315,360,000 (10 years). Keys must then have an expiry. */
  maxLifetimeSeconds?: number | null | undefined;
  /** The highest rate limit, compared as requests per second. Keys must then have a rate limit. */
  maxRateLimit?: RateLimitInput | null | undefined;
  /** The longest time from the issue of a secret until it must have been rotated, in seconds: 60 to 315,360,000 (10 years). */
  maxSecretAgeSeconds?: number | null | undefined;
  /** Whether keys must have allowed sources, and not every IPv4 or public IPv6 address among them. */
  requireAllowedIps?: boolean | null | undefined;
  /** Whether keys must have an expiry. */
  requireExpiry?: boolean | null | undefined;
  /** Whether requests with keys must be signed. */
  requireSigning?: boolean | null | undefined;
  /** The scopes that keys can have: at most 100, each once. Empty: none. */
  scopes?: Array<PermittedScopeInput> | null | undefined;
  /** The team. */
  teamId: string;
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

/** A signed request as it arrived. */
export type SignedRequestInput = {
  /** The digest of the body that arrived, as a Content-Digest value with sha-256 or sha-512. Absent: no body arrived. */
  bodyDigest?: string | null | undefined;
  /** The headers, one entry for each line, at most 200. Those that the signature does not need can be omitted. */
  headers: Array<HeaderInput>;
  /** The HTTP method. */
  method: string;
  /** The URL as the client wrote it; or the path and query, with the authority in the Host header. */
  url: string;
};

/** The fields of a key to change. An absent field stays as it is. So does a field that repeats its value, although it may be no longer allowed, such as an expiry in the past. */
export type UpdateKeyInput = {
  /** The new list of allowed sources, which replaces the whole existing one: at most 100 entries of at most 255 characters. Each is an IP address, a CIDR range or one of at most 16 host names, optionally followed by `# a comment`. Spaces around an entry are removed. If several entries name one source, such as `10.0.0.1` and `10.0.0.1/32`, the first with a comment stays. Names of /etc/hosts, such as `localhost`, are rejected. `[]` allows every source. Not null. */
  allowedIps?: Array<string> | null | undefined;
  /** A text for people, such as where the key is used: 1 to 500 characters after trimming, none of them invisible. Null removes it. */
  description?: string | null | undefined;
  /** The new expiry: in the future, before the year 10000. Null removes it. */
  expiresAt?: string | null | undefined;
  /** The customer or service that the key belongs to: 1 to 255 characters after trimming, none of them invisible. Null removes it. */
  externalId?: string | null | undefined;
  /** A JSON object of at most 4,096 bytes, nested at most 8 levels deep, which replaces the existing one. Null removes it. */
  metadata?: unknown;
  /** The new label: 1 to 100 characters after trimming, none of them invisible. Not null. */
  name?: string | null | undefined;
  /** The rate limit. Null removes it. */
  rateLimit?: RateLimitInput | null | undefined;
  /** Who answers questions about the key: the subject of a session, or the name of a team, 1 to 255 characters after trimming, none of them invisible. Null removes it. */
  responsible?: string | null | undefined;
  /** The scopes of the key: at most 50 different ones of 1 to 100 characters, each a scope-token of RFC 6749, section 3.3. They replace all existing ones. Not null. */
  scopes?: Array<string> | null | undefined;
  /** At most 20 different labels of 1 to 64 characters after trimming, none of them invisible. They replace all existing ones. Not null. */
  tags?: Array<string> | null | undefined;
};

/** The fields of an endpoint to change. */
export type UpdateWebhookInput = {
  /** A text for people; null removes it. */
  description?: string | null | undefined;
  /** False disables the endpoint. True enables it, and attempts what it missed. Not null. */
  enabled?: boolean | null | undefined;
  /** How events are written. Not null. */
  form?: EventForm | null | undefined;
  /** The types of events, which replace the earlier ones; empty: all types. Not null. */
  types?: Array<string> | null | undefined;
  /** Where to send the events, as in `createWebhook`. Not null. */
  url?: string | null | undefined;
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

/** Why an endpoint is disabled. */
export type WebhookDisabledReason =
  /** The last attempt to deliver an event failed. */
  | 'FAILING'
  /** It answered 410. */
  | 'GONE'
  /** `updateWebhook` with `enabled: false`. */
  | 'MANUAL';

/** How requests to an endpoint are signed (Standard Webhooks). */
export type WebhookSignature =
  /** HMAC-SHA-256 with a shared secret, which begins with `whsec_`. */
  | 'V1'
  /** Ed25519. The receiver has the public key, which begins with `whpk_`. */
  | 'V1A';

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { subject: string, source: string | null, teams: Array<{ id: string, name: string | null, permissions: Array<Permission> }> } };

export type KeySettingsFragment = { name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, rateLimit: { limit: number, windowSeconds: number } | null };

export type KeyRowFragment = { id: string, name: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, rotatedAt: string | null, expiresAt: string | null, externalId: string | null, responsible: string | null, description: string | null, allowedIpsCount: number, revision: string, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, rateLimit: { limit: number, windowSeconds: number } | null, leak: { secret: RecentSecret, prefix: string, reportedAt: string } | null };

export type KeyDetailsFragment = { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null };

export type OneKeyQueryVariables = Exact<{
  id: string;
}>;


export type OneKeyQuery = { key: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null } };

export type KeyListQueryVariables = Exact<{
  teamId: string;
  first: number;
  after?: string | null | undefined;
  filter?: KeyFilter | null | undefined;
  orderBy?: KeyOrder | null | undefined;
  withTags?: boolean | null | undefined;
  withScopes?: boolean | null | undefined;
  withCreator?: boolean | null | undefined;
}>;


export type KeyListQuery = { keys: { nodes: Array<{ tags?: Array<string>, scopes?: Array<string>, createdBy?: string | null, id: string, name: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, rotatedAt: string | null, expiresAt: string | null, externalId: string | null, responsible: string | null, description: string | null, allowedIpsCount: number, revision: string, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, rateLimit: { limit: number, windowSeconds: number } | null, leak: { secret: RecentSecret, prefix: string, reportedAt: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type KeyCountQueryVariables = Exact<{
  teamId: string;
  filter?: KeyFilter | null | undefined;
}>;


export type KeyCountQuery = { keys: { totalCount: number, totalCountIsPartial: boolean } };

export type StateCountsQueryVariables = Exact<{
  teamId: string;
  filter?: KeyFilter | null | undefined;
}>;


export type StateCountsQuery = { keysOverview: { active: number, expired: number, disabled: number, leaked: number, revoked: number, expiringSoon: number, isPartial: boolean } };

export type KeyValuesQueryVariables = Exact<{
  teamId: string;
  field: KeyValueField;
  filter?: KeyFilter | null | undefined;
  search?: string | null | undefined;
}>;


export type KeyValuesQuery = { keyValues: { hasMore: boolean, values: Array<{ value: string, count: number }> } };

export type KeyCallsQueryVariables = Exact<{
  teamId: string;
  first: number;
  after?: string | null | undefined;
  filter?: KeyFilter | null | undefined;
  orderBy?: KeyOrder | null | undefined;
}>;


export type KeyCallsQuery = { keys: { nodes: Array<{ id: string, callsByDay: Array<number> | null }> } };

export type MatchingKeysQueryVariables = Exact<{
  teamId: string;
  first: number;
  after?: string | null | undefined;
  filter?: KeyFilter | null | undefined;
}>;


export type MatchingKeysQuery = { keys: { nodes: Array<{ tags: Array<string>, id: string, name: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, rotatedAt: string | null, expiresAt: string | null, externalId: string | null, responsible: string | null, description: string | null, allowedIpsCount: number, revision: string, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, rateLimit: { limit: number, windowSeconds: number } | null, leak: { secret: RecentSecret, prefix: string, reportedAt: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type FindKeysQueryVariables = Exact<{
  text: string;
  teamId?: string | null | undefined;
}>;


export type FindKeysQuery = { findKeys: { hint: string | null, linkable: string | null, keys: Array<{ match: KeyMatch, apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, expiresAt: string | null } }> } };

export type ExportedKeysQueryVariables = Exact<{
  teamId: string;
  first: number;
  after?: string | null | undefined;
  filter?: KeyFilter | null | undefined;
  orderBy?: KeyOrder | null | undefined;
}>;


export type ExportedKeysQuery = { keys: { nodes: Array<{ id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type FirstStepsQueryVariables = Exact<{
  teamId: string;
}>;


export type FirstStepsQuery = { keys: { nodes: Array<{ id: string, name: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, lastUsedAt: string | null }> } };

export type KnownLabelsQueryVariables = Exact<{
  teamId: string;
  first: number;
}>;


export type KnownLabelsQuery = { keys: { nodes: Array<{ scopes: Array<string>, tags: Array<string> }> } };

export type KeyUsageQueryVariables = Exact<{
  keyId: string;
  from: string;
  to: string;
}>;


export type KeyUsageQuery = { usage: Array<{ hour: string, code: VerdictCode, count: number }> };

export type SourceDetailsFragment = { address: string, secret: SecretStanding, firstAt: string, lastAt: string, acceptedByDay: Array<number>, rejectedByDay: Array<number>, counts: Array<{ code: VerdictCode, count: number }> };

export type SourcesFragment = { observedSources: Array<{ address: string, secret: SecretStanding, firstAt: string, lastAt: string, acceptedByDay: Array<number>, rejectedByDay: Array<number>, counts: Array<{ code: VerdictCode, count: number }> }>, unlistedSources: Array<{ secret: SecretStanding, lastAt: string }> };

export type KeyRotationQueryVariables = Exact<{
  keyId: string;
}>;


export type KeyRotationQuery = { key: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, secrets: Array<{ current: boolean, prefix: string, expiresAt: string | null, lastUsedAt: string | null }>, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null }, observedSources: Array<{ address: string, secret: SecretStanding, firstAt: string, lastAt: string, acceptedByDay: Array<number>, rejectedByDay: Array<number>, counts: Array<{ code: VerdictCode, count: number }> }>, unlistedSources: Array<{ secret: SecretStanding, lastAt: string }> };

export type ObservedSourcesQueryVariables = Exact<{
  keyId: string;
}>;


export type ObservedSourcesQuery = { observedSources: Array<{ address: string, secret: SecretStanding, firstAt: string, lastAt: string, acceptedByDay: Array<number>, rejectedByDay: Array<number>, counts: Array<{ code: VerdictCode, count: number }> }>, unlistedSources: Array<{ secret: SecretStanding, lastAt: string }> };

export type AddressActivityQueryVariables = Exact<{
  teamId: string;
  address: string;
}>;


export type AddressActivityQuery = { addressActivity: Array<{ accepted: number, rejected: number, firstAt: string, lastAt: string, apiKey: { id: string, name: string, prefix: string, env: KeyEnv, state: KeyState, expiresAt: string | null } }> };

export type PreviewAllowedIpsQueryVariables = Exact<{
  keyId: string;
  allowedIps: Array<string> | string;
}>;


export type PreviewAllowedIpsQuery = { previewAllowedIps: { accepted: Array<{ address: string, secret: SecretStanding, lastAt: string }>, rejected: Array<{ address: string, secret: SecretStanding, lastAt: string }>, unlisted: Array<{ secret: SecretStanding, lastAt: string }> } };

export type TeamOverviewQueryVariables = Exact<{
  teamId: string;
}>;


export type TeamOverviewQuery = { keysOverview: { active: number, expired: number, disabled: number, leaked: number, violating: number, expiringSoon: number, neverUsed: number, unusedFor90Days: number, isPartial: boolean, at: string } };

export type TeamUsageQueryVariables = Exact<{
  teamId: string;
  from: string;
  to: string;
}>;


export type TeamUsageQuery = { teamUsage: Array<{ hour: string, code: VerdictCode, count: number }> };

export type ExplainVerificationQueryVariables = Exact<{
  input: ExplainVerificationInput;
}>;


export type ExplainVerificationQuery = { explainVerification: { code: VerdictCode, apiKey: { id: string, name: string, prefix: string } | null, checks: Array<{ name: VerificationCheckName, outcome: VerificationCheckOutcome, explanation: string }>, signature: { failedCheck: SignatureCheckName | null, reason: string | null, signatureBase: string | null } | null } };

export type CreateKeyMutationVariables = Exact<{
  input: CreateKeyInput;
  idempotencyKey: string;
}>;


export type CreateKeyMutation = { createKey: { secret: string, signingSecret: string | null, apiKey: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type UpdateKeyMutationVariables = Exact<{
  id: string;
  input: UpdateKeyInput;
  ifRevision?: Array<string | number> | string | number | null | undefined;
}>;


export type UpdateKeyMutation = { updateKey: { apiKey: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type ChangeKeysMutationVariables = Exact<{
  teamId: string;
  action: KeysAction;
  keys: Array<KeyToChangeInput> | KeyToChangeInput;
  reason?: string | null | undefined;
}>;


export type ChangeKeysMutation = { changeKeys: { results: Array<{ outcome: KeyChangeOutcome, apiKey: { revision: string } | null, policyViolations: Array<{ rule: string, field: string, message: string }> }> } };

export type DisableKeyMutationVariables = Exact<{
  id: string;
  reason?: string | null | undefined;
}>;


export type DisableKeyMutation = { disableKey: { apiKey: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type EnableKeyMutationVariables = Exact<{
  id: string;
  reason?: string | null | undefined;
}>;


export type EnableKeyMutation = { enableKey: { apiKey: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type RevokeKeyMutationVariables = Exact<{
  id: string;
}>;


export type RevokeKeyMutation = { revokeKey: { apiKey: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type RotateKeyMutationVariables = Exact<{
  id: string;
  overlapSeconds: number;
  ifRevision?: Array<string | number> | string | number | null | undefined;
}>;


export type RotateKeyMutation = { rotateKey: { secret: string, apiKey: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type EndOverlapMutationVariables = Exact<{
  id: string;
}>;


export type EndOverlapMutation = { endOverlap: { apiKey: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type EnableSigningMutationVariables = Exact<{
  id: string;
}>;


export type EnableSigningMutation = { enableSigning: { signingSecret: string, apiKey: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type RotateSigningSecretMutationVariables = Exact<{
  id: string;
  overlapSeconds: number;
}>;


export type RotateSigningSecretMutation = { rotateSigningSecret: { signingSecret: string, apiKey: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type DisableSigningMutationVariables = Exact<{
  id: string;
}>;


export type DisableSigningMutation = { disableSigning: { apiKey: { id: string, teamId: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, tripwire: boolean, allowedIpsCount: number, createdBy: string | null, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, disabledAt: string | null, rotatedAt: string | null, revision: string, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, name: string, description: string | null, allowedIps: Array<string>, expiresAt: string | null, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, leak: { secret: RecentSecret, prefix: string, reportedAt: string, reporter: string | null, source: string | null, url: string | null, places: number } | null, policyViolations: Array<{ rule: string, field: string, message: string }>, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type TeamTrailQueryVariables = Exact<{
  teamId: string;
  keyId?: string | null | undefined;
  action?: Array<AuditAction> | AuditAction | null | undefined;
  actor?: string | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type TeamTrailQuery = { auditLog: { nodes: Array<{ id: string, action: AuditAction, keyId: string, keyName: string | null, actor: string, actorKind: ActorKind | null, source: string | null, requestId: string, at: string, details: unknown, changes: Array<{ field: string, before: unknown, after: unknown, added: Array<string> | null, removed: Array<string> | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type DeedFragment = { id: string, action: AuditAction, actor: string, actorKind: ActorKind | null, at: string, changes: Array<{ field: string, after: unknown }> };

export type KeyOriginQueryVariables = Exact<{
  teamId: string;
  keyId: string;
  causes: Array<AuditAction> | AuditAction;
}>;


export type KeyOriginQuery = { created: { nodes: Array<{ id: string, action: AuditAction, actor: string, actorKind: ActorKind | null, at: string, changes: Array<{ field: string, after: unknown }> }> }, causes: { nodes: Array<{ id: string, action: AuditAction, actor: string, actorKind: ActorKind | null, at: string, changes: Array<{ field: string, after: unknown }> }> } };

export type ImportKeysMutationVariables = Exact<{
  teamId: string;
  keys: Array<ImportKeyInput> | ImportKeyInput;
  dryRun: boolean;
}>;


export type ImportKeysMutation = { importKeys: { results: Array<{ outcome: ImportOutcome, apiKey: { id: string, prefix: string } | null, policyViolations: Array<{ rule: string, field: string, message: string }> }> } };

export type RejectedKeysQueryVariables = Exact<{
  teamId: string;
  from: string;
  to: string;
}>;


export type RejectedKeysQuery = { rejectedKeys: Array<{ count: number, apiKey: { id: string, name: string }, counts: Array<{ code: VerdictCode, count: number }> }> };

export type WebhookDetailsFragment = { id: string, url: string, description: string | null, types: Array<string>, form: EventForm, signature: WebhookSignature, publicKey: string | null, createdAt: string, disabledAt: string | null, disabledReason: WebhookDisabledReason | null, previousSecretExpiresAt: string | null, lastDelivery: { outcome: DeliveryOutcome, status: number | null, attemptedAt: string | null } | null, health: { delivered: number, retrying: number, failed: number, disablesAt: string | null } };

export type DeliveryDetailsFragment = { eventId: string, type: string, keyId: string, keyName: string | null, outcome: DeliveryOutcome, attempts: number, status: number | null, error: string | null, durationMs: number | null, responseBody: string | null, createdAt: string, attemptedAt: string | null, nextAttemptAt: string | null };

export type WebhooksQueryVariables = Exact<{
  teamId: string;
}>;


export type WebhooksQuery = { webhooks: Array<{ id: string, url: string, description: string | null, types: Array<string>, form: EventForm, signature: WebhookSignature, publicKey: string | null, createdAt: string, disabledAt: string | null, disabledReason: WebhookDisabledReason | null, previousSecretExpiresAt: string | null, lastDelivery: { outcome: DeliveryOutcome, status: number | null, attemptedAt: string | null } | null, health: { delivered: number, retrying: number, failed: number, disablesAt: string | null } }> };

export type DeliveriesQueryVariables = Exact<{
  webhookId: string;
  outcome?: DeliveryOutcome | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type DeliveriesQuery = { deliveries: { nodes: Array<{ eventId: string, type: string, keyId: string, keyName: string | null, outcome: DeliveryOutcome, attempts: number, status: number | null, error: string | null, durationMs: number | null, responseBody: string | null, createdAt: string, attemptedAt: string | null, nextAttemptAt: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type CreateWebhookMutation = { createWebhook: { secret: string, webhook: { id: string, url: string, description: string | null, types: Array<string>, form: EventForm, signature: WebhookSignature, publicKey: string | null, createdAt: string, disabledAt: string | null, disabledReason: WebhookDisabledReason | null, previousSecretExpiresAt: string | null, lastDelivery: { outcome: DeliveryOutcome, status: number | null, attemptedAt: string | null } | null, health: { delivered: number, retrying: number, failed: number, disablesAt: string | null } } } };

export type UpdateWebhookMutationVariables = Exact<{
  id: string;
  input: UpdateWebhookInput;
}>;


export type UpdateWebhookMutation = { updateWebhook: { webhook: { id: string } } };

export type DeleteWebhookMutationVariables = Exact<{
  id: string;
}>;


export type DeleteWebhookMutation = { deleteWebhook: { id: string } };

export type RotateWebhookSecretMutationVariables = Exact<{
  id: string;
  overlapSeconds: number;
}>;


export type RotateWebhookSecretMutation = { rotateWebhookSecret: { secret: string, webhook: { id: string, url: string, description: string | null, types: Array<string>, form: EventForm, signature: WebhookSignature, publicKey: string | null, createdAt: string, disabledAt: string | null, disabledReason: WebhookDisabledReason | null, previousSecretExpiresAt: string | null, lastDelivery: { outcome: DeliveryOutcome, status: number | null, attemptedAt: string | null } | null, health: { delivered: number, retrying: number, failed: number, disablesAt: string | null } } } };

export type SendTestEventMutationVariables = Exact<{
  id: string;
}>;


export type SendTestEventMutation = { sendTestEvent: { delivery: { eventId: string, type: string, keyId: string, keyName: string | null, outcome: DeliveryOutcome, attempts: number, status: number | null, error: string | null, durationMs: number | null, responseBody: string | null, createdAt: string, attemptedAt: string | null, nextAttemptAt: string | null } } };

export type ReplayEventsMutationVariables = Exact<{
  webhookId: string;
  eventIds?: Array<string | number> | string | number | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
  failed?: boolean;
}>;


export type ReplayEventsMutation = { replayEvents: { count: number } };

export type LeakPolicyQueryVariables = Exact<{
  teamId: string;
}>;


export type LeakPolicyQuery = { leakPolicy: LeakPolicyAction };

export type SetLeakPolicyMutationVariables = Exact<{
  teamId: string;
  policy: LeakPolicyAction;
}>;


export type SetLeakPolicyMutation = { setLeakPolicy: { policy: LeakPolicyAction } };

export type ManagementKeyDetailsFragment = { id: string, name: string, prefix: string, permissions: Array<Permission>, allowedIps: Array<string>, expiresAt: string, state: ManagementKeyState, signingEnabled: boolean, createdAt: string, createdBy: string, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null };

export type ManagementKeysQueryVariables = Exact<{
  teamId: string;
}>;


export type ManagementKeysQuery = { managementKeys: Array<{ id: string, name: string, prefix: string, permissions: Array<Permission>, allowedIps: Array<string>, expiresAt: string, state: ManagementKeyState, signingEnabled: boolean, createdAt: string, createdBy: string, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null }> };

export type OneManagementKeyQueryVariables = Exact<{
  id: string;
}>;


export type OneManagementKeyQuery = { managementKey: { id: string, name: string, prefix: string, permissions: Array<Permission>, allowedIps: Array<string>, expiresAt: string, state: ManagementKeyState, signingEnabled: boolean, createdAt: string, createdBy: string, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null, observedSources: Array<{ address: string, secret: SecretStanding, firstAt: string, lastAt: string, acceptedByDay: Array<number>, rejectedByDay: Array<number>, counts: Array<{ code: VerdictCode, count: number }> }> } };

export type CreateManagementKeyMutationVariables = Exact<{
  input: CreateManagementKeyInput;
}>;


export type CreateManagementKeyMutation = { createManagementKey: { secret: string, signingSecret: string | null, managementKey: { id: string, name: string, prefix: string } } };

export type RotateManagementKeyMutationVariables = Exact<{
  id: string;
  overlapSeconds: number;
}>;


export type RotateManagementKeyMutation = { rotateManagementKey: { secret: string, managementKey: { name: string, prefix: string } } };

export type RevokeManagementKeyMutationVariables = Exact<{
  id: string;
}>;


export type RevokeManagementKeyMutation = { revokeManagementKey: { managementKey: { id: string } } };

export type TrustRulesQueryVariables = Exact<{
  teamId: string;
}>;


export type TrustRulesQuery = { trustRules: Array<{ id: string, name: string, issuer: string, audience: string, claims: unknown, permissions: Array<Permission>, once: boolean, createdAt: string, createdBy: string, lastUsedAt: string | null }> };

export type TrustedIssuersQueryVariables = Exact<{ [key: string]: never; }>;


export type TrustedIssuersQuery = { trustedIssuers: Array<string> };

export type CreateTrustRuleMutationVariables = Exact<{
  input: CreateTrustRuleInput;
}>;


export type CreateTrustRuleMutation = { createTrustRule: { trustRule: { id: string, name: string } } };

export type DeleteTrustRuleMutationVariables = Exact<{
  id: string;
}>;


export type DeleteTrustRuleMutation = { deleteTrustRule: { id: string } };

export type RulesFragment = { maxLifetimeSeconds: number | null, requireExpiry: boolean, requireAllowedIps: boolean, requireSigning: boolean, maxSecretAgeSeconds: number | null, scopes: Array<{ name: string, description: string | null }> | null, maxRateLimit: { limit: number, windowSeconds: number } | null };

export type KeyPoliciesQueryVariables = Exact<{
  teamId: string;
}>;


export type KeyPoliciesQuery = { keyPolicies: Array<{ teamId: string, env: KeyEnv, maxLifetimeSeconds: number | null, requireExpiry: boolean, requireAllowedIps: boolean, requireSigning: boolean, maxSecretAgeSeconds: number | null, enforceAfter: string | null, changedAt: string | null, scopes: Array<{ name: string, description: string | null }> | null, maxRateLimit: { limit: number, windowSeconds: number } | null, effective: { maxLifetimeSeconds: number | null, requireExpiry: boolean, requireAllowedIps: boolean, requireSigning: boolean, maxSecretAgeSeconds: number | null, scopes: Array<{ name: string, description: string | null }> | null, maxRateLimit: { limit: number, windowSeconds: number } | null }, defaults: { lifetimeSeconds: number | null, allowedIps: Array<string>, scopes: Array<string>, rateLimit: { limit: number, windowSeconds: number } | null } }>, policyBounds: { maxLifetimeSeconds: number | null, requireExpiry: boolean, requireAllowedIps: boolean, requireSigning: boolean, maxSecretAgeSeconds: number | null, scopes: Array<{ name: string, description: string | null }> | null, maxRateLimit: { limit: number, windowSeconds: number } | null } };

export type SetKeyPolicyMutationVariables = Exact<{
  input: SetKeyPolicyInput;
}>;


export type SetKeyPolicyMutation = { setKeyPolicy: { policy: { env: KeyEnv } } };

export type MembersQueryVariables = Exact<{
  teamId: string;
  state?: Array<MemberState> | MemberState | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type MembersQuery = { members: { nodes: Array<{ subject: string, state: MemberState, seenAt: string, leftAt: string | null, keyCount: number }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type HandOverKeysMutationVariables = Exact<{
  teamId: string;
  from: string;
  to: string;
}>;


export type HandOverKeysMutation = { handOverKeys: { hasMore: boolean, results: Array<{ outcome: KeyChangeOutcome }> } };

export type ImportMembersMutationVariables = Exact<{
  input: ImportMembersInput;
}>;


export type ImportMembersMutation = { importMembers: { added: number, left: number, hasMore: boolean } };

export type RemoveMemberMutationVariables = Exact<{
  teamId: string;
  subject: string;
}>;


export type RemoveMemberMutation = { removeMember: { member: { subject: string } } };

export type FencesQueryVariables = Exact<{
  teamId: string;
}>;


export type FencesQuery = { fences: Array<{ id: string, reason: string, env: KeyEnv | null, tags: Array<string>, externalId: string | null, responsible: string | null, createdBefore: string | null, until: string | null, createdAt: string, createdBy: string }> };

export type FreezeKeysMutationVariables = Exact<{
  input: FreezeKeysInput;
}>;


export type FreezeKeysMutation = { freezeKeys: { revision: string | null, keys: number | null, calls: number | null } };

export type UnfreezeKeysMutationVariables = Exact<{
  id: string;
}>;


export type UnfreezeKeysMutation = { unfreezeKeys: { id: string } };

export type ReceiptQueryVariables = Exact<{
  revision: string | number;
}>;


export type ReceiptQuery = { receipt: { statement: unknown, payload: string, protected: string, signature: string } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const KeyRowFragmentDoc = new TypedDocumentString(`
    fragment KeyRow on ApiKey {
  id
  name
  env
  prefix
  state
  signingEnabled
  lastUsedAt
  createdAt
  rotatedAt
  expiresAt
  externalId
  responsible
  description
  allowedIpsCount
  rateLimit {
    limit
    windowSeconds
  }
  revision
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
  }
}
    `, {"fragmentName":"KeyRow"}) as unknown as TypedDocumentString<KeyRowFragment, unknown>;
export const KeySettingsFragmentDoc = new TypedDocumentString(`
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
    `, {"fragmentName":"KeySettings"}) as unknown as TypedDocumentString<KeySettingsFragment, unknown>;
export const KeyDetailsFragmentDoc = new TypedDocumentString(`
    fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}`, {"fragmentName":"KeyDetails"}) as unknown as TypedDocumentString<KeyDetailsFragment, unknown>;
export const SourceDetailsFragmentDoc = new TypedDocumentString(`
    fragment SourceDetails on ObservedSource {
  address
  secret
  firstAt
  lastAt
  counts {
    code
    count
  }
  acceptedByDay
  rejectedByDay
}
    `, {"fragmentName":"SourceDetails"}) as unknown as TypedDocumentString<SourceDetailsFragment, unknown>;
export const SourcesFragmentDoc = new TypedDocumentString(`
    fragment Sources on Query {
  observedSources(keyId: $keyId) {
    ...SourceDetails
  }
  unlistedSources(keyId: $keyId) {
    secret
    lastAt
  }
}
    fragment SourceDetails on ObservedSource {
  address
  secret
  firstAt
  lastAt
  counts {
    code
    count
  }
  acceptedByDay
  rejectedByDay
}`, {"fragmentName":"Sources"}) as unknown as TypedDocumentString<SourcesFragment, unknown>;
export const DeedFragmentDoc = new TypedDocumentString(`
    fragment Deed on AuditEntry {
  id
  action
  actor
  actorKind
  at
  changes {
    field
    after
  }
}
    `, {"fragmentName":"Deed"}) as unknown as TypedDocumentString<DeedFragment, unknown>;
export const WebhookDetailsFragmentDoc = new TypedDocumentString(`
    fragment WebhookDetails on Webhook {
  id
  url
  description
  types
  form
  signature
  publicKey
  createdAt
  disabledAt
  disabledReason
  previousSecretExpiresAt
  lastDelivery {
    outcome
    status
    attemptedAt
  }
  health {
    delivered
    retrying
    failed
    disablesAt
  }
}
    `, {"fragmentName":"WebhookDetails"}) as unknown as TypedDocumentString<WebhookDetailsFragment, unknown>;
export const DeliveryDetailsFragmentDoc = new TypedDocumentString(`
    fragment DeliveryDetails on Delivery {
  eventId
  type
  keyId
  keyName
  outcome
  attempts
  status
  error
  durationMs
  responseBody
  createdAt
  attemptedAt
  nextAttemptAt
}
    `, {"fragmentName":"DeliveryDetails"}) as unknown as TypedDocumentString<DeliveryDetailsFragment, unknown>;
export const ManagementKeyDetailsFragmentDoc = new TypedDocumentString(`
    fragment ManagementKeyDetails on ManagementKey {
  id
  name
  prefix
  permissions
  allowedIps
  expiresAt
  state
  signingEnabled
  createdAt
  createdBy
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  lastUsedAt
  revokedAt
}
    `, {"fragmentName":"ManagementKeyDetails"}) as unknown as TypedDocumentString<ManagementKeyDetailsFragment, unknown>;
export const RulesFragmentDoc = new TypedDocumentString(`
    fragment Rules on PolicyRules {
  maxLifetimeSeconds
  requireExpiry
  requireAllowedIps
  requireSigning
  maxSecretAgeSeconds
  scopes {
    name
    description
  }
  maxRateLimit {
    limit
    windowSeconds
  }
}
    `, {"fragmentName":"Rules"}) as unknown as TypedDocumentString<RulesFragment, unknown>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    subject
    source
    teams {
      id
      name
      permissions
    }
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const OneKeyDocument = new TypedDocumentString(`
    query OneKey($id: UUID!) {
  key(id: $id) {
    ...KeyDetails
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<OneKeyQuery, OneKeyQueryVariables>;
export const KeyListDocument = new TypedDocumentString(`
    query KeyList($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder, $withTags: Boolean = false, $withScopes: Boolean = false, $withCreator: Boolean = false) {
  keys(
    teamId: $teamId
    first: $first
    after: $after
    filter: $filter
    orderBy: $orderBy
  ) {
    nodes {
      ...KeyRow
      tags @include(if: $withTags)
      scopes @include(if: $withScopes)
      createdBy @include(if: $withCreator)
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment KeyRow on ApiKey {
  id
  name
  env
  prefix
  state
  signingEnabled
  lastUsedAt
  createdAt
  rotatedAt
  expiresAt
  externalId
  responsible
  description
  allowedIpsCount
  rateLimit {
    limit
    windowSeconds
  }
  revision
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
  }
}`) as unknown as TypedDocumentString<KeyListQuery, KeyListQueryVariables>;
export const KeyCountDocument = new TypedDocumentString(`
    query KeyCount($teamId: UUID!, $filter: KeyFilter) {
  keys(teamId: $teamId, first: 1, filter: $filter) {
    totalCount
    totalCountIsPartial
  }
}
    `) as unknown as TypedDocumentString<KeyCountQuery, KeyCountQueryVariables>;
export const StateCountsDocument = new TypedDocumentString(`
    query StateCounts($teamId: UUID!, $filter: KeyFilter) {
  keysOverview(teamId: $teamId, filter: $filter) {
    active
    expired
    disabled
    leaked
    revoked
    expiringSoon
    isPartial
  }
}
    `) as unknown as TypedDocumentString<StateCountsQuery, StateCountsQueryVariables>;
export const KeyValuesDocument = new TypedDocumentString(`
    query KeyValues($teamId: UUID!, $field: KeyValueField!, $filter: KeyFilter, $search: String) {
  keyValues(teamId: $teamId, field: $field, filter: $filter, search: $search) {
    values {
      value
      count
    }
    hasMore
  }
}
    `) as unknown as TypedDocumentString<KeyValuesQuery, KeyValuesQueryVariables>;
export const KeyCallsDocument = new TypedDocumentString(`
    query KeyCalls($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
  keys(
    teamId: $teamId
    first: $first
    after: $after
    filter: $filter
    orderBy: $orderBy
  ) {
    nodes {
      id
      callsByDay
    }
  }
}
    `) as unknown as TypedDocumentString<KeyCallsQuery, KeyCallsQueryVariables>;
export const MatchingKeysDocument = new TypedDocumentString(`
    query MatchingKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter) {
  keys(teamId: $teamId, first: $first, after: $after, filter: $filter) {
    nodes {
      ...KeyRow
      tags
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment KeyRow on ApiKey {
  id
  name
  env
  prefix
  state
  signingEnabled
  lastUsedAt
  createdAt
  rotatedAt
  expiresAt
  externalId
  responsible
  description
  allowedIpsCount
  rateLimit {
    limit
    windowSeconds
  }
  revision
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
  }
}`) as unknown as TypedDocumentString<MatchingKeysQuery, MatchingKeysQueryVariables>;
export const FindKeysDocument = new TypedDocumentString(`
    query FindKeys($text: String!, $teamId: UUID) {
  findKeys(text: $text, teamId: $teamId) {
    hint
    linkable
    keys {
      match
      apiKey {
        id
        teamId
        name
        env
        prefix
        state
        expiresAt
      }
    }
  }
}
    `) as unknown as TypedDocumentString<FindKeysQuery, FindKeysQueryVariables>;
export const ExportedKeysDocument = new TypedDocumentString(`
    query ExportedKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
  keys(
    teamId: $teamId
    first: $first
    after: $after
    filter: $filter
    orderBy: $orderBy
  ) {
    nodes {
      ...KeyDetails
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<ExportedKeysQuery, ExportedKeysQueryVariables>;
export const FirstStepsDocument = new TypedDocumentString(`
    query FirstSteps($teamId: UUID!) {
  keys(
    teamId: $teamId
    first: 1
    filter: {state: [ACTIVE, EXPIRED, DISABLED, REVOKED]}
  ) {
    nodes {
      id
      name
      env
      prefix
      state
      signingEnabled
      lastUsedAt
    }
  }
}
    `) as unknown as TypedDocumentString<FirstStepsQuery, FirstStepsQueryVariables>;
export const KnownLabelsDocument = new TypedDocumentString(`
    query KnownLabels($teamId: UUID!, $first: Int!) {
  keys(teamId: $teamId, first: $first) {
    nodes {
      scopes
      tags
    }
  }
}
    `) as unknown as TypedDocumentString<KnownLabelsQuery, KnownLabelsQueryVariables>;
export const KeyUsageDocument = new TypedDocumentString(`
    query KeyUsage($keyId: UUID!, $from: DateTime!, $to: DateTime!) {
  usage(keyId: $keyId, from: $from, to: $to) {
    hour
    code
    count
  }
}
    `) as unknown as TypedDocumentString<KeyUsageQuery, KeyUsageQueryVariables>;
export const KeyRotationDocument = new TypedDocumentString(`
    query KeyRotation($keyId: UUID!) {
  key(id: $keyId) {
    ...KeyDetails
    secrets {
      current
      prefix
      expiresAt
      lastUsedAt
    }
  }
  ...Sources
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}
fragment SourceDetails on ObservedSource {
  address
  secret
  firstAt
  lastAt
  counts {
    code
    count
  }
  acceptedByDay
  rejectedByDay
}
fragment Sources on Query {
  observedSources(keyId: $keyId) {
    ...SourceDetails
  }
  unlistedSources(keyId: $keyId) {
    secret
    lastAt
  }
}`) as unknown as TypedDocumentString<KeyRotationQuery, KeyRotationQueryVariables>;
export const ObservedSourcesDocument = new TypedDocumentString(`
    query ObservedSources($keyId: UUID!) {
  ...Sources
}
    fragment SourceDetails on ObservedSource {
  address
  secret
  firstAt
  lastAt
  counts {
    code
    count
  }
  acceptedByDay
  rejectedByDay
}
fragment Sources on Query {
  observedSources(keyId: $keyId) {
    ...SourceDetails
  }
  unlistedSources(keyId: $keyId) {
    secret
    lastAt
  }
}`) as unknown as TypedDocumentString<ObservedSourcesQuery, ObservedSourcesQueryVariables>;
export const AddressActivityDocument = new TypedDocumentString(`
    query AddressActivity($teamId: UUID!, $address: String!) {
  addressActivity(teamId: $teamId, address: $address) {
    apiKey {
      id
      name
      prefix
      env
      state
      expiresAt
    }
    accepted
    rejected
    firstAt
    lastAt
  }
}
    `) as unknown as TypedDocumentString<AddressActivityQuery, AddressActivityQueryVariables>;
export const PreviewAllowedIpsDocument = new TypedDocumentString(`
    query PreviewAllowedIps($keyId: UUID!, $allowedIps: [String!]!) {
  previewAllowedIps(keyId: $keyId, allowedIps: $allowedIps) {
    accepted {
      address
      secret
      lastAt
    }
    rejected {
      address
      secret
      lastAt
    }
    unlisted {
      secret
      lastAt
    }
  }
}
    `) as unknown as TypedDocumentString<PreviewAllowedIpsQuery, PreviewAllowedIpsQueryVariables>;
export const TeamOverviewDocument = new TypedDocumentString(`
    query TeamOverview($teamId: UUID!) {
  keysOverview(teamId: $teamId) {
    active
    expired
    disabled
    leaked
    violating
    expiringSoon
    neverUsed
    unusedFor90Days
    isPartial
    at
  }
}
    `) as unknown as TypedDocumentString<TeamOverviewQuery, TeamOverviewQueryVariables>;
export const TeamUsageDocument = new TypedDocumentString(`
    query TeamUsage($teamId: UUID!, $from: DateTime!, $to: DateTime!) {
  teamUsage(teamId: $teamId, from: $from, to: $to) {
    hour
    code
    count
  }
}
    `) as unknown as TypedDocumentString<TeamUsageQuery, TeamUsageQueryVariables>;
export const ExplainVerificationDocument = new TypedDocumentString(`
    query ExplainVerification($input: ExplainVerificationInput!) {
  explainVerification(input: $input) {
    code
    apiKey {
      id
      name
      prefix
    }
    checks {
      name
      outcome
      explanation
    }
    signature {
      failedCheck
      reason
      signatureBase
    }
  }
}
    `) as unknown as TypedDocumentString<ExplainVerificationQuery, ExplainVerificationQueryVariables>;
export const CreateKeyDocument = new TypedDocumentString(`
    mutation CreateKey($input: CreateKeyInput!, $idempotencyKey: String!) {
  createKey(input: $input, idempotencyKey: $idempotencyKey) {
    apiKey {
      ...KeyDetails
    }
    secret
    signingSecret
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<CreateKeyMutation, CreateKeyMutationVariables>;
export const UpdateKeyDocument = new TypedDocumentString(`
    mutation UpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {
  updateKey(id: $id, input: $input, ifRevision: $ifRevision) {
    apiKey {
      ...KeyDetails
    }
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<UpdateKeyMutation, UpdateKeyMutationVariables>;
export const ChangeKeysDocument = new TypedDocumentString(`
    mutation ChangeKeys($teamId: UUID!, $action: KeysAction!, $keys: [KeyToChangeInput!]!, $reason: String) {
  changeKeys(teamId: $teamId, action: $action, keys: $keys, reason: $reason) {
    results {
      outcome
      apiKey {
        revision
      }
      policyViolations {
        rule
        field
        message
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ChangeKeysMutation, ChangeKeysMutationVariables>;
export const DisableKeyDocument = new TypedDocumentString(`
    mutation DisableKey($id: UUID!, $reason: String) {
  disableKey(id: $id, reason: $reason) {
    apiKey {
      ...KeyDetails
    }
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<DisableKeyMutation, DisableKeyMutationVariables>;
export const EnableKeyDocument = new TypedDocumentString(`
    mutation EnableKey($id: UUID!, $reason: String) {
  enableKey(id: $id, reason: $reason) {
    apiKey {
      ...KeyDetails
    }
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<EnableKeyMutation, EnableKeyMutationVariables>;
export const RevokeKeyDocument = new TypedDocumentString(`
    mutation RevokeKey($id: UUID!) {
  revokeKey(id: $id) {
    apiKey {
      ...KeyDetails
    }
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<RevokeKeyMutation, RevokeKeyMutationVariables>;
export const RotateKeyDocument = new TypedDocumentString(`
    mutation RotateKey($id: UUID!, $overlapSeconds: Int!, $ifRevision: [ID!]) {
  rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) {
    apiKey {
      ...KeyDetails
    }
    secret
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<RotateKeyMutation, RotateKeyMutationVariables>;
export const EndOverlapDocument = new TypedDocumentString(`
    mutation EndOverlap($id: UUID!) {
  endOverlap(id: $id) {
    apiKey {
      ...KeyDetails
    }
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<EndOverlapMutation, EndOverlapMutationVariables>;
export const EnableSigningDocument = new TypedDocumentString(`
    mutation EnableSigning($id: UUID!) {
  enableSigning(id: $id) {
    apiKey {
      ...KeyDetails
    }
    signingSecret
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<EnableSigningMutation, EnableSigningMutationVariables>;
export const RotateSigningSecretDocument = new TypedDocumentString(`
    mutation RotateSigningSecret($id: UUID!, $overlapSeconds: Int!) {
  rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) {
    apiKey {
      ...KeyDetails
    }
    signingSecret
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<RotateSigningSecretMutation, RotateSigningSecretMutationVariables>;
export const DisableSigningDocument = new TypedDocumentString(`
    mutation DisableSigning($id: UUID!) {
  disableSigning(id: $id) {
    apiKey {
      ...KeyDetails
    }
  }
}
    fragment KeySettings on ApiKey {
  name
  description
  allowedIps
  expiresAt
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
}
fragment KeyDetails on ApiKey {
  ...KeySettings
  id
  teamId
  env
  prefix
  state
  signingEnabled
  tripwire
  allowedIpsCount
  createdBy
  lastUsedAt
  createdAt
  revokedAt
  disabledAt
  rotatedAt
  revision
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  leak {
    secret
    prefix
    reportedAt
    reporter
    source
    url
    places
  }
  policyViolations {
    rule
    field
    message
  }
}`) as unknown as TypedDocumentString<DisableSigningMutation, DisableSigningMutationVariables>;
export const TeamTrailDocument = new TypedDocumentString(`
    query TeamTrail($teamId: UUID!, $keyId: UUID, $action: [AuditAction!], $actor: String, $from: DateTime, $to: DateTime, $first: Int!, $after: String) {
  auditLog(
    teamId: $teamId
    keyId: $keyId
    action: $action
    actor: $actor
    from: $from
    to: $to
    first: $first
    after: $after
  ) {
    nodes {
      id
      action
      keyId
      keyName
      actor
      actorKind
      source
      requestId
      at
      changes {
        field
        before
        after
        added
        removed
      }
      details
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<TeamTrailQuery, TeamTrailQueryVariables>;
export const KeyOriginDocument = new TypedDocumentString(`
    query KeyOrigin($teamId: UUID!, $keyId: UUID!, $causes: [AuditAction!]!) {
  created: auditLog(
    teamId: $teamId
    keyId: $keyId
    action: [KEY_CREATED, KEY_IMPORTED]
    first: 1
  ) {
    nodes {
      ...Deed
    }
  }
  causes: auditLog(teamId: $teamId, keyId: $keyId, action: $causes, first: 20) {
    nodes {
      ...Deed
    }
  }
}
    fragment Deed on AuditEntry {
  id
  action
  actor
  actorKind
  at
  changes {
    field
    after
  }
}`) as unknown as TypedDocumentString<KeyOriginQuery, KeyOriginQueryVariables>;
export const ImportKeysDocument = new TypedDocumentString(`
    mutation ImportKeys($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {
  importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) {
    results {
      outcome
      apiKey {
        id
        prefix
      }
      policyViolations {
        rule
        field
        message
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ImportKeysMutation, ImportKeysMutationVariables>;
export const RejectedKeysDocument = new TypedDocumentString(`
    query RejectedKeys($teamId: UUID!, $from: DateTime!, $to: DateTime!) {
  rejectedKeys(teamId: $teamId, from: $from, to: $to) {
    apiKey {
      id
      name
    }
    count
    counts {
      code
      count
    }
  }
}
    `) as unknown as TypedDocumentString<RejectedKeysQuery, RejectedKeysQueryVariables>;
export const WebhooksDocument = new TypedDocumentString(`
    query Webhooks($teamId: UUID!) {
  webhooks(teamId: $teamId) {
    ...WebhookDetails
  }
}
    fragment WebhookDetails on Webhook {
  id
  url
  description
  types
  form
  signature
  publicKey
  createdAt
  disabledAt
  disabledReason
  previousSecretExpiresAt
  lastDelivery {
    outcome
    status
    attemptedAt
  }
  health {
    delivered
    retrying
    failed
    disablesAt
  }
}`) as unknown as TypedDocumentString<WebhooksQuery, WebhooksQueryVariables>;
export const DeliveriesDocument = new TypedDocumentString(`
    query Deliveries($webhookId: UUID!, $outcome: DeliveryOutcome, $first: Int!, $after: String) {
  deliveries(
    webhookId: $webhookId
    outcome: $outcome
    first: $first
    after: $after
  ) {
    nodes {
      ...DeliveryDetails
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment DeliveryDetails on Delivery {
  eventId
  type
  keyId
  keyName
  outcome
  attempts
  status
  error
  durationMs
  responseBody
  createdAt
  attemptedAt
  nextAttemptAt
}`) as unknown as TypedDocumentString<DeliveriesQuery, DeliveriesQueryVariables>;
export const CreateWebhookDocument = new TypedDocumentString(`
    mutation CreateWebhook($input: CreateWebhookInput!) {
  createWebhook(input: $input) {
    webhook {
      ...WebhookDetails
    }
    secret
  }
}
    fragment WebhookDetails on Webhook {
  id
  url
  description
  types
  form
  signature
  publicKey
  createdAt
  disabledAt
  disabledReason
  previousSecretExpiresAt
  lastDelivery {
    outcome
    status
    attemptedAt
  }
  health {
    delivered
    retrying
    failed
    disablesAt
  }
}`) as unknown as TypedDocumentString<CreateWebhookMutation, CreateWebhookMutationVariables>;
export const UpdateWebhookDocument = new TypedDocumentString(`
    mutation UpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {
  updateWebhook(id: $id, input: $input) {
    webhook {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<UpdateWebhookMutation, UpdateWebhookMutationVariables>;
export const DeleteWebhookDocument = new TypedDocumentString(`
    mutation DeleteWebhook($id: UUID!) {
  deleteWebhook(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteWebhookMutation, DeleteWebhookMutationVariables>;
export const RotateWebhookSecretDocument = new TypedDocumentString(`
    mutation RotateWebhookSecret($id: UUID!, $overlapSeconds: Int!) {
  rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) {
    webhook {
      ...WebhookDetails
    }
    secret
  }
}
    fragment WebhookDetails on Webhook {
  id
  url
  description
  types
  form
  signature
  publicKey
  createdAt
  disabledAt
  disabledReason
  previousSecretExpiresAt
  lastDelivery {
    outcome
    status
    attemptedAt
  }
  health {
    delivered
    retrying
    failed
    disablesAt
  }
}`) as unknown as TypedDocumentString<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables>;
export const SendTestEventDocument = new TypedDocumentString(`
    mutation SendTestEvent($id: UUID!) {
  sendTestEvent(id: $id) {
    delivery {
      ...DeliveryDetails
    }
  }
}
    fragment DeliveryDetails on Delivery {
  eventId
  type
  keyId
  keyName
  outcome
  attempts
  status
  error
  durationMs
  responseBody
  createdAt
  attemptedAt
  nextAttemptAt
}`) as unknown as TypedDocumentString<SendTestEventMutation, SendTestEventMutationVariables>;
export const ReplayEventsDocument = new TypedDocumentString(`
    mutation ReplayEvents($webhookId: UUID!, $eventIds: [ID!], $from: DateTime, $to: DateTime, $failed: Boolean! = false) {
  replayEvents(
    webhookId: $webhookId
    eventIds: $eventIds
    from: $from
    to: $to
    failed: $failed
  ) {
    count
  }
}
    `) as unknown as TypedDocumentString<ReplayEventsMutation, ReplayEventsMutationVariables>;
export const LeakPolicyDocument = new TypedDocumentString(`
    query LeakPolicy($teamId: UUID!) {
  leakPolicy(teamId: $teamId)
}
    `) as unknown as TypedDocumentString<LeakPolicyQuery, LeakPolicyQueryVariables>;
export const SetLeakPolicyDocument = new TypedDocumentString(`
    mutation SetLeakPolicy($teamId: UUID!, $policy: LeakPolicyAction!) {
  setLeakPolicy(teamId: $teamId, policy: $policy) {
    policy
  }
}
    `) as unknown as TypedDocumentString<SetLeakPolicyMutation, SetLeakPolicyMutationVariables>;
export const ManagementKeysDocument = new TypedDocumentString(`
    query ManagementKeys($teamId: UUID!) {
  managementKeys(teamId: $teamId) {
    ...ManagementKeyDetails
  }
}
    fragment ManagementKeyDetails on ManagementKey {
  id
  name
  prefix
  permissions
  allowedIps
  expiresAt
  state
  signingEnabled
  createdAt
  createdBy
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  lastUsedAt
  revokedAt
}`) as unknown as TypedDocumentString<ManagementKeysQuery, ManagementKeysQueryVariables>;
export const OneManagementKeyDocument = new TypedDocumentString(`
    query OneManagementKey($id: UUID!) {
  managementKey(id: $id) {
    ...ManagementKeyDetails
    observedSources {
      ...SourceDetails
    }
  }
}
    fragment SourceDetails on ObservedSource {
  address
  secret
  firstAt
  lastAt
  counts {
    code
    count
  }
  acceptedByDay
  rejectedByDay
}
fragment ManagementKeyDetails on ManagementKey {
  id
  name
  prefix
  permissions
  allowedIps
  expiresAt
  state
  signingEnabled
  createdAt
  createdBy
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  lastUsedAt
  revokedAt
}`) as unknown as TypedDocumentString<OneManagementKeyQuery, OneManagementKeyQueryVariables>;
export const CreateManagementKeyDocument = new TypedDocumentString(`
    mutation CreateManagementKey($input: CreateManagementKeyInput!) {
  createManagementKey(input: $input) {
    managementKey {
      id
      name
      prefix
    }
    secret
    signingSecret
  }
}
    `) as unknown as TypedDocumentString<CreateManagementKeyMutation, CreateManagementKeyMutationVariables>;
export const RotateManagementKeyDocument = new TypedDocumentString(`
    mutation RotateManagementKey($id: UUID!, $overlapSeconds: Int!) {
  rotateManagementKey(id: $id, overlapSeconds: $overlapSeconds) {
    managementKey {
      name
      prefix
    }
    secret
  }
}
    `) as unknown as TypedDocumentString<RotateManagementKeyMutation, RotateManagementKeyMutationVariables>;
export const RevokeManagementKeyDocument = new TypedDocumentString(`
    mutation RevokeManagementKey($id: UUID!) {
  revokeManagementKey(id: $id) {
    managementKey {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<RevokeManagementKeyMutation, RevokeManagementKeyMutationVariables>;
export const TrustRulesDocument = new TypedDocumentString(`
    query TrustRules($teamId: UUID!) {
  trustRules(teamId: $teamId) {
    id
    name
    issuer
    audience
    claims
    permissions
    once
    createdAt
    createdBy
    lastUsedAt
  }
}
    `) as unknown as TypedDocumentString<TrustRulesQuery, TrustRulesQueryVariables>;
export const TrustedIssuersDocument = new TypedDocumentString(`
    query TrustedIssuers {
  trustedIssuers
}
    `) as unknown as TypedDocumentString<TrustedIssuersQuery, TrustedIssuersQueryVariables>;
export const CreateTrustRuleDocument = new TypedDocumentString(`
    mutation CreateTrustRule($input: CreateTrustRuleInput!) {
  createTrustRule(input: $input) {
    trustRule {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<CreateTrustRuleMutation, CreateTrustRuleMutationVariables>;
export const DeleteTrustRuleDocument = new TypedDocumentString(`
    mutation DeleteTrustRule($id: UUID!) {
  deleteTrustRule(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteTrustRuleMutation, DeleteTrustRuleMutationVariables>;
export const KeyPoliciesDocument = new TypedDocumentString(`
    query KeyPolicies($teamId: UUID!) {
  keyPolicies(teamId: $teamId) {
    teamId
    env
    maxLifetimeSeconds
    requireExpiry
    requireAllowedIps
    requireSigning
    maxSecretAgeSeconds
    scopes {
      name
      description
    }
    maxRateLimit {
      limit
      windowSeconds
    }
    effective {
      ...Rules
    }
    defaults {
      lifetimeSeconds
      allowedIps
      scopes
      rateLimit {
        limit
        windowSeconds
      }
    }
    enforceAfter
    changedAt
  }
  policyBounds {
    ...Rules
  }
}
    fragment Rules on PolicyRules {
  maxLifetimeSeconds
  requireExpiry
  requireAllowedIps
  requireSigning
  maxSecretAgeSeconds
  scopes {
    name
    description
  }
  maxRateLimit {
    limit
    windowSeconds
  }
}`) as unknown as TypedDocumentString<KeyPoliciesQuery, KeyPoliciesQueryVariables>;
export const SetKeyPolicyDocument = new TypedDocumentString(`
    mutation SetKeyPolicy($input: SetKeyPolicyInput!) {
  setKeyPolicy(input: $input) {
    policy {
      env
    }
  }
}
    `) as unknown as TypedDocumentString<SetKeyPolicyMutation, SetKeyPolicyMutationVariables>;
export const MembersDocument = new TypedDocumentString(`
    query Members($teamId: UUID!, $state: [MemberState!], $first: Int!, $after: String) {
  members(teamId: $teamId, state: $state, first: $first, after: $after) {
    nodes {
      subject
      state
      seenAt
      leftAt
      keyCount
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<MembersQuery, MembersQueryVariables>;
export const HandOverKeysDocument = new TypedDocumentString(`
    mutation HandOverKeys($teamId: UUID!, $from: String!, $to: String!) {
  handOverKeys(teamId: $teamId, from: $from, to: $to) {
    results {
      outcome
    }
    hasMore
  }
}
    `) as unknown as TypedDocumentString<HandOverKeysMutation, HandOverKeysMutationVariables>;
export const ImportMembersDocument = new TypedDocumentString(`
    mutation ImportMembers($input: ImportMembersInput!) {
  importMembers(input: $input) {
    added
    left
    hasMore
  }
}
    `) as unknown as TypedDocumentString<ImportMembersMutation, ImportMembersMutationVariables>;
export const RemoveMemberDocument = new TypedDocumentString(`
    mutation RemoveMember($teamId: UUID!, $subject: String!) {
  removeMember(teamId: $teamId, subject: $subject) {
    member {
      subject
    }
  }
}
    `) as unknown as TypedDocumentString<RemoveMemberMutation, RemoveMemberMutationVariables>;
export const FencesDocument = new TypedDocumentString(`
    query Fences($teamId: UUID!) {
  fences(teamId: $teamId) {
    id
    reason
    env
    tags
    externalId
    responsible
    createdBefore
    until
    createdAt
    createdBy
  }
}
    `) as unknown as TypedDocumentString<FencesQuery, FencesQueryVariables>;
export const FreezeKeysDocument = new TypedDocumentString(`
    mutation FreezeKeys($input: FreezeKeysInput!) {
  freezeKeys(input: $input) {
    revision
    keys
    calls
  }
}
    `) as unknown as TypedDocumentString<FreezeKeysMutation, FreezeKeysMutationVariables>;
export const UnfreezeKeysDocument = new TypedDocumentString(`
    mutation UnfreezeKeys($id: UUID!) {
  unfreezeKeys(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<UnfreezeKeysMutation, UnfreezeKeysMutationVariables>;
export const ReceiptDocument = new TypedDocumentString(`
    query Receipt($revision: ID!) {
  receipt(revision: $revision) {
    statement
    payload
    protected
    signature
  }
}
    `) as unknown as TypedDocumentString<ReceiptQuery, ReceiptQueryVariables>;