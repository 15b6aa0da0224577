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

/** What a key with an external ID is to be. */
export type PutKeyInput = {
  /** The only sources that can use the key, as in `UpdateKeyInput`. Absent, null or empty: every source can. */
  allowedIps?: Array<string> | null | undefined;
  /** A text for people, such as where the key is used: 1 to 500 characters after trimming, none of them invisible. */
  description?: string | null | undefined;
  /** The SHA-256 of the secret, in hexadecimal or base64, with or without a leading `sha256:`. The secret is `<tag>_<env>_c_` with 8 random characters of base62, `_`, 43 more, and the checksum of all before it: `latchkey keys new-secret` makes one. Absent or null: the answer that creates the key has a secret, and later calls leave it as it is. */
  digest?: string | null | undefined;
  /** The environment of the key. */
  env: KeyEnv;
  /** When the key stops working: in the future, before the year 10000. Absent or null: never. */
  expiresAt?: string | null | undefined;
  /** The customer or service that the key belongs to: 1 to 255 characters after trimming, none of them invisible. */
  externalId: string;
  /** A JSON object of at most 4,096 bytes, nested at most 8 levels deep. */
  metadata?: unknown;
  /** A label for people: 1 to 100 characters after trimming, none of them invisible. */
  name: string;
  /** For how many seconds the previous secret is accepted too, if the digest is another one: 0 to 2,592,000 (30 days). */
  overlapSeconds?: number;
  /** The first part of that secret, such as `lk_live_c_4fJx81Qz`, by which people recognize it. Absent or null: one is generated. */
  prefix?: string | null | undefined;
  /** The rate limit. Absent or null: none. */
  rateLimit?: RateLimitInput | null | undefined;
  /** Who answers questions about the key: the subject of a session, or the name of a team, 1 to 255 characters after trimming, none of them invisible. Absent: the caller that creates the key, if it is a person; later calls leave it as it is. Null: no one. */
  responsible?: string | null | undefined;
  /** The scopes of the key: at most 50 different ones of 1 to 100 characters, each a scope-token of RFC 6749, section 3.3. */
  scopes?: Array<string> | null | undefined;
  /** At most 20 different labels of 1 to 64 characters after trimming, none of them invisible. */
  tags?: Array<string> | null | undefined;
  /** The team that owns the key. */
  teamId: string;
};

