import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { StoredKey as StoredKeyModel } from '../../domain/api-key.ts';
import type { ApiKeyPage as ApiKeyPageModel, AuditEntryPage as AuditEntryPageModel, PageInfoSource as PageInfoSourceModel } from '../connection.ts';
import type { UsageHour as UsageHourModel } from '../../domain/usage-hour.ts';
import type { AuditEntry as AuditEntryModel } from '../../domain/audit-entry.ts';
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
  /** An instant, as an ISO 8601 date-time with an offset, such as `2030-01-31T12:00:00.000Z`. Answers always carry milliseconds and `Z`. */
  DateTime: { input: Date; output: Date; }
  /** Any JSON value. */
  JSON: { input: unknown; output: unknown; }
  /** A UUID, in its canonical form of 36 characters; upper case is accepted and answered in lower case. */
  UUID: { input: string; output: string; }
};

/** Who can change a key. */
export type ActorKind =
  /** Somebody who presented the key itself. */
  | 'KEY_HOLDER'
  /** The operator of the service, by a command. */
  | 'OPERATOR'
  /** Somebody with a session token. */
  | 'SESSION';

/** An API key of a team. Its secret is never part of it: `createKey` answers the secret once, beside the key. */
export type ApiKey = {
  readonly __typename?: 'ApiKey';
  /** The only sources that may use the key, as they were written; empty when every source may. */
  readonly allowedIps: ReadonlyArray<Scalars['String']['output']>;
  /** When the key was created. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** The environment the key is restricted to. */
  readonly env: KeyEnv;
  /** The key stops working at this moment; null when it never expires. */
  readonly expiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** Identifies the key in every other operation. */
  readonly id: Scalars['UUID']['output'];
  /** When the key last passed a verification; null when it never did. */
  readonly lastUsedAt?: Maybe<Scalars['DateTime']['output']>;
  /** A label for people, 1 to 100 characters. */
  readonly name: Scalars['String']['output'];
  /** The leading part of the secret, such as `lk_live_4fJx81Qz`: unique, and safe to show and to log. Of an imported key, what it was imported with; else `imported_live_` or `imported_test_` and 8 characters that stand for it. */
  readonly prefix: Scalars['String']['output'];
  /** Another one whenever the key has changed, by whomever; use changes nothing. Opaque; to be handed back as `ifRevision`, and compared for equality only. */
  readonly revision: Scalars['ID']['output'];
  /** When the key was revoked; null when it was not. */
  readonly revokedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Whether requests made with the key must also be signed. */
  readonly signingEnabled: Scalars['Boolean']['output'];
  /** Where the key is in its life, at the time of the call. */
  readonly state: KeyState;
  /** The team that owns the key. */
  readonly teamId: Scalars['UUID']['output'];
};

/** One page of a list of keys, after the Relay cursor connections specification. */
export type ApiKeyConnection = {
  readonly __typename?: 'ApiKeyConnection';
  /** The keys of this page with their cursors, in the order asked for. */
  readonly edges: ReadonlyArray<ApiKeyEdge>;
  /** The keys of this page, for those who need no cursors. */
  readonly nodes: ReadonlyArray<ApiKey>;
  /** Whether there is more, and where to go on. */
  readonly pageInfo: PageInfo;
  /** How many keys the whole list has, at the time of the call. Counted only when asked for. */
  readonly totalCount: Scalars['Int']['output'];
};

/** A key in a page. */
export type ApiKeyEdge = {
  readonly __typename?: 'ApiKeyEdge';
  /** Pass it as `after`, with the same `filter` and `orderBy`, to go on behind this key. */
  readonly cursor: Scalars['String']['output'];
  /** The key itself. */
  readonly node: ApiKey;
};

/** What was done to a key. */
export type AuditAction =
  /** `createKey` */
  | 'KEY_CREATED'
  /** `importKeys` */
  | 'KEY_IMPORTED'
  /** `revokeKey` or `revokeKeys`, or `DELETE /v1/keys/self` by whoever presented the key, or an operator's `npm run release-key` */
  | 'KEY_REVOKED'
  /** `updateKey` */
  | 'KEY_UPDATED'
  /** `disableSigning` */
  | 'SIGNING_DISABLED'
  /** `enableSigning` */
  | 'SIGNING_ENABLED'
  /** `rotateSigningSecret` */
  | 'SIGNING_ROTATED';

/** A changed field: its value before and after, or what was added to a list and removed from it. Secrets are never included. */
export type AuditChange = {
  readonly __typename?: 'AuditChange';
  /** The entries that were added to a list. Null for other fields, for a new key, and in entries that older versions wrote. When nothing was added or removed, the order of the list changed. */
  readonly added?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
  /** The value after the change; null when there is none, and where `added` and `removed` describe the change. */
  readonly after?: Maybe<Scalars['JSON']['output']>;
  /** The value before the change; null when there was none, and where `added` and `removed` describe the change. */
  readonly before?: Maybe<Scalars['JSON']['output']>;
  /** The field's name, as on `ApiKey`; or `signingVersion`, which counts the signing secrets issued for the key; or `digestReleased`, when an operator released an imported key. */
  readonly field: Scalars['String']['output'];
  /** The entries that were removed from a list. Null where `added` is null. */
  readonly removed?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
};

