/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Who can change a key. */
export type ActorKind =
  /** Somebody who presented the key itself. */
  | 'KEY_HOLDER'
  /** The operator of the service, by a command. */
  | 'OPERATOR'
  /** Somebody with a session token. */
  | 'SESSION';

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

/** What a new key shall be. */
export type CreateKeyInput = {
  /** The environment to restrict the key to. */
  env: KeyEnv;
  /** When the key shall stop working; in the future, before the year 10000. Absent or null: never. */
  expiresAt?: string | null | undefined;
  /** A label for people: 1 to 100 characters after trimming, no control characters. */
  name: string;
  /** The team that shall own the key. */
  teamId: string;
};

/** What a verification would be asked: with exactly one of `secret` and `prefix`. */
export type ExplainVerificationInput = {
  /** The environment that would be served. Absent: any. */
  env?: KeyEnv | null | undefined;
  /** The prefix of a key, in place of its secret: for whoever has only that. FORM is then not looked at. */
  prefix?: string | null | undefined;
  /** The request itself, to check its signature. Absent: a key with signing enabled gets SIGNATURE_REQUIRED. */
  request?: SignedRequestInput | null | undefined;
  /** What would be presented, as it is: at most 1000 characters. It is not stored, and reaches no log of this server; send it in a body, as other servers log URLs. */
  secret?: string | null | undefined;
  /** The IPv4 or IPv6 address that the request would come from, without a port. Absent: not known, which a key with an allow-list refuses. */
  sourceIp?: string | null | undefined;
  /** The team whose keys to look among: a key of another team is not found. */
  teamId: string;
};

/** One line of a request's headers. */
export type HeaderInput = {
  /** The name of the header, in any case. */
  name: string;
  /** Its value. */
  value: string;
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
  env?: KeyEnv | null | undefined;
  /** Only keys that expire, and do so before this moment. With the states left as they are, expired ones are among them. */
  expiresBefore?: string | null | undefined;
  /** Only keys that never passed a verification, or only those that did. */
  neverUsed?: boolean | null | undefined;
  /** Only keys whose name or prefix contains this text, whatever the case; 1 to 100 characters. */
  search?: string | null | undefined;
  /** Only keys whose requests must be signed, or only those whose requests need not be. */
  signingEnabled?: boolean | null | undefined;
  /** Only keys in one of these states. Absent: `ACTIVE` and `EXPIRED`, that is, all but the revoked ones. */
  state?: Array<KeyState> | null | undefined;
  /** Only keys that passed no verification at this moment or later, those that never did among them. */
  unusedSince?: string | null | undefined;
};