/** The rate limit of a key. */
export type RateLimitInput = {
  /** The number of accepted requests in each window: 1 to 1,000,000. */
  limit: number;
  /** The length of a window in seconds: 1 to 86,400 (1 day). */
  windowSeconds: number;
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

export type CliKeyFragment = { id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null };

export type CliViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type CliViewerQuery = { viewer: { subject: string, teams: Array<{ id: string, name: string | null, permissions: Array<Permission> }> } };

export type CliReadKeyQueryVariables = Exact<{
  id: string;
}>;


export type CliReadKeyQuery = { key: { tripwire: boolean, id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null } };

export type CliListKeysQueryVariables = Exact<{
  teamId: string;
  first: number;
  after?: string | null | undefined;
  filter?: KeyFilter | null | undefined;
  orderBy?: KeyOrder | null | undefined;
}>;


export type CliListKeysQuery = { keys: { nodes: Array<{ id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CliListKeyIdsQueryVariables = Exact<{
  teamId: string;
  first: number;
  after?: string | null | undefined;
  filter?: KeyFilter | null | undefined;
  orderBy?: KeyOrder | null | undefined;
}>;


export type CliListKeyIdsQuery = { keys: { nodes: Array<{ id: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CliCountKeysQueryVariables = Exact<{
  teamId: string;
  filter?: KeyFilter | null | undefined;
}>;


export type CliCountKeysQuery = { keys: { totalCount: number } };

export type CliCreateKeyMutationVariables = Exact<{
  input: CreateKeyInput;
}>;


export type CliCreateKeyMutation = { createKey: { secret: string, signingSecret: string | null, apiKey: { id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type CliPutKeyMutationVariables = Exact<{
  input: PutKeyInput;
  ifRevision?: Array<string | number> | string | number | null | undefined;
  ifExists?: boolean | null | undefined;
}>;


export type CliPutKeyMutation = { putKey: { created: boolean, secret: string | null, apiKey: { id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type CliImportKeysMutationVariables = Exact<{
  teamId: string;
  keys: Array<ImportKeyInput> | ImportKeyInput;
  dryRun: boolean;
}>;


export type CliImportKeysMutation = { importKeys: { results: Array<{ outcome: ImportOutcome, apiKey: { id: string, prefix: string } | null, policyViolations: Array<{ field: string, message: string, rule: string }> }> } };

export type CliExportAuditLogQueryVariables = Exact<{
  teamId: string;
  first: number;
  after?: string | null | undefined;
}>;


export type CliExportAuditLogQuery = { auditLog: { nodes: Array<{ id: string, action: AuditAction, keyId: string, keyName: string | null, teamId: string, actor: string, actorKind: ActorKind | null, source: string | null, requestId: string, at: string, changes: Array<{ field: string, before: unknown, after: unknown, added: Array<string> | null, removed: Array<string> | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CliExportUsageQueryVariables = Exact<{
  teamId: string;
  from: string;
  to: string;
}>;


export type CliExportUsageQuery = { teamUsage: Array<{ hour: string, code: VerdictCode, count: number }> };

export type CliUpdateKeyMutationVariables = Exact<{
  id: string;
  input: UpdateKeyInput;
}>;


export type CliUpdateKeyMutation = { changed: { apiKey: { id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type CliRotateKeyMutationVariables = Exact<{
  id: string;
  overlapSeconds: number;
}>;


export type CliRotateKeyMutation = { changed: { secret: string, apiKey: { id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type CliEndOverlapMutationVariables = Exact<{
  id: string;
}>;


export type CliEndOverlapMutation = { changed: { apiKey: { id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type CliDisableKeyMutationVariables = Exact<{
  id: string;
  reason?: string | null | undefined;
}>;


export type CliDisableKeyMutation = { changed: { apiKey: { id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type CliEnableKeyMutationVariables = Exact<{
  id: string;
  reason?: string | null | undefined;
}>;


export type CliEnableKeyMutation = { changed: { apiKey: { id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type CliRevokeKeyMutationVariables = Exact<{
  id: string;
}>;


export type CliRevokeKeyMutation = { changed: { apiKey: { id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type CliObservedSourcesQueryVariables = Exact<{
  keyId: string;
}>;


export type CliObservedSourcesQuery = { observedSources: Array<{ address: string, secret: SecretStanding, firstAt: string, lastAt: string, counts: Array<{ code: VerdictCode, count: number }> }>, unlistedSources: Array<{ lastAt: string }> };

export type CliEnableSigningMutationVariables = Exact<{
  id: string;
}>;


export type CliEnableSigningMutation = { changed: { signingSecret: string, apiKey: { id: string } } };

export type CliRotateSigningSecretMutationVariables = Exact<{
  id: string;
  overlapSeconds: number;
}>;


export type CliRotateSigningSecretMutation = { changed: { signingSecret: string, apiKey: { id: string } } };

export type CliDisableSigningMutationVariables = Exact<{
  id: string;
}>;


export type CliDisableSigningMutation = { changed: { apiKey: { id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, responsible: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type CliLeakPolicyQueryVariables = Exact<{
  teamId: string;
}>;


export type CliLeakPolicyQuery = { policy: LeakPolicyAction };

export type CliSetLeakPolicyMutationVariables = Exact<{
  teamId: string;
  policy: LeakPolicyAction;
}>;


export type CliSetLeakPolicyMutation = { changed: { policy: LeakPolicyAction } };

export type CliManagementKeyFragment = { id: string, teamId: string, name: string, prefix: string, permissions: Array<Permission>, allowedIps: Array<string>, expiresAt: string, state: ManagementKeyState, signingEnabled: boolean, createdAt: string, createdBy: string, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null };

export type CliManagementKeysQueryVariables = Exact<{
  teamId: string;
}>;


export type CliManagementKeysQuery = { managementKeys: Array<{ id: string, teamId: string, name: string, prefix: string, permissions: Array<Permission>, allowedIps: Array<string>, expiresAt: string, state: ManagementKeyState, signingEnabled: boolean, createdAt: string, createdBy: string, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null }> };

export type CliCreateManagementKeyMutationVariables = Exact<{
  input: CreateManagementKeyInput;
}>;


export type CliCreateManagementKeyMutation = { issued: { secret: string, signingSecret: string | null, managementKey: { id: string, teamId: string, name: string, prefix: string, permissions: Array<Permission>, allowedIps: Array<string>, expiresAt: string, state: ManagementKeyState, signingEnabled: boolean, createdAt: string, createdBy: string, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null } } };

export type CliRotateManagementKeyMutationVariables = Exact<{
  id: string;
  overlapSeconds: number;
}>;


export type CliRotateManagementKeyMutation = { issued: { secret: string, managementKey: { id: string, teamId: string, name: string, prefix: string, permissions: Array<Permission>, allowedIps: Array<string>, expiresAt: string, state: ManagementKeyState, signingEnabled: boolean, createdAt: string, createdBy: string, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null } } };

export type CliRevokeManagementKeyMutationVariables = Exact<{
  id: string;
}>;


export type CliRevokeManagementKeyMutation = { revoked: { managementKey: { id: string, teamId: string, name: string, prefix: string, permissions: Array<Permission>, allowedIps: Array<string>, expiresAt: string, state: ManagementKeyState, signingEnabled: boolean, createdAt: string, createdBy: string, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null } } };

export type CliTrustRuleFragment = { id: string, teamId: string, name: string, issuer: string, audience: string, claims: unknown, permissions: Array<Permission>, once: boolean, createdAt: string, createdBy: string, lastUsedAt: string | null };

export type CliTrustRulesQueryVariables = Exact<{
  teamId: string;
}>;


export type CliTrustRulesQuery = { trustRules: Array<{ id: string, teamId: string, name: string, issuer: string, audience: string, claims: unknown, permissions: Array<Permission>, once: boolean, createdAt: string, createdBy: string, lastUsedAt: string | null }> };

export type CliCreateTrustRuleMutationVariables = Exact<{
  input: CreateTrustRuleInput;
}>;


export type CliCreateTrustRuleMutation = { createTrustRule: { trustRule: { id: string, teamId: string, name: string, issuer: string, audience: string, claims: unknown, permissions: Array<Permission>, once: boolean, createdAt: string, createdBy: string, lastUsedAt: string | null } } };

export type CliDeleteTrustRuleMutationVariables = Exact<{
  id: string;
}>;


export type CliDeleteTrustRuleMutation = { deleteTrustRule: { id: string } };

export type CliMemberFragment = { subject: string, state: MemberState, seenAt: string, leftAt: string | null, keyCount: number };

export type CliMembersQueryVariables = Exact<{
  teamId: string;
  state?: Array<MemberState> | MemberState | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type CliMembersQuery = { members: { nodes: Array<{ subject: string, state: MemberState, seenAt: string, leftAt: string | null, keyCount: number }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CliRemoveMemberMutationVariables = Exact<{
  teamId: string;
  subject: string;
}>;


export type CliRemoveMemberMutation = { removeMember: { member: { subject: string, state: MemberState, seenAt: string, leftAt: string | null, keyCount: number } } };

export type CliImportMembersMutationVariables = Exact<{
  input: ImportMembersInput;
}>;


export type CliImportMembersMutation = { importMembers: { added: number, left: number, hasMore: boolean } };

export type CliHandOverKeysMutationVariables = Exact<{
  teamId: string;
  from: string;
  to: string;
}>;


export type CliHandOverKeysMutation = { handOverKeys: { hasMore: boolean, results: Array<{ outcome: KeyChangeOutcome, apiKey: { id: string, name: string } | null }> } };

export type CliDeliveryFragment = { eventId: string, type: string, keyId: string, outcome: DeliveryOutcome, attempts: number, status: number | null, error: string | null, durationMs: number | null, responseBody: string | null, createdAt: string, attemptedAt: string | null, nextAttemptAt: string | null };

export type CliWebhookFragment = { id: string, teamId: string, url: string, description: string | null, types: Array<string>, form: EventForm, signature: WebhookSignature, publicKey: string | null, createdAt: string, disabledAt: string | null, disabledReason: WebhookDisabledReason | null, previousSecretExpiresAt: string | null };

export type CliReadWebhooksQueryVariables = Exact<{
  teamId: string;
}>;


export type CliReadWebhooksQuery = { webhooks: Array<{ id: string, teamId: string, url: string, description: string | null, types: Array<string>, form: EventForm, signature: WebhookSignature, publicKey: string | null, createdAt: string, disabledAt: string | null, disabledReason: WebhookDisabledReason | null, previousSecretExpiresAt: string | null, lastDelivery: { eventId: string, type: string, keyId: string, outcome: DeliveryOutcome, attempts: number, status: number | null, error: string | null, durationMs: number | null, responseBody: string | null, createdAt: string, attemptedAt: string | null, nextAttemptAt: string | null } | null }> };

export type CliCreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type CliCreateWebhookMutation = { issued: { secret: string, webhook: { id: string, teamId: string, url: string, description: string | null, types: Array<string>, form: EventForm, signature: WebhookSignature, publicKey: string | null, createdAt: string, disabledAt: string | null, disabledReason: WebhookDisabledReason | null, previousSecretExpiresAt: string | null } } };

export type CliUpdateWebhookMutationVariables = Exact<{
  id: string;
  input: UpdateWebhookInput;
}>;


export type CliUpdateWebhookMutation = { updateWebhook: { webhook: { id: string, teamId: string, url: string, description: string | null, types: Array<string>, form: EventForm, signature: WebhookSignature, publicKey: string | null, createdAt: string, disabledAt: string | null, disabledReason: WebhookDisabledReason | null, previousSecretExpiresAt: string | null } } };

export type CliDeleteWebhookMutationVariables = Exact<{
  id: string;
}>;


export type CliDeleteWebhookMutation = { deleteWebhook: { id: string } };

export type CliRotateWebhookSecretMutationVariables = Exact<{
  id: string;
  overlapSeconds: number;
}>;


export type CliRotateWebhookSecretMutation = { issued: { secret: string, webhook: { id: string, teamId: string, url: string, description: string | null, types: Array<string>, form: EventForm, signature: WebhookSignature, publicKey: string | null, createdAt: string, disabledAt: string | null, disabledReason: WebhookDisabledReason | null, previousSecretExpiresAt: string | null } } };

export type CliSendTestEventMutationVariables = Exact<{
  id: string;
}>;


export type CliSendTestEventMutation = { sendTestEvent: { delivery: { eventId: string, type: string, keyId: string, outcome: DeliveryOutcome, attempts: number, status: number | null, error: string | null, durationMs: number | null, responseBody: string | null, createdAt: string, attemptedAt: string | null, nextAttemptAt: string | null } } };

export type CliReadDeliveriesQueryVariables = Exact<{
  webhookId: string;
  outcome?: DeliveryOutcome | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type CliReadDeliveriesQuery = { deliveries: { nodes: Array<{ eventId: string, type: string, keyId: string, outcome: DeliveryOutcome, attempts: number, status: number | null, error: string | null, durationMs: number | null, responseBody: string | null, createdAt: string, attemptedAt: string | null, nextAttemptAt: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CliReplayEventsMutationVariables = Exact<{
  webhookId: string;
  eventIds?: Array<string | number> | string | number | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
  failed: boolean;
}>;


export type CliReplayEventsMutation = { replayEvents: { count: number } };

export type CliKeyPolicyQueryVariables = Exact<{
  teamId: string;
  env: KeyEnv;
}>;


export type CliKeyPolicyQuery = { keyPolicy: { maxLifetimeSeconds: number | null, requireExpiry: boolean, requireAllowedIps: boolean, requireSigning: boolean, maxSecretAgeSeconds: number | null, enforceAfter: string | null, scopes: Array<{ name: string, description: string | null }> | null, maxRateLimit: { limit: number, windowSeconds: number } | null, defaults: { lifetimeSeconds: number | null, allowedIps: Array<string>, scopes: Array<string>, rateLimit: { limit: number, windowSeconds: number } | null } } };

export type CliPolicyFragment = { maxLifetimeSeconds: number | null, requireExpiry: boolean, requireAllowedIps: boolean, requireSigning: boolean, maxSecretAgeSeconds: number | null, enforceAfter: string | null, scopes: Array<{ name: string, description: string | null }> | null, maxRateLimit: { limit: number, windowSeconds: number } | null, defaults: { lifetimeSeconds: number | null, allowedIps: Array<string>, scopes: Array<string>, rateLimit: { limit: number, windowSeconds: number } | null } };

export type CliSetKeyPolicyMutationVariables = Exact<{
  input: SetKeyPolicyInput;
}>;


export type CliSetKeyPolicyMutation = { set: { policy: { maxLifetimeSeconds: number | null, requireExpiry: boolean, requireAllowedIps: boolean, requireSigning: boolean, maxSecretAgeSeconds: number | null, enforceAfter: string | null, scopes: Array<{ name: string, description: string | null }> | null, maxRateLimit: { limit: number, windowSeconds: number } | null, defaults: { lifetimeSeconds: number | null, allowedIps: Array<string>, scopes: Array<string>, rateLimit: { limit: number, windowSeconds: number } | null } } } };

export type CliViolatingKeysQueryVariables = Exact<{
  teamId: string;
  after?: string | null | undefined;
}>;


export type CliViolatingKeysQuery = { keys: { nodes: Array<{ id: string, prefix: string, name: string, env: KeyEnv, policyViolations: Array<{ rule: string, field: string, message: string }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CliFenceFragment = { id: string, teamId: string, reason: string, env: KeyEnv | null, tags: Array<string>, externalId: string | null, responsible: string | null, createdBefore: string | null, until: string | null, createdAt: string, createdBy: string };

export type CliFencesQueryVariables = Exact<{
  teamId: string;
}>;


export type CliFencesQuery = { fences: Array<{ id: string, teamId: string, reason: string, env: KeyEnv | null, tags: Array<string>, externalId: string | null, responsible: string | null, createdBefore: string | null, until: string | null, createdAt: string, createdBy: string }> };

export type CliFreezeKeysMutationVariables = Exact<{
  input: FreezeKeysInput;
}>;


export type CliFreezeKeysMutation = { freezeKeys: { revision: string | null, keys: number | null, calls: number | null, fence: { id: string, teamId: string, reason: string, env: KeyEnv | null, tags: Array<string>, externalId: string | null, responsible: string | null, createdBefore: string | null, until: string | null, createdAt: string, createdBy: string } | null } };

export type CliUnfreezeKeysMutationVariables = Exact<{
  id: string;
}>;


export type CliUnfreezeKeysMutation = { unfreezeKeys: { id: string } };

export type CliReceiptQueryVariables = Exact<{
  revision: string | number;
}>;


export type CliReceiptQuery = { receipt: { statement: unknown, payload: string, protected: string, signature: string } };

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
export const CliKeyFragmentDoc = new TypedDocumentString(`
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}
    `, {"fragmentName":"CliKey"}) as unknown as TypedDocumentString<CliKeyFragment, unknown>;
export const CliManagementKeyFragmentDoc = new TypedDocumentString(`
    fragment CliManagementKey on ManagementKey {
  id
  teamId
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
    `, {"fragmentName":"CliManagementKey"}) as unknown as TypedDocumentString<CliManagementKeyFragment, unknown>;
export const CliTrustRuleFragmentDoc = new TypedDocumentString(`
    fragment CliTrustRule on TrustRule {
  id
  teamId
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
    `, {"fragmentName":"CliTrustRule"}) as unknown as TypedDocumentString<CliTrustRuleFragment, unknown>;
export const CliMemberFragmentDoc = new TypedDocumentString(`
    fragment CliMember on Member {
  subject
  state
  seenAt
  leftAt
  keyCount
}
    `, {"fragmentName":"CliMember"}) as unknown as TypedDocumentString<CliMemberFragment, unknown>;
export const CliDeliveryFragmentDoc = new TypedDocumentString(`
    fragment CliDelivery on Delivery {
  eventId
  type
  keyId
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
    `, {"fragmentName":"CliDelivery"}) as unknown as TypedDocumentString<CliDeliveryFragment, unknown>;
export const CliWebhookFragmentDoc = new TypedDocumentString(`
    fragment CliWebhook on Webhook {
  id
  teamId
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
}
    `, {"fragmentName":"CliWebhook"}) as unknown as TypedDocumentString<CliWebhookFragment, unknown>;
export const CliPolicyFragmentDoc = new TypedDocumentString(`
    fragment CliPolicy on KeyPolicy {
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
}
    `, {"fragmentName":"CliPolicy"}) as unknown as TypedDocumentString<CliPolicyFragment, unknown>;
export const CliFenceFragmentDoc = new TypedDocumentString(`
    fragment CliFence on Fence {
  id
  teamId
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
    `, {"fragmentName":"CliFence"}) as unknown as TypedDocumentString<CliFenceFragment, unknown>;
export const CliViewerDocument = new TypedDocumentString(`
    query CliViewer {
  viewer {
    subject
    teams {
      id
      name
      permissions
    }
  }
}
    `) as unknown as TypedDocumentString<CliViewerQuery, CliViewerQueryVariables>;
export const CliReadKeyDocument = new TypedDocumentString(`
    query CliReadKey($id: UUID!) {
  key(id: $id) {
    ...CliKey
    tripwire
  }
}
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}`) as unknown as TypedDocumentString<CliReadKeyQuery, CliReadKeyQueryVariables>;
export const CliListKeysDocument = new TypedDocumentString(`
    query CliListKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
  keys(
    teamId: $teamId
    first: $first
    after: $after
    filter: $filter
    orderBy: $orderBy
  ) {
    nodes {
      ...CliKey
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}`) as unknown as TypedDocumentString<CliListKeysQuery, CliListKeysQueryVariables>;
export const CliListKeyIdsDocument = new TypedDocumentString(`
    query CliListKeyIds($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
  keys(
    teamId: $teamId
    first: $first
    after: $after
    filter: $filter
    orderBy: $orderBy
  ) {
    nodes {
      id
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<CliListKeyIdsQuery, CliListKeyIdsQueryVariables>;
export const CliCountKeysDocument = new TypedDocumentString(`
    query CliCountKeys($teamId: UUID!, $filter: KeyFilter) {
  keys(teamId: $teamId, first: 1, filter: $filter) {
    totalCount
  }
}
    `) as unknown as TypedDocumentString<CliCountKeysQuery, CliCountKeysQueryVariables>;
export const CliCreateKeyDocument = new TypedDocumentString(`
    mutation CliCreateKey($input: CreateKeyInput!) {
  createKey(input: $input) {
    apiKey {
      ...CliKey
    }
    secret
    signingSecret
  }
}
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}`) as unknown as TypedDocumentString<CliCreateKeyMutation, CliCreateKeyMutationVariables>;
export const CliPutKeyDocument = new TypedDocumentString(`
    mutation CliPutKey($input: PutKeyInput!, $ifRevision: [ID!], $ifExists: Boolean) {
  putKey(input: $input, ifRevision: $ifRevision, ifExists: $ifExists) {
    apiKey {
      ...CliKey
    }
    created
    secret
  }
}
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}`) as unknown as TypedDocumentString<CliPutKeyMutation, CliPutKeyMutationVariables>;
export const CliImportKeysDocument = new TypedDocumentString(`
    mutation CliImportKeys($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {
  importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) {
    results {
      outcome
      apiKey {
        id
        prefix
      }
      policyViolations {
        field
        message
        rule
      }
    }
  }
}
    `) as unknown as TypedDocumentString<CliImportKeysMutation, CliImportKeysMutationVariables>;
export const CliExportAuditLogDocument = new TypedDocumentString(`
    query CliExportAuditLog($teamId: UUID!, $first: Int!, $after: String) {
  auditLog(teamId: $teamId, first: $first, after: $after) {
    nodes {
      id
      action
      keyId
      keyName
      teamId
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
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<CliExportAuditLogQuery, CliExportAuditLogQueryVariables>;
export const CliExportUsageDocument = new TypedDocumentString(`
    query CliExportUsage($teamId: UUID!, $from: DateTime!, $to: DateTime!) {
  teamUsage(teamId: $teamId, from: $from, to: $to) {
    hour
    code
    count
  }
}
    `) as unknown as TypedDocumentString<CliExportUsageQuery, CliExportUsageQueryVariables>;
export const CliUpdateKeyDocument = new TypedDocumentString(`
    mutation CliUpdateKey($id: UUID!, $input: UpdateKeyInput!) {
  changed: updateKey(id: $id, input: $input) {
    apiKey {
      ...CliKey
    }
  }
}
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}`) as unknown as TypedDocumentString<CliUpdateKeyMutation, CliUpdateKeyMutationVariables>;
export const CliRotateKeyDocument = new TypedDocumentString(`
    mutation CliRotateKey($id: UUID!, $overlapSeconds: Int!) {
  changed: rotateKey(id: $id, overlapSeconds: $overlapSeconds) {
    apiKey {
      ...CliKey
    }
    secret
  }
}
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}`) as unknown as TypedDocumentString<CliRotateKeyMutation, CliRotateKeyMutationVariables>;
export const CliEndOverlapDocument = new TypedDocumentString(`
    mutation CliEndOverlap($id: UUID!) {
  changed: endOverlap(id: $id) {
    apiKey {
      ...CliKey
    }
  }
}
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}`) as unknown as TypedDocumentString<CliEndOverlapMutation, CliEndOverlapMutationVariables>;
export const CliDisableKeyDocument = new TypedDocumentString(`
    mutation CliDisableKey($id: UUID!, $reason: String) {
  changed: disableKey(id: $id, reason: $reason) {
    apiKey {
      ...CliKey
    }
  }
}
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}`) as unknown as TypedDocumentString<CliDisableKeyMutation, CliDisableKeyMutationVariables>;
export const CliEnableKeyDocument = new TypedDocumentString(`
    mutation CliEnableKey($id: UUID!, $reason: String) {
  changed: enableKey(id: $id, reason: $reason) {
    apiKey {
      ...CliKey
    }
  }
}
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}`) as unknown as TypedDocumentString<CliEnableKeyMutation, CliEnableKeyMutationVariables>;
export const CliRevokeKeyDocument = new TypedDocumentString(`
    mutation CliRevokeKey($id: UUID!) {
  changed: revokeKey(id: $id) {
    apiKey {
      ...CliKey
    }
  }
}
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}`) as unknown as TypedDocumentString<CliRevokeKeyMutation, CliRevokeKeyMutationVariables>;
export const CliObservedSourcesDocument = new TypedDocumentString(`
    query CliObservedSources($keyId: UUID!) {
  observedSources(keyId: $keyId) {
    address
    secret
    firstAt
    lastAt
    counts {
      code
      count
    }
  }
  unlistedSources(keyId: $keyId) {
    lastAt
  }
}
    `) as unknown as TypedDocumentString<CliObservedSourcesQuery, CliObservedSourcesQueryVariables>;
export const CliEnableSigningDocument = new TypedDocumentString(`
    mutation CliEnableSigning($id: UUID!) {
  changed: enableSigning(id: $id) {
    apiKey {
      id
    }
    signingSecret
  }
}
    `) as unknown as TypedDocumentString<CliEnableSigningMutation, CliEnableSigningMutationVariables>;
export const CliRotateSigningSecretDocument = new TypedDocumentString(`
    mutation CliRotateSigningSecret($id: UUID!, $overlapSeconds: Int!) {
  changed: rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) {
    apiKey {
      id
    }
    signingSecret
  }
}
    `) as unknown as TypedDocumentString<CliRotateSigningSecretMutation, CliRotateSigningSecretMutationVariables>;
export const CliDisableSigningDocument = new TypedDocumentString(`
    mutation CliDisableSigning($id: UUID!) {
  changed: disableSigning(id: $id) {
    apiKey {
      ...CliKey
    }
  }
}
    fragment CliKey on ApiKey {
  id
  teamId
  name
  description
  env
  prefix
  state
  allowedIps
  scopes
  externalId
  responsible
  tags
  metadata
  rateLimit {
    limit
    windowSeconds
  }
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  disabledAt
  rotatedAt
  previousPrefix
  previousSecretExpiresAt
  previousSigningSecretExpiresAt
  revokedAt
  revision
}`) as unknown as TypedDocumentString<CliDisableSigningMutation, CliDisableSigningMutationVariables>;
export const CliLeakPolicyDocument = new TypedDocumentString(`
    query CliLeakPolicy($teamId: UUID!) {
  policy: leakPolicy(teamId: $teamId)
}
    `) as unknown as TypedDocumentString<CliLeakPolicyQuery, CliLeakPolicyQueryVariables>;
export const CliSetLeakPolicyDocument = new TypedDocumentString(`
    mutation CliSetLeakPolicy($teamId: UUID!, $policy: LeakPolicyAction!) {
  changed: setLeakPolicy(teamId: $teamId, policy: $policy) {
    policy
  }
}
    `) as unknown as TypedDocumentString<CliSetLeakPolicyMutation, CliSetLeakPolicyMutationVariables>;
export const CliManagementKeysDocument = new TypedDocumentString(`
    query CliManagementKeys($teamId: UUID!) {
  managementKeys(teamId: $teamId) {
    ...CliManagementKey
  }
}
    fragment CliManagementKey on ManagementKey {
  id
  teamId
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
}`) as unknown as TypedDocumentString<CliManagementKeysQuery, CliManagementKeysQueryVariables>;
export const CliCreateManagementKeyDocument = new TypedDocumentString(`
    mutation CliCreateManagementKey($input: CreateManagementKeyInput!) {
  issued: createManagementKey(input: $input) {
    managementKey {
      ...CliManagementKey
    }
    secret
    signingSecret
  }
}
    fragment CliManagementKey on ManagementKey {
  id
  teamId
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
}`) as unknown as TypedDocumentString<CliCreateManagementKeyMutation, CliCreateManagementKeyMutationVariables>;
export const CliRotateManagementKeyDocument = new TypedDocumentString(`
    mutation CliRotateManagementKey($id: UUID!, $overlapSeconds: Int!) {
  issued: rotateManagementKey(id: $id, overlapSeconds: $overlapSeconds) {
    managementKey {
      ...CliManagementKey
    }
    secret
  }
}
    fragment CliManagementKey on ManagementKey {
  id
  teamId
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
}`) as unknown as TypedDocumentString<CliRotateManagementKeyMutation, CliRotateManagementKeyMutationVariables>;
export const CliRevokeManagementKeyDocument = new TypedDocumentString(`
    mutation CliRevokeManagementKey($id: UUID!) {
  revoked: revokeManagementKey(id: $id) {
    managementKey {
      ...CliManagementKey
    }
  }
}
    fragment CliManagementKey on ManagementKey {
  id
  teamId
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
}`) as unknown as TypedDocumentString<CliRevokeManagementKeyMutation, CliRevokeManagementKeyMutationVariables>;
export const CliTrustRulesDocument = new TypedDocumentString(`
    query CliTrustRules($teamId: UUID!) {
  trustRules(teamId: $teamId) {
    ...CliTrustRule
  }
}
    fragment CliTrustRule on TrustRule {
  id
  teamId
  name
  issuer
  audience
  claims
  permissions
  once
  createdAt
  createdBy
  lastUsedAt
}`) as unknown as TypedDocumentString<CliTrustRulesQuery, CliTrustRulesQueryVariables>;
export const CliCreateTrustRuleDocument = new TypedDocumentString(`
    mutation CliCreateTrustRule($input: CreateTrustRuleInput!) {
  createTrustRule(input: $input) {
    trustRule {
      ...CliTrustRule
    }
  }
}
    fragment CliTrustRule on TrustRule {
  id
  teamId
  name
  issuer
  audience
  claims
  permissions
  once
  createdAt
  createdBy
  lastUsedAt
}`) as unknown as TypedDocumentString<CliCreateTrustRuleMutation, CliCreateTrustRuleMutationVariables>;
export const CliDeleteTrustRuleDocument = new TypedDocumentString(`
    mutation CliDeleteTrustRule($id: UUID!) {
  deleteTrustRule(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<CliDeleteTrustRuleMutation, CliDeleteTrustRuleMutationVariables>;
export const CliMembersDocument = new TypedDocumentString(`
    query CliMembers($teamId: UUID!, $state: [MemberState!], $first: Int!, $after: String) {
  members(teamId: $teamId, state: $state, first: $first, after: $after) {
    nodes {
      ...CliMember
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment CliMember on Member {
  subject
  state
  seenAt
  leftAt
  keyCount
}`) as unknown as TypedDocumentString<CliMembersQuery, CliMembersQueryVariables>;
export const CliRemoveMemberDocument = new TypedDocumentString(`
    mutation CliRemoveMember($teamId: UUID!, $subject: String!) {
  removeMember(teamId: $teamId, subject: $subject) {
    member {
      ...CliMember
    }
  }
}
    fragment CliMember on Member {
  subject
  state
  seenAt
  leftAt
  keyCount
}`) as unknown as TypedDocumentString<CliRemoveMemberMutation, CliRemoveMemberMutationVariables>;
export const CliImportMembersDocument = new TypedDocumentString(`
    mutation CliImportMembers($input: ImportMembersInput!) {
  importMembers(input: $input) {
    added
    left
    hasMore
  }
}
    `) as unknown as TypedDocumentString<CliImportMembersMutation, CliImportMembersMutationVariables>;
export const CliHandOverKeysDocument = new TypedDocumentString(`
    mutation CliHandOverKeys($teamId: UUID!, $from: String!, $to: String!) {
  handOverKeys(teamId: $teamId, from: $from, to: $to) {
    results {
      outcome
      apiKey {
        id
        name
      }
    }
    hasMore
  }
}
    `) as unknown as TypedDocumentString<CliHandOverKeysMutation, CliHandOverKeysMutationVariables>;
export const CliReadWebhooksDocument = new TypedDocumentString(`
    query CliReadWebhooks($teamId: UUID!) {
  webhooks(teamId: $teamId) {
    ...CliWebhook
    lastDelivery {
      ...CliDelivery
    }
  }
}
    fragment CliDelivery on Delivery {
  eventId
  type
  keyId
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
fragment CliWebhook on Webhook {
  id
  teamId
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
}`) as unknown as TypedDocumentString<CliReadWebhooksQuery, CliReadWebhooksQueryVariables>;
export const CliCreateWebhookDocument = new TypedDocumentString(`
    mutation CliCreateWebhook($input: CreateWebhookInput!) {
  issued: createWebhook(input: $input) {
    webhook {
      ...CliWebhook
    }
    secret
  }
}
    fragment CliWebhook on Webhook {
  id
  teamId
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
}`) as unknown as TypedDocumentString<CliCreateWebhookMutation, CliCreateWebhookMutationVariables>;
export const CliUpdateWebhookDocument = new TypedDocumentString(`
    mutation CliUpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {
  updateWebhook(id: $id, input: $input) {
    webhook {
      ...CliWebhook
    }
  }
}
    fragment CliWebhook on Webhook {
  id
  teamId
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
}`) as unknown as TypedDocumentString<CliUpdateWebhookMutation, CliUpdateWebhookMutationVariables>;
export const CliDeleteWebhookDocument = new TypedDocumentString(`
    mutation CliDeleteWebhook($id: UUID!) {
  deleteWebhook(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<CliDeleteWebhookMutation, CliDeleteWebhookMutationVariables>;
export const CliRotateWebhookSecretDocument = new TypedDocumentString(`
    mutation CliRotateWebhookSecret($id: UUID!, $overlapSeconds: Int!) {
  issued: rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) {
    webhook {
      ...CliWebhook
    }
    secret
  }
}
    fragment CliWebhook on Webhook {
  id
  teamId
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
}`) as unknown as TypedDocumentString<CliRotateWebhookSecretMutation, CliRotateWebhookSecretMutationVariables>;
export const CliSendTestEventDocument = new TypedDocumentString(`
    mutation CliSendTestEvent($id: UUID!) {
  sendTestEvent(id: $id) {
    delivery {
      ...CliDelivery
    }
  }
}
    fragment CliDelivery on Delivery {
  eventId
  type
  keyId
  outcome
  attempts
  status
  error
  durationMs
  responseBody
  createdAt
  attemptedAt
  nextAttemptAt
}`) as unknown as TypedDocumentString<CliSendTestEventMutation, CliSendTestEventMutationVariables>;
export const CliReadDeliveriesDocument = new TypedDocumentString(`
    query CliReadDeliveries($webhookId: UUID!, $outcome: DeliveryOutcome, $first: Int!, $after: String) {
  deliveries(
    webhookId: $webhookId
    outcome: $outcome
    first: $first
    after: $after
  ) {
    nodes {
      ...CliDelivery
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment CliDelivery on Delivery {
  eventId
  type
  keyId
  outcome
  attempts
  status
  error
  durationMs
  responseBody
  createdAt
  attemptedAt
  nextAttemptAt
}`) as unknown as TypedDocumentString<CliReadDeliveriesQuery, CliReadDeliveriesQueryVariables>;
export const CliReplayEventsDocument = new TypedDocumentString(`
    mutation CliReplayEvents($webhookId: UUID!, $eventIds: [ID!], $from: DateTime, $to: DateTime, $failed: Boolean!) {
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
    `) as unknown as TypedDocumentString<CliReplayEventsMutation, CliReplayEventsMutationVariables>;
export const CliKeyPolicyDocument = new TypedDocumentString(`
    query CliKeyPolicy($teamId: UUID!, $env: KeyEnv!) {
  keyPolicy(teamId: $teamId, env: $env) {
    ...CliPolicy
  }
}
    fragment CliPolicy on KeyPolicy {
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
}`) as unknown as TypedDocumentString<CliKeyPolicyQuery, CliKeyPolicyQueryVariables>;
export const CliSetKeyPolicyDocument = new TypedDocumentString(`
    mutation CliSetKeyPolicy($input: SetKeyPolicyInput!) {
  set: setKeyPolicy(input: $input) {
    policy {
      ...CliPolicy
    }
  }
}
    fragment CliPolicy on KeyPolicy {
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
}`) as unknown as TypedDocumentString<CliSetKeyPolicyMutation, CliSetKeyPolicyMutationVariables>;
export const CliViolatingKeysDocument = new TypedDocumentString(`
    query CliViolatingKeys($teamId: UUID!, $after: String) {
  keys(
    teamId: $teamId
    first: 100
    after: $after
    filter: {state: [ACTIVE], violating: true}
  ) {
    nodes {
      id
      prefix
      name
      env
      policyViolations {
        rule
        field
        message
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<CliViolatingKeysQuery, CliViolatingKeysQueryVariables>;
export const CliFencesDocument = new TypedDocumentString(`
    query CliFences($teamId: UUID!) {
  fences(teamId: $teamId) {
    ...CliFence
  }
}
    fragment CliFence on Fence {
  id
  teamId
  reason
  env
  tags
  externalId
  responsible
  createdBefore
  until
  createdAt
  createdBy
}`) as unknown as TypedDocumentString<CliFencesQuery, CliFencesQueryVariables>;
export const CliFreezeKeysDocument = new TypedDocumentString(`
    mutation CliFreezeKeys($input: FreezeKeysInput!) {
  freezeKeys(input: $input) {
    fence {
      ...CliFence
    }
    revision
    keys
    calls
  }
}
    fragment CliFence on Fence {
  id
  teamId
  reason
  env
  tags
  externalId
  responsible
  createdBefore
  until
  createdAt
  createdBy
}`) as unknown as TypedDocumentString<CliFreezeKeysMutation, CliFreezeKeysMutationVariables>;
export const CliUnfreezeKeysDocument = new TypedDocumentString(`
    mutation CliUnfreezeKeys($id: UUID!) {
  unfreezeKeys(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<CliUnfreezeKeysMutation, CliUnfreezeKeysMutationVariables>;
export const CliReceiptDocument = new TypedDocumentString(`
    query CliReceipt($revision: ID!) {
  receipt(revision: $revision) {
    statement
    payload
    protected
    signature
  }
}
    `) as unknown as TypedDocumentString<CliReceiptQuery, CliReceiptQueryVariables>;