/** One change, written in the same transaction as the change itself. */
export type AuditEntry = {
  readonly __typename?: 'AuditEntry';
  /** What was done. */
  readonly action: AuditAction;
  /** Who did it: the `sub` of the session token; or `key:` and the key's id, where somebody who presented the key had it revoked; or `operator`, who released an imported key. Read it together with `actorKind`: a `sub` can be any text. */
  readonly actor: Scalars['String']['output'];
  /** What `actor` names. Null in entries from before this was recorded. */
  readonly actorKind?: Maybe<ActorKind>;
  /** When it was done, by the server's clock. */
  readonly at: Scalars['DateTime']['output'];
  /** The fields it changed. */
  readonly changes: ReadonlyArray<AuditChange>;
  /** Identifies the entry, opaque and the same at every instance. To be compared for equality only: the list has the order of the changes, whatever the clock said. */
  readonly id: Scalars['ID']['output'];
  /** The key it was done to. */
  readonly keyId: Scalars['UUID']['output'];
  /** The request that did it, as in the server's log and the `X-Request-Id` header. */
  readonly requestId: Scalars['String']['output'];
  /** From where: the caller's address, as far as the server knows it. */
  readonly source?: Maybe<Scalars['String']['output']>;
  /** The team that owns the key. */
  readonly teamId: Scalars['UUID']['output'];
};

/** One page of an audit trail, newest entries first. */
export type AuditEntryConnection = {
  readonly __typename?: 'AuditEntryConnection';
  /** The entries of this page with their cursors. */
  readonly edges: ReadonlyArray<AuditEntryEdge>;
  /** The entries of this page, for those who need no cursors. */
  readonly nodes: ReadonlyArray<AuditEntry>;
  /** Whether there is more, and where to go on. */
  readonly pageInfo: PageInfo;
};

/** An entry in a page. */
export type AuditEntryEdge = {
  readonly __typename?: 'AuditEntryEdge';
  /** Pass it as `after` to go on behind this entry. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: AuditEntry;
};

/** What a new key shall be. */
export type CreateKeyInput = {
  /** The environment to restrict the key to. */
  readonly env: KeyEnv;
  /** When the key shall stop working; in the future, before the year 10000. Absent or null: never. */
  readonly expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** A label for people: 1 to 100 characters after trimming, no control characters. */
  readonly name: Scalars['String']['input'];
  /** The team that shall own the key. */
  readonly teamId: Scalars['UUID']['input'];
};

/** A new key with its secret. */
export type CreateKeyPayload = {
  readonly __typename?: 'CreateKeyPayload';
  /** The key. */
  readonly apiKey: ApiKey;
  /** The full key, to be sent as `Authorization: Bearer <secret>`. It is answered here and never again. */
  readonly secret: Scalars['String']['output'];
};

/** A key that needs no signatures. */
export type DisableSigningPayload = {
  readonly __typename?: 'DisableSigningPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
};

/** What a verification would be asked: with exactly one of `secret` and `prefix`. */
export type ExplainVerificationInput = {
  /** The environment that would be served. Absent: any. */
  readonly env?: InputMaybe<KeyEnv>;
  /** The prefix of a key, in place of its secret: for whoever has only that. FORM is then not looked at. */
  readonly prefix?: InputMaybe<Scalars['String']['input']>;
  /** The request itself, to check its signature. Absent: a key with signing enabled gets SIGNATURE_REQUIRED. */
  readonly request?: InputMaybe<SignedRequestInput>;
  /** What would be presented, as it is: at most 1000 characters. It is not stored, and reaches no log of this server; send it in a body, as other servers log URLs. */
  readonly secret?: InputMaybe<Scalars['String']['input']>;
  /** The IPv4 or IPv6 address that the request would come from, without a port. Absent: not known, which a key with an allow-list refuses. */
  readonly sourceIp?: InputMaybe<Scalars['String']['input']>;
  /** The team whose keys to look among: a key of another team is not found. */
  readonly teamId: Scalars['UUID']['input'];
};

/** One line of a request's headers. */
export type HeaderInput = {
  /** The name of the header, in any case. */
  readonly name: Scalars['String']['input'];
  /** Its value. */
  readonly value: Scalars['String']['input'];
};

/** A key of another system. */
export type ImportKeyInput = {
  /** The only sources that may use the key, as in `UpdateKeyInput`. Absent, null or empty: every source may. */
  readonly allowedIps?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** SHA-256 or SHA-512 of the whole key as its holder sends it, in UTF-8: in hexadecimal or base64, with or without `sha256:` or `sha512:` before it. The key itself, 1 to 1000 visible ASCII characters, should have at least 128 random bits: it can't be told from its digest. */
  readonly digest: Scalars['String']['input'];
  /** The environment to restrict the key to. */
  readonly env: KeyEnv;
  /** When the key shall stop working; in the future, before the year 10000. Absent or null: never. */
  readonly expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** A label for people: 1 to 100 characters after trimming, no control characters. */
  readonly name: Scalars['String']['input'];
  /** The leading part of the key, to know it by, where it is a tag, the environment and 4 to 16 letters or digits, such as `sk_live_4fJx81Qz`. Unique within the team, and shown and logged. Absent or null: one is made up. */
  readonly prefix?: InputMaybe<Scalars['String']['input']>;
};

/** What an import did, or would do. */
export type ImportKeysPayload = {
  readonly __typename?: 'ImportKeysPayload';
  /** Whether it was a dry run. */
  readonly dryRun: Scalars['Boolean']['output'];
  /** One result for each key, in the order of the call. */
  readonly results: ReadonlyArray<ImportResult>;
};

/** What became of a key that was to be imported. */
export type ImportOutcome =
  /** Another team has a key with this digest. */
  | 'DIGEST_TAKEN'
  /** The team has it already, in whatever state. It is left as it is. */
  | 'EXISTED'
  /** It is imported; in a dry run, it would be. */
  | 'IMPORTED'
  /** The team has as many keys as it may. */
  | 'LIMIT_REACHED'
  /** Another key of the team has this prefix. */
  | 'PREFIX_TAKEN';

/** What became of one key of an import. */
export type ImportResult = {
  readonly __typename?: 'ImportResult';
  /** The key, when it was imported or existed. */
  readonly apiKey?: Maybe<ApiKey>;
  /** What became of it. */
  readonly outcome: ImportOutcome;
};

/** The environment that a key is restricted to. Set at creation; it never changes. */
export type KeyEnv =
  /** Keys for production traffic. */
  | 'live'
  /** Keys for trying things out. */
  | 'test';

/** What a list of keys is narrowed to. Conditions add up; an absent one does not narrow. */
export type KeyFilter = {
  /** Only keys of this environment. */
  readonly env?: InputMaybe<KeyEnv>;
  /** Only keys that expire, and do so before this moment. With the states left as they are, expired ones are among them. */
  readonly expiresBefore?: InputMaybe<Scalars['DateTime']['input']>;
  /** Only keys that never passed a verification, or only those that did. */
  readonly neverUsed?: InputMaybe<Scalars['Boolean']['input']>;
  /** Only keys whose name or prefix contains this text, whatever the case; 1 to 100 characters. */
  readonly search?: InputMaybe<Scalars['String']['input']>;
  /** Only keys whose requests must be signed, or only those whose requests need not be. */
  readonly signingEnabled?: InputMaybe<Scalars['Boolean']['input']>;
  /** Only keys in one of these states. Absent: `ACTIVE` and `EXPIRED`, that is, all but the revoked ones. */
  readonly state?: InputMaybe<ReadonlyArray<KeyState>>;
  /** Only keys that passed no verification at this moment or later, those that never did among them. */
  readonly unusedSince?: InputMaybe<Scalars['DateTime']['input']>;
};

/** The order of a list of keys. Keys that are equal in it follow one another by `id`, so that paging stays exact. */
export type KeyOrder = {
  /** In which direction. */
  readonly direction: OrderDirection;
  /** What to order by. */
  readonly field: KeyOrderField;
};

/** What a list of keys is ordered by. */
export type KeyOrderField =
  /** When the key was created. */
  | 'CREATED_AT'
  /** When the key expires; keys that never do come last when ascending. */
  | 'EXPIRES_AT'
  /** The key's name, case folded. */
  | 'NAME';

/** Where a key is in its life. A key that is both expired and revoked is `REVOKED`. */
export type KeyState =
  /** Usable: neither revoked nor past its expiry. */
  | 'ACTIVE'
  /** Past its `expiresAt`. It is refused, but still listed, and `updateKey` can renew it. */
  | 'EXPIRED'
  /** Revoked for good. It can neither be changed nor brought back. */
  | 'REVOKED';

/** What in a team's keys deserves a look, at the time of the call. Revoked keys are never counted. */
export type KeysOverview = {
  readonly __typename?: 'KeysOverview';
  /** Keys that are neither revoked nor expired. */
  readonly active: Scalars['Int']['output'];
  /** Keys past their expiry. */
  readonly expired: Scalars['Int']['output'];
  /** Active keys that expire within 14 days: those that `keys` lists with `state: [ACTIVE]` and an `expiresBefore` 14 days ahead. */
  readonly expiringSoon: Scalars['Int']['output'];
  /** Active keys that never passed a verification. */
  readonly neverUsed: Scalars['Int']['output'];
  /** Active keys that passed no verification within 90 days, those that never did among them: those that `keys` lists with `state: [ACTIVE]` and an `unusedSince` 90 days back. */
  readonly unusedFor90Days: Scalars['Int']['output'];
};

/** What can be changed. Every change is in force, everywhere, when it is answered. Creating, importing and updating keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up; revoking keys and disabling signing are not limited by it. */
export type Mutation = {
  readonly __typename?: 'Mutation';
  /** Creates a key and answers its secret, this once. Needs `manage_keys` on the team. */
  readonly createKey: CreateKeyPayload;
  /** Demands signatures no longer and forgets the signing secret. When signing is off already, changes nothing and answers the same. Needs `manage_keys`. Refused with KEY_REVOKED on a revoked key. */
  readonly disableSigning: DisableSigningPayload;
  /** Demands signed requests from now on and answers the signing secret, this once. Needs `manage_keys`. Refused with SIGNING_ALREADY_ENABLED when it is on, with KEY_REVOKED on a revoked key. */
  readonly enableSigning: SigningSecretPayload;
  /** Takes in keys of another system by their digests, so that their holders go on using them as they are; from then on they are keys like any other. In any one call wrong fields refuse all of it, with `keys[i].field` in `extensions.errors`; what became of each key is in `results`. Keys that the team has already are left as they are, so that a call whose answer was lost can be repeated. The keys are imported in batches; should the call fail on the way, repeat it. No answer depends on what other teams have: where keys of different teams match a presented key, verification rejects it until the operator releases one of them. Needs `import_keys`. */
  readonly importKeys: ImportKeysPayload;
  /** Revokes a key for good. Revoking it again changes nothing and answers the same. Needs `manage_keys`. */
  readonly revokeKey: RevokeKeyPayload;
  /** Revokes all keys that a filter selects, in two calls: the first is a dry run that tells how many there are, the second repeats its `selection` and revokes exactly these keys. When others are selected by then it is refused with SELECTION_CHANGED, and nothing is revoked. The keys are revoked by and by, each with an entry in the audit trail; should the call fail on the way, another dry run tells how many are left. Needs `manage_keys` and `view_team`. */
  readonly revokeKeys: RevokeKeysPayload;
  /** Replaces the signing secret, invalidates the previous one at once and answers the new one, this once. Needs `manage_keys`. Refused with SIGNING_NOT_ENABLED when signing is off, with KEY_REVOKED on a revoked key. */
  readonly rotateSigningSecret: SigningSecretPayload;
  /** Changes the fields that are given and leaves the others as they are. Needs `manage_keys`. Refused with KEY_REVOKED on a revoked key. */
  readonly updateKey: UpdateKeyPayload;
};


/** What can be changed. Every change is in force, everywhere, when it is answered. Creating, importing and updating keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up; revoking keys and disabling signing are not limited by it. */
export type MutationCreateKeyArgs = {
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  input: CreateKeyInput;
};


/** What can be changed. Every change is in force, everywhere, when it is answered. Creating, importing and updating keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up; revoking keys and disabling signing are not limited by it. */
export type MutationDisableSigningArgs = {
  id: Scalars['UUID']['input'];
};


/** What can be changed. Every change is in force, everywhere, when it is answered. Creating, importing and updating keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up; revoking keys and disabling signing are not limited by it. */
export type MutationEnableSigningArgs = {
  id: Scalars['UUID']['input'];
};


/** What can be changed. Every change is in force, everywhere, when it is answered. Creating, importing and updating keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up; revoking keys and disabling signing are not limited by it. */
export type MutationImportKeysArgs = {
  dryRun?: Scalars['Boolean']['input'];
  keys: ReadonlyArray<ImportKeyInput>;
  teamId: Scalars['UUID']['input'];
};


/** What can be changed. Every change is in force, everywhere, when it is answered. Creating, importing and updating keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up; revoking keys and disabling signing are not limited by it. */
export type MutationRevokeKeyArgs = {
  id: Scalars['UUID']['input'];
};


/** What can be changed. Every change is in force, everywhere, when it is answered. Creating, importing and updating keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up; revoking keys and disabling signing are not limited by it. */
export type MutationRevokeKeysArgs = {
  dryRun?: Scalars['Boolean']['input'];
  filter: KeyFilter;
  selection?: InputMaybe<Scalars['String']['input']>;
  teamId: Scalars['UUID']['input'];
};


/** What can be changed. Every change is in force, everywhere, when it is answered. Creating, importing and updating keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up; revoking keys and disabling signing are not limited by it. */
export type MutationRotateSigningSecretArgs = {
  id: Scalars['UUID']['input'];
};


/** What can be changed. Every change is in force, everywhere, when it is answered. Creating, importing and updating keys, and issuing signing secrets, is rejected with RATE_LIMITED while the team's change budget is used up; revoking keys and disabling signing are not limited by it. */
export type MutationUpdateKeyArgs = {
  id: Scalars['UUID']['input'];
  ifRevision?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  input: UpdateKeyInput;
};

/** The direction of an order. */
export type OrderDirection =
  /** Smallest, earliest or first in the alphabet first. */
  | 'ASC'
  /** Largest, latest or last in the alphabet first. */
  | 'DESC';

/** Where a page stands in its list, after the Relay cursor connections specification. */
export type PageInfo = {
  readonly __typename?: 'PageInfo';
  /** The cursor of the page's last entry; null on an empty page. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are entries behind this page. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether the page was asked for with `after`, so that entries stand before it. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** The cursor of the page's first entry; null on an empty page. */
  readonly startCursor?: Maybe<Scalars['String']['output']>;
};

/** What a session may do in a team. No permission implies another. */
export type Permission =
  /** Import keys of another system for the team, by their digests. */
  | 'import_keys'
  /** Create, change and revoke the team's keys. */
  | 'manage_keys'
  /** Read the team's keys, their use and their audit trail. */
  | 'view_team';

/** What can be read. */
export type Query = {
  readonly __typename?: 'Query';
  /** The audit trail of a team, or of one of its keys, newest first. Needs `view_team`. */
  readonly auditLog: AuditEntryConnection;
  /** What a verification would say right now, and why, without counting as use and without using up the nonce of a signature. Needs `view_team`. Host names in an allow-list are resolved for it, which can take two seconds. */
  readonly explainVerification: VerificationExplanation;
  /** One key, in whatever state. Needs `view_team` on the key's team. */
  readonly key: ApiKey;
  /** The keys of a team, newest first unless ordered otherwise. Needs `view_team`. */
  readonly keys: ApiKeyConnection;
  /** How many of a team's keys deserve a look, and why. Needs `view_team`. */
  readonly keysOverview: KeysOverview;
  /** How often the keys of a team were verified, by hour and verdict, oldest first; hours and verdicts without use are left out. Counts arrive when those of `usage` do. Needs `view_team`. */
  readonly teamUsage: ReadonlyArray<UsageHour>;
  /** How often a key was verified, by hour and verdict, oldest first; hours and verdicts without use are left out. Counts arrive within about a second, later while tens of thousands of keys are in use at once. Needs `view_team` on the key's team. */
  readonly usage: ReadonlyArray<UsageHour>;
  /** Who asks and what they may do, by the session token. Needs no permission. */
  readonly viewer: Viewer;
};


/** What can be read. */
export type QueryAuditLogArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: Scalars['Int']['input'];
  keyId?: InputMaybe<Scalars['UUID']['input']>;
  teamId: Scalars['UUID']['input'];
};


/** What can be read. */
export type QueryExplainVerificationArgs = {
  input: ExplainVerificationInput;
};


/** What can be read. */
export type QueryKeyArgs = {
  id: Scalars['UUID']['input'];
};


/** What can be read. */
export type QueryKeysArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<KeyFilter>;
  first?: Scalars['Int']['input'];
  orderBy?: InputMaybe<KeyOrder>;
  teamId: Scalars['UUID']['input'];
};


/** What can be read. */
export type QueryKeysOverviewArgs = {
  teamId: Scalars['UUID']['input'];
};


/** What can be read. */
export type QueryTeamUsageArgs = {
  from: Scalars['DateTime']['input'];
  teamId: Scalars['UUID']['input'];
  to: Scalars['DateTime']['input'];
};


/** What can be read. */
export type QueryUsageArgs = {
  from: Scalars['DateTime']['input'];
  keyId: Scalars['UUID']['input'];
  to: Scalars['DateTime']['input'];
};

/** A revoked key. */
export type RevokeKeyPayload = {
  readonly __typename?: 'RevokeKeyPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
};

/** What a revocation of many keys did, or would do. */
export type RevokeKeysPayload = {
  readonly __typename?: 'RevokeKeysPayload';
  /** How many keys were revoked; in a dry run, how many would be. */
  readonly count: Scalars['Int']['output'];
  /** Whether it was a dry run. */
  readonly dryRun: Scalars['Boolean']['output'];
  /** Stands for exactly the keys that were selected. To be repeated in the call that revokes them. */
  readonly selection: Scalars['String']['output'];
  /** How many keys were left as they are, since they were changed while this call was under way. */
  readonly skipped: Scalars['Int']['output'];
};

/** The checks of a signed request, in the order in which they are made: the first one that fails decides. */
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
  /** Whether there is a signature at all: fails where both Signature-Input and Signature are missing. */
  | 'HEADERS'
  /** Whether `keyid` is the id of the presented key. */
  | 'KEY_ID'
  /** Whether the signature is the HMAC-SHA-256 of the signature base with the signing secret. */
  | 'MAC'
  /** Whether the nonce was not used before. */
  | 'NONCE'
  /** Whether Signature-Input has exactly the six parameters, each with a value that is accepted. */
  | 'PARAMETERS'
  /** Whether Signature has one value of 32 bytes, in canonical base64. */
  | 'SIGNATURE'
  /** Whether the method and the URL can be signed. */
  | 'TARGET';

/** How the signature of a request was checked. It never contains the expected signature or digest. */
export type SignatureExplanation = {
  readonly __typename?: 'SignatureExplanation';
  /** The first check that failed; null where the signature is valid. */
  readonly failedCheck?: Maybe<SignatureCheckName>;
  /** What the failed check expects, for people. It may change. */
  readonly reason?: Maybe<Scalars['String']['output']>;
  /** The signature base as the server computes it, from nothing but the given request: compare it with what was signed. Null where the request is too malformed to have one. */
  readonly signatureBase?: Maybe<Scalars['String']['output']>;
};

/** A signed request as it arrived. */
export type SignedRequestInput = {
  /** The digest of the body that arrived, as a Content-Digest value with sha-256 or sha-512. Absent: no body arrived. */
  readonly bodyDigest?: InputMaybe<Scalars['String']['input']>;
  /** The headers, one entry for each line. Those that the signature does not need can be omitted. */
  readonly headers: ReadonlyArray<HeaderInput>;
  /** The method. */
  readonly method: Scalars['String']['input'];
  /** The URL as the client wrote it; or the path and query, with the authority in the header Host. */
  readonly url: Scalars['String']['input'];
};

/** A key with its new signing secret. */
export type SigningSecretPayload = {
  readonly __typename?: 'SigningSecretPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
  /** The signing secret: 64 hexadecimal characters, whose 32 decoded bytes are the HMAC key. It is answered here and never again. */
  readonly signingSecret: Scalars['String']['output'];
};

/** The fields of a key to change. An absent field stays as it is. */
export type UpdateKeyInput = {
  /** The sources that may use the key, in place of the whole list: at most 100 of at most 255 characters, each one IP address, one CIDR range or one host name, optionally followed by `# a comment`. `[]` lifts the restriction. Not null. */
  readonly allowedIps?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** A new expiry, in the future, before the year 10000; null removes it. */
  readonly expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** A new label: 1 to 100 characters after trimming, no control characters. Not null. */
  readonly name?: InputMaybe<Scalars['String']['input']>;
};

/** A changed key. */
export type UpdateKeyPayload = {
  readonly __typename?: 'UpdateKeyPayload';
  /** The key as it is now. */
  readonly apiKey: ApiKey;
};

/** How often a key, or the keys of a team, were verified in one hour with one verdict. */
export type UsageHour = {
  readonly __typename?: 'UsageHour';
  /** The verdict. */
  readonly code: VerdictCode;
  /** How often. What is beyond 2147483647 is told as 2147483647, the greatest `Int`. */
  readonly count: Scalars['Int']['output'];
  /** The start of the hour. */
  readonly hour: Scalars['DateTime']['output'];
};

/** What a verification of a presented key can say, in the order in which the reasons are looked for. */
export type VerdictCode =
  /** The key is past its expiry. */
  | 'EXPIRED'
  /** What was presented is no key at all: neither of the form of the keys made here, nor imported. */
  | 'MALFORMED'
  /** There is no such key, or imported keys of several teams match, so that none counts. */
  | 'NOT_FOUND'
  /** The key is revoked, or one of the imported keys that match. */
  | 'REVOKED'
  /** The signature was good once, but its time is over. */
  | 'SIGNATURE_EXPIRED'
  /** The signature is not that of this request with this key's secret. */
  | 'SIGNATURE_INVALID'
  /** The signature was used before. */
  | 'SIGNATURE_REPLAYED'
  /** The key's requests must be signed, and this one was not. */
  | 'SIGNATURE_REQUIRED'
  /** The key has an allow-list, and the source is not on it or not known. */
  | 'SOURCE_NOT_ALLOWED'
  /** The request may pass. */
  | 'VALID'
  /** The key is for the other environment. */
  | 'WRONG_ENVIRONMENT';

/** One check of a verification, and why it came out so. */
export type VerificationCheck = {
  readonly __typename?: 'VerificationCheck';
  /** Why, for people: one sentence, which may change. It never repeats a secret. */
  readonly explanation: Scalars['String']['output'];
  /** What was looked at. */
  readonly name: VerificationCheckName;
  /** How it came out. */
  readonly outcome: VerificationCheckOutcome;
};

/** A thing that a verification looks at, in the order in which it does. */
export type VerificationCheckName =
  /** Whether it is for the environment that is served. */
  | 'ENVIRONMENT'
  /** Whether there is such a key. */
  | 'EXISTENCE'
  /** Whether it is past its expiry. */
  | 'EXPIRY'
  /** Whether what was presented has the form of a key, checksum included, or was imported. */
  | 'FORM'
  /** Whether it has been revoked. */
  | 'REVOCATION'
  /** Whether the request is signed where it must be. */
  | 'SIGNATURE'
  /** Whether the source is on the key's allow-list. */
  | 'SOURCE';

/** How a check came out. */
export type VerificationCheckOutcome =
  /** The request would be refused. */
  | 'FAILED'
  /** Nothing speaks against the request. */
  | 'PASSED'
  /** There was nothing to look at, or nothing to hold it against. */
  | 'SKIPPED';

/** What a verification would say, and why. */
export type VerificationExplanation = {
  readonly __typename?: 'VerificationExplanation';
  /** The key; null when none was found in the team. */
  readonly apiKey?: Maybe<ApiKey>;
  /** Every check in turn. Those behind one that failed are looked at too, as far as they can be, so that all that stands in the way is seen at once. */
  readonly checks: ReadonlyArray<VerificationCheck>;
  /** The verdict: that of the first check that fails, or VALID. */
  readonly code: VerdictCode;
  /** Why the signature of the given request is valid or not; null without a request or a key, and where the key needs no signature. */
  readonly signature?: Maybe<SignatureExplanation>;
};

/** Who asks, as the session token says. */
export type Viewer = {
  readonly __typename?: 'Viewer';
  /** The caller's address, as far as the server knows it. */
  readonly source?: Maybe<Scalars['String']['output']>;
  /** The `sub` of the session token, as it is written to the audit trail. */
  readonly subject: Scalars['String']['output'];
  /** The teams in the token, by id. */
  readonly teams: ReadonlyArray<ViewerTeam>;
};

/** A team that the session token names. */
export type ViewerTeam = {
  readonly __typename?: 'ViewerTeam';
  /** Identifies the team. */
  readonly id: Scalars['UUID']['output'];
  /** What the token grants on it; empty when nothing that is known here. */
  readonly permissions: ReadonlyArray<Permission>;
};



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
  ApiKey: ResolverTypeWrapper<StoredKeyModel>;
  ApiKeyConnection: ResolverTypeWrapper<ApiKeyPageModel>;
  ApiKeyEdge: ResolverTypeWrapper<Omit<ApiKeyEdge, 'node'> & { node: ResolversTypes['ApiKey'] }>;
  AuditAction: AuditAction;
  AuditChange: ResolverTypeWrapper<AuditChange>;
  AuditEntry: ResolverTypeWrapper<AuditEntryModel>;
  AuditEntryConnection: ResolverTypeWrapper<AuditEntryPageModel>;
  AuditEntryEdge: ResolverTypeWrapper<Omit<AuditEntryEdge, 'node'> & { node: ResolversTypes['AuditEntry'] }>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  CreateKeyInput: CreateKeyInput;
  CreateKeyPayload: ResolverTypeWrapper<Omit<CreateKeyPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  DisableSigningPayload: ResolverTypeWrapper<Omit<DisableSigningPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  ExplainVerificationInput: ExplainVerificationInput;
  HeaderInput: HeaderInput;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  ImportKeyInput: ImportKeyInput;
  ImportKeysPayload: ResolverTypeWrapper<Omit<ImportKeysPayload, 'results'> & { results: ReadonlyArray<ResolversTypes['ImportResult']> }>;
  ImportOutcome: ImportOutcome;
  ImportResult: ResolverTypeWrapper<Omit<ImportResult, 'apiKey'> & { apiKey?: Maybe<ResolversTypes['ApiKey']> }>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  KeyEnv: KeyEnv;
  KeyFilter: KeyFilter;
  KeyOrder: KeyOrder;
  KeyOrderField: KeyOrderField;
  KeyState: KeyState;
  KeysOverview: ResolverTypeWrapper<KeysOverview>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  OrderDirection: OrderDirection;
  PageInfo: ResolverTypeWrapper<PageInfoSourceModel>;
  Permission: Permission;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  RevokeKeyPayload: ResolverTypeWrapper<Omit<RevokeKeyPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  RevokeKeysPayload: ResolverTypeWrapper<RevokeKeysPayload>;
  SignatureCheckName: SignatureCheckName;
  SignatureExplanation: ResolverTypeWrapper<SignatureExplanation>;
  SignedRequestInput: SignedRequestInput;
  SigningSecretPayload: ResolverTypeWrapper<Omit<SigningSecretPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  UUID: ResolverTypeWrapper<Scalars['UUID']['output']>;
  UpdateKeyInput: UpdateKeyInput;
  UpdateKeyPayload: ResolverTypeWrapper<Omit<UpdateKeyPayload, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  UsageHour: ResolverTypeWrapper<UsageHourModel>;
  VerdictCode: VerdictCode;
  VerificationCheck: ResolverTypeWrapper<VerificationCheck>;
  VerificationCheckName: VerificationCheckName;
  VerificationCheckOutcome: VerificationCheckOutcome;
  VerificationExplanation: ResolverTypeWrapper<Omit<VerificationExplanation, 'apiKey'> & { apiKey?: Maybe<ResolversTypes['ApiKey']> }>;
  Viewer: ResolverTypeWrapper<Viewer>;
  ViewerTeam: ResolverTypeWrapper<ViewerTeam>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  ApiKey: StoredKeyModel;
  ApiKeyConnection: ApiKeyPageModel;
  ApiKeyEdge: Omit<ApiKeyEdge, 'node'> & { node: ResolversParentTypes['ApiKey'] };
  AuditChange: AuditChange;
  AuditEntry: AuditEntryModel;
  AuditEntryConnection: AuditEntryPageModel;
  AuditEntryEdge: Omit<AuditEntryEdge, 'node'> & { node: ResolversParentTypes['AuditEntry'] };
  Boolean: Scalars['Boolean']['output'];
  CreateKeyInput: CreateKeyInput;
  CreateKeyPayload: Omit<CreateKeyPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  DateTime: Scalars['DateTime']['output'];
  DisableSigningPayload: Omit<DisableSigningPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  ExplainVerificationInput: ExplainVerificationInput;
  HeaderInput: HeaderInput;
  ID: Scalars['ID']['output'];
  ImportKeyInput: ImportKeyInput;
  ImportKeysPayload: Omit<ImportKeysPayload, 'results'> & { results: ReadonlyArray<ResolversParentTypes['ImportResult']> };
  ImportResult: Omit<ImportResult, 'apiKey'> & { apiKey?: Maybe<ResolversParentTypes['ApiKey']> };
  Int: Scalars['Int']['output'];
  JSON: Scalars['JSON']['output'];
  KeyFilter: KeyFilter;
  KeyOrder: KeyOrder;
  KeysOverview: KeysOverview;
  Mutation: Record<PropertyKey, never>;
  PageInfo: PageInfoSourceModel;
  Query: Record<PropertyKey, never>;
  RevokeKeyPayload: Omit<RevokeKeyPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  RevokeKeysPayload: RevokeKeysPayload;
  SignatureExplanation: SignatureExplanation;
  SignedRequestInput: SignedRequestInput;
  SigningSecretPayload: Omit<SigningSecretPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  String: Scalars['String']['output'];
  UUID: Scalars['UUID']['output'];
  UpdateKeyInput: UpdateKeyInput;
  UpdateKeyPayload: Omit<UpdateKeyPayload, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  UsageHour: UsageHourModel;
  VerificationCheck: VerificationCheck;
  VerificationExplanation: Omit<VerificationExplanation, 'apiKey'> & { apiKey?: Maybe<ResolversParentTypes['ApiKey']> };
  Viewer: Viewer;
  ViewerTeam: ViewerTeam;
};

export type ApiKeyResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ApiKey'] = ResolversParentTypes['ApiKey']> = {
  allowedIps?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  env?: Resolver<ResolversTypes['KeyEnv'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  lastUsedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  prefix?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  revision?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  revokedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  signingEnabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['KeyState'], ParentType, ContextType>;
  teamId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
};

export type ApiKeyConnectionResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ApiKeyConnection'] = ResolversParentTypes['ApiKeyConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['ApiKeyEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['ApiKey']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
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
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  keyId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
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

export type CreateKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['CreateKeyPayload'] = ResolversParentTypes['CreateKeyPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
  secret?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DisableSigningPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['DisableSigningPayload'] = ResolversParentTypes['DisableSigningPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
};

export type ImportKeysPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ImportKeysPayload'] = ResolversParentTypes['ImportKeysPayload']> = {
  dryRun?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  results?: Resolver<ReadonlyArray<ResolversTypes['ImportResult']>, ParentType, ContextType>;
};

export type ImportResultResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['ImportResult'] = ResolversParentTypes['ImportResult']> = {
  apiKey?: Resolver<Maybe<ResolversTypes['ApiKey']>, ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['ImportOutcome'], ParentType, ContextType>;
};

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export type KeysOverviewResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['KeysOverview'] = ResolversParentTypes['KeysOverview']> = {
  active?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  expired?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  expiringSoon?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  neverUsed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  unusedFor90Days?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type MutationResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createKey?: Resolver<ResolversTypes['CreateKeyPayload'], ParentType, ContextType, RequireFields<MutationCreateKeyArgs, 'input'>>;
  disableSigning?: Resolver<ResolversTypes['DisableSigningPayload'], ParentType, ContextType, RequireFields<MutationDisableSigningArgs, 'id'>>;
  enableSigning?: Resolver<ResolversTypes['SigningSecretPayload'], ParentType, ContextType, RequireFields<MutationEnableSigningArgs, 'id'>>;
  importKeys?: Resolver<ResolversTypes['ImportKeysPayload'], ParentType, ContextType, RequireFields<MutationImportKeysArgs, 'dryRun' | 'keys' | 'teamId'>>;
  revokeKey?: Resolver<ResolversTypes['RevokeKeyPayload'], ParentType, ContextType, RequireFields<MutationRevokeKeyArgs, 'id'>>;
  revokeKeys?: Resolver<ResolversTypes['RevokeKeysPayload'], ParentType, ContextType, RequireFields<MutationRevokeKeysArgs, 'dryRun' | 'filter' | 'teamId'>>;
  rotateSigningSecret?: Resolver<ResolversTypes['SigningSecretPayload'], ParentType, ContextType, RequireFields<MutationRotateSigningSecretArgs, 'id'>>;
  updateKey?: Resolver<ResolversTypes['UpdateKeyPayload'], ParentType, ContextType, RequireFields<MutationUpdateKeyArgs, 'id' | 'input'>>;
};

export type PageInfoResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  auditLog?: Resolver<ResolversTypes['AuditEntryConnection'], ParentType, ContextType, RequireFields<QueryAuditLogArgs, 'first' | 'teamId'>>;
  explainVerification?: Resolver<ResolversTypes['VerificationExplanation'], ParentType, ContextType, RequireFields<QueryExplainVerificationArgs, 'input'>>;
  key?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType, RequireFields<QueryKeyArgs, 'id'>>;
  keys?: Resolver<ResolversTypes['ApiKeyConnection'], ParentType, ContextType, RequireFields<QueryKeysArgs, 'first' | 'teamId'>>;
  keysOverview?: Resolver<ResolversTypes['KeysOverview'], ParentType, ContextType, RequireFields<QueryKeysOverviewArgs, 'teamId'>>;
  teamUsage?: Resolver<ReadonlyArray<ResolversTypes['UsageHour']>, ParentType, ContextType, RequireFields<QueryTeamUsageArgs, 'from' | 'teamId' | 'to'>>;
  usage?: Resolver<ReadonlyArray<ResolversTypes['UsageHour']>, ParentType, ContextType, RequireFields<QueryUsageArgs, 'from' | 'keyId' | 'to'>>;
  viewer?: Resolver<ResolversTypes['Viewer'], ParentType, ContextType>;
};

export type RevokeKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['RevokeKeyPayload'] = ResolversParentTypes['RevokeKeyPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
};

export type RevokeKeysPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['RevokeKeysPayload'] = ResolversParentTypes['RevokeKeysPayload']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  dryRun?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  selection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  skipped?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
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

export interface UuidScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['UUID'], any> {
  name: 'UUID';
}

export type UpdateKeyPayloadResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['UpdateKeyPayload'] = ResolversParentTypes['UpdateKeyPayload']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
};

export type UsageHourResolvers<ContextType = GraphQLContext, ParentType extends ResolversParentTypes['UsageHour'] = ResolversParentTypes['UsageHour']> = {
  code?: Resolver<ResolversTypes['VerdictCode'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  hour?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
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
  permissions?: Resolver<ReadonlyArray<ResolversTypes['Permission']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = GraphQLContext> = {
  ApiKey?: ApiKeyResolvers<ContextType>;
  ApiKeyConnection?: ApiKeyConnectionResolvers<ContextType>;
  ApiKeyEdge?: ApiKeyEdgeResolvers<ContextType>;
  AuditChange?: AuditChangeResolvers<ContextType>;
  AuditEntry?: AuditEntryResolvers<ContextType>;
  AuditEntryConnection?: AuditEntryConnectionResolvers<ContextType>;
  AuditEntryEdge?: AuditEntryEdgeResolvers<ContextType>;
  CreateKeyPayload?: CreateKeyPayloadResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  DisableSigningPayload?: DisableSigningPayloadResolvers<ContextType>;
  ImportKeysPayload?: ImportKeysPayloadResolvers<ContextType>;
  ImportResult?: ImportResultResolvers<ContextType>;
  JSON?: GraphQLScalarType;
  KeysOverview?: KeysOverviewResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  RevokeKeyPayload?: RevokeKeyPayloadResolvers<ContextType>;
  RevokeKeysPayload?: RevokeKeysPayloadResolvers<ContextType>;
  SignatureExplanation?: SignatureExplanationResolvers<ContextType>;
  SigningSecretPayload?: SigningSecretPayloadResolvers<ContextType>;
  UUID?: GraphQLScalarType;
  UpdateKeyPayload?: UpdateKeyPayloadResolvers<ContextType>;
  UsageHour?: UsageHourResolvers<ContextType>;
  VerificationCheck?: VerificationCheckResolvers<ContextType>;
  VerificationExplanation?: VerificationExplanationResolvers<ContextType>;
  Viewer?: ViewerResolvers<ContextType>;
  ViewerTeam?: ViewerTeamResolvers<ContextType>;
};