/** The order of a list of keys. Keys that are equal in it follow one another by `id`, so that paging stays exact. */
export type KeyOrder = {
  /** In which direction. */
  direction: OrderDirection;
  /** What to order by. */
  field: KeyOrderField;
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

/** The direction of an order. */
export type OrderDirection =
  /** Smallest, earliest or first in the alphabet first. */
  | 'ASC'
  /** Largest, latest or last in the alphabet first. */
  | 'DESC';

/** What a session may do in a team. No permission implies another. */
export type Permission =
  /** Import keys of another system for the team, by their digests. */
  | 'import_keys'
  /** Create, change and revoke the team's keys. */
  | 'manage_keys'
  /** Read the team's keys, their use and their audit trail. */
  | 'view_team';

/** A signed request as it arrived. */
export type SignedRequestInput = {
  /** The digest of the body that arrived, as a Content-Digest value with sha-256 or sha-512. Absent: no body arrived. */
  bodyDigest?: string | null | undefined;
  /** The headers, one entry for each line. Those that the signature does not need can be omitted. */
  headers: Array<HeaderInput>;
  /** The method. */
  method: string;
  /** The URL as the client wrote it; or the path and query, with the authority in the header Host. */
  url: string;
};

/** The fields of a key to change. An absent field stays as it is. */
export type UpdateKeyInput = {
  /** The sources that may use the key, in place of the whole list: at most 100 of at most 255 characters, each one IP address, one CIDR range or one host name, optionally followed by `# a comment`. `[]` lifts the restriction. Not null. */
  allowedIps?: Array<string> | null | undefined;
  /** A new expiry, in the future, before the year 10000; null removes it. */
  expiresAt?: string | null | undefined;
  /** A new label: 1 to 100 characters after trimming, no control characters. Not null. */
  name?: string | null | undefined;
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

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { subject: string, source: string | null, teams: Array<{ id: string, permissions: Array<Permission> }> } };

export type KeyListQueryVariables = Exact<{
  teamId: string;
  first: number;
  after?: string | null | undefined;
  filter?: KeyFilter | null | undefined;
  orderBy?: KeyOrder | null | undefined;
}>;


export type KeyListQuery = { keys: { totalCount: number, nodes: Array<{ id: string, name: string, env: KeyEnv, prefix: string, state: KeyState, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, expiresAt: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type KeyDetailsFragment = { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null };

export type OneKeyQueryVariables = Exact<{
  id: string;
}>;


export type OneKeyQuery = { key: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } };

export type KeyUsageQueryVariables = Exact<{
  keyId: string;
  from: string;
  to: string;
}>;


export type KeyUsageQuery = { usage: Array<{ hour: string, code: VerdictCode, count: number }> };

export type KeyHistoryQueryVariables = Exact<{
  teamId: string;
  keyId: string;
  after?: string | null | undefined;
}>;


export type KeyHistoryQuery = { auditLog: { nodes: Array<{ id: string, action: AuditAction, actor: string, actorKind: ActorKind | null, source: string | null, requestId: string, at: string, changes: Array<{ field: string, before: unknown, after: unknown, added: Array<string> | null, removed: Array<string> | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type TeamOverviewQueryVariables = Exact<{
  teamId: string;
}>;


export type TeamOverviewQuery = { keysOverview: { active: number, expired: number, expiringSoon: number, neverUsed: number, unusedFor90Days: number } };

export type TeamUsageQueryVariables = Exact<{
  teamId: string;
  from: string;
  to: string;
}>;


export type TeamUsageQuery = { teamUsage: Array<{ hour: string, code: VerdictCode, count: number }> };

export type ExplainVerificationQueryVariables = Exact<{
  input: ExplainVerificationInput;
}>;


export type ExplainVerificationQuery = { explainVerification: { code: VerdictCode, apiKey: { id: string, name: string, prefix: string } | null, checks: Array<{ name: VerificationCheckName, outcome: VerificationCheckOutcome, explanation: string }> } };

export type CreateKeyMutationVariables = Exact<{
  input: CreateKeyInput;
}>;


export type CreateKeyMutation = { createKey: { secret: string, apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

export type UpdateKeyMutationVariables = Exact<{
  id: string;
  input: UpdateKeyInput;
}>;


export type UpdateKeyMutation = { updateKey: { apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

export type RevokeKeyMutationVariables = Exact<{
  id: string;
}>;


export type RevokeKeyMutation = { revokeKey: { apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

export type EnableSigningMutationVariables = Exact<{
  id: string;
}>;


export type EnableSigningMutation = { enableSigning: { signingSecret: string, apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

export type RotateSigningSecretMutationVariables = Exact<{
  id: string;
}>;


export type RotateSigningSecretMutation = { rotateSigningSecret: { signingSecret: string, apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

export type DisableSigningMutationVariables = Exact<{
  id: string;
}>;


export type DisableSigningMutation = { disableSigning: { apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

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
export const KeyDetailsFragmentDoc = new TypedDocumentString(`
    fragment KeyDetails on ApiKey {
  id
  teamId
  name
  env
  prefix
  state
  allowedIps
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  revokedAt
}
    `, {"fragmentName":"KeyDetails"}) as unknown as TypedDocumentString<KeyDetailsFragment, unknown>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    subject
    source
    teams {
      id
      permissions
    }
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const KeyListDocument = new TypedDocumentString(`
    query KeyList($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
  keys(
    teamId: $teamId
    first: $first
    after: $after
    filter: $filter
    orderBy: $orderBy
  ) {
    nodes {
      id
      name
      env
      prefix
      state
      signingEnabled
      lastUsedAt
      createdAt
      expiresAt
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    totalCount
  }
}
    `) as unknown as TypedDocumentString<KeyListQuery, KeyListQueryVariables>;
export const OneKeyDocument = new TypedDocumentString(`
    query OneKey($id: UUID!) {
  key(id: $id) {
    ...KeyDetails
  }
}
    fragment KeyDetails on ApiKey {
  id
  teamId
  name
  env
  prefix
  state
  allowedIps
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  revokedAt
}`) as unknown as TypedDocumentString<OneKeyQuery, OneKeyQueryVariables>;
export const KeyUsageDocument = new TypedDocumentString(`
    query KeyUsage($keyId: UUID!, $from: DateTime!, $to: DateTime!) {
  usage(keyId: $keyId, from: $from, to: $to) {
    hour
    code
    count
  }
}
    `) as unknown as TypedDocumentString<KeyUsageQuery, KeyUsageQueryVariables>;
export const KeyHistoryDocument = new TypedDocumentString(`
    query KeyHistory($teamId: UUID!, $keyId: UUID!, $after: String) {
  auditLog(teamId: $teamId, keyId: $keyId, first: 20, after: $after) {
    nodes {
      id
      action
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
    `) as unknown as TypedDocumentString<KeyHistoryQuery, KeyHistoryQueryVariables>;
export const TeamOverviewDocument = new TypedDocumentString(`
    query TeamOverview($teamId: UUID!) {
  keysOverview(teamId: $teamId) {
    active
    expired
    expiringSoon
    neverUsed
    unusedFor90Days
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
  }
}
    `) as unknown as TypedDocumentString<ExplainVerificationQuery, ExplainVerificationQueryVariables>;
export const CreateKeyDocument = new TypedDocumentString(`
    mutation CreateKey($input: CreateKeyInput!) {
  createKey(input: $input) {
    apiKey {
      ...KeyDetails
    }
    secret
  }
}
    fragment KeyDetails on ApiKey {
  id
  teamId
  name
  env
  prefix
  state
  allowedIps
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  revokedAt
}`) as unknown as TypedDocumentString<CreateKeyMutation, CreateKeyMutationVariables>;
export const UpdateKeyDocument = new TypedDocumentString(`
    mutation UpdateKey($id: UUID!, $input: UpdateKeyInput!) {
  updateKey(id: $id, input: $input) {
    apiKey {
      ...KeyDetails
    }
  }
}
    fragment KeyDetails on ApiKey {
  id
  teamId
  name
  env
  prefix
  state
  allowedIps
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  revokedAt
}`) as unknown as TypedDocumentString<UpdateKeyMutation, UpdateKeyMutationVariables>;
export const RevokeKeyDocument = new TypedDocumentString(`
    mutation RevokeKey($id: UUID!) {
  revokeKey(id: $id) {
    apiKey {
      ...KeyDetails
    }
  }
}
    fragment KeyDetails on ApiKey {
  id
  teamId
  name
  env
  prefix
  state
  allowedIps
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  revokedAt
}`) as unknown as TypedDocumentString<RevokeKeyMutation, RevokeKeyMutationVariables>;
export const EnableSigningDocument = new TypedDocumentString(`
    mutation EnableSigning($id: UUID!) {
  enableSigning(id: $id) {
    apiKey {
      ...KeyDetails
    }
    signingSecret
  }
}
    fragment KeyDetails on ApiKey {
  id
  teamId
  name
  env
  prefix
  state
  allowedIps
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  revokedAt
}`) as unknown as TypedDocumentString<EnableSigningMutation, EnableSigningMutationVariables>;
export const RotateSigningSecretDocument = new TypedDocumentString(`
    mutation RotateSigningSecret($id: UUID!) {
  rotateSigningSecret(id: $id) {
    apiKey {
      ...KeyDetails
    }
    signingSecret
  }
}
    fragment KeyDetails on ApiKey {
  id
  teamId
  name
  env
  prefix
  state
  allowedIps
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  revokedAt
}`) as unknown as TypedDocumentString<RotateSigningSecretMutation, RotateSigningSecretMutationVariables>;
export const DisableSigningDocument = new TypedDocumentString(`
    mutation DisableSigning($id: UUID!) {
  disableSigning(id: $id) {
    apiKey {
      ...KeyDetails
    }
  }
}
    fragment KeyDetails on ApiKey {
  id
  teamId
  name
  env
  prefix
  state
  allowedIps
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  revokedAt
}`) as unknown as TypedDocumentString<DisableSigningMutation, DisableSigningMutationVariables>;