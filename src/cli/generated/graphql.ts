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

/** A key of another system. */
export type ImportKeyInput = {
  /** The only sources that may use the key, as in `UpdateKeyInput`. Absent, null or empty: every source may. */
  allowedIps?: Array<string> | null | undefined;
  /** SHA-256 or SHA-512 of the whole key as its holder sends it, in UTF-8: in hexadecimal or base64, with or without `sha256:` or `sha512:` before it. The key itself, 1 to 1000 visible ASCII characters, should have at least 128 random bits: it can't be told from its digest. */
  digest: string;
  /** The environment to restrict the key to. */
  env: KeyEnv;
  /** When the key shall stop working; in the future, before the year 10000. Absent or null: never. */
  expiresAt?: string | null | undefined;
  /** A label for people: 1 to 100 characters after trimming, no control characters. */
  name: string;
  /** The leading part of the key, to know it by, where it is a tag, the environment and 4 to 16 letters or digits, such as `sk_live_4fJx81Qz`. Unique within the team, and shown and logged. Absent or null: one is made up. */
  prefix?: string | null | undefined;
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

/** Where a key is in its life. A key that is both expired and revoked is `REVOKED`. */
export type KeyState =
  /** Usable: neither revoked nor past its expiry. */
  | 'ACTIVE'
  /** Past its `expiresAt`. It is refused, but still listed, and `updateKey` can renew it. */
  | 'EXPIRED'
  /** Revoked for good. It can neither be changed nor brought back. */
  | 'REVOKED';

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

export type CliKeyFragment = { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null };

export type CliListKeysQueryVariables = Exact<{
  teamId: string;
  first: number;
  after?: string | null | undefined;
  filter?: KeyFilter | null | undefined;
}>;


export type CliListKeysQuery = { keys: { nodes: Array<{ id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CliCreateKeyMutationVariables = Exact<{
  input: CreateKeyInput;
}>;


export type CliCreateKeyMutation = { createKey: { secret: string, apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

export type CliImportKeysMutationVariables = Exact<{
  teamId: string;
  keys: Array<ImportKeyInput> | ImportKeyInput;
  dryRun: boolean;
}>;


export type CliImportKeysMutation = { importKeys: { results: Array<{ outcome: ImportOutcome, apiKey: { id: string, prefix: string } | null }> } };

export type CliExportedKeyFragment = { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, revision: string };

export type CliExportKeysQueryVariables = Exact<{
  teamId: string;
  first: number;
  after?: string | null | undefined;
}>;


export type CliExportKeysQuery = { keys: { totalCount: number, nodes: Array<{ id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null, revision: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CliExportedEntryFragment = { id: string, action: AuditAction, keyId: string, teamId: string, actor: string, actorKind: ActorKind | null, source: string | null, requestId: string, at: string, changes: Array<{ field: string, before: unknown, after: unknown, added: Array<string> | null, removed: Array<string> | null }> };

export type CliExportAuditLogQueryVariables = Exact<{
  teamId: string;
  first: number;
  after?: string | null | undefined;
}>;


export type CliExportAuditLogQuery = { auditLog: { nodes: Array<{ id: string, action: AuditAction, keyId: string, teamId: string, actor: string, actorKind: ActorKind | null, source: string | null, requestId: string, at: string, changes: Array<{ field: string, before: unknown, after: unknown, added: Array<string> | null, removed: Array<string> | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

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


export type CliUpdateKeyMutation = { updateKey: { apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

export type CliRevokeKeyMutationVariables = Exact<{
  id: string;
}>;


export type CliRevokeKeyMutation = { revokeKey: { apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

export type CliEnableSigningMutationVariables = Exact<{
  id: string;
}>;


export type CliEnableSigningMutation = { enableSigning: { signingSecret: string, apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

export type CliRotateSigningSecretMutationVariables = Exact<{
  id: string;
}>;


export type CliRotateSigningSecretMutation = { rotateSigningSecret: { signingSecret: string, apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

export type CliDisableSigningMutationVariables = Exact<{
  id: string;
}>;


export type CliDisableSigningMutation = { disableSigning: { apiKey: { id: string, teamId: string, name: string, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, revokedAt: string | null } } };

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
    `, {"fragmentName":"CliKey"}) as unknown as TypedDocumentString<CliKeyFragment, unknown>;
export const CliExportedKeyFragmentDoc = new TypedDocumentString(`
    fragment CliExportedKey on ApiKey {
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
  revision
}
    `, {"fragmentName":"CliExportedKey"}) as unknown as TypedDocumentString<CliExportedKeyFragment, unknown>;
export const CliExportedEntryFragmentDoc = new TypedDocumentString(`
    fragment CliExportedEntry on AuditEntry {
  id
  action
  keyId
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
    `, {"fragmentName":"CliExportedEntry"}) as unknown as TypedDocumentString<CliExportedEntryFragment, unknown>;
export const CliListKeysDocument = new TypedDocumentString(`
    query CliListKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter) {
  keys(teamId: $teamId, first: $first, after: $after, filter: $filter) {
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
  env
  prefix
  state
  allowedIps
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  revokedAt
}`) as unknown as TypedDocumentString<CliListKeysQuery, CliListKeysQueryVariables>;
export const CliCreateKeyDocument = new TypedDocumentString(`
    mutation CliCreateKey($input: CreateKeyInput!) {
  createKey(input: $input) {
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
  env
  prefix
  state
  allowedIps
  expiresAt
  signingEnabled
  lastUsedAt
  createdAt
  revokedAt
}`) as unknown as TypedDocumentString<CliCreateKeyMutation, CliCreateKeyMutationVariables>;
export const CliImportKeysDocument = new TypedDocumentString(`
    mutation CliImportKeys($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {
  importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) {
    results {
      outcome
      apiKey {
        id
        prefix
      }
    }
  }
}
    `) as unknown as TypedDocumentString<CliImportKeysMutation, CliImportKeysMutationVariables>;
export const CliExportKeysDocument = new TypedDocumentString(`
    query CliExportKeys($teamId: UUID!, $first: Int!, $after: String) {
  keys(
    teamId: $teamId
    first: $first
    after: $after
    filter: {state: [ACTIVE, EXPIRED, REVOKED]}
    orderBy: {field: CREATED_AT, direction: ASC}
  ) {
    totalCount
    nodes {
      ...CliExportedKey
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment CliExportedKey on ApiKey {
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
  revision
}`) as unknown as TypedDocumentString<CliExportKeysQuery, CliExportKeysQueryVariables>;
export const CliExportAuditLogDocument = new TypedDocumentString(`
    query CliExportAuditLog($teamId: UUID!, $first: Int!, $after: String) {
  auditLog(teamId: $teamId, first: $first, after: $after) {
    nodes {
      ...CliExportedEntry
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment CliExportedEntry on AuditEntry {
  id
  action
  keyId
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
}`) as unknown as TypedDocumentString<CliExportAuditLogQuery, CliExportAuditLogQueryVariables>;
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
  updateKey(id: $id, input: $input) {
    apiKey {
      ...CliKey
    }
  }
}
    fragment CliKey on ApiKey {
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
}`) as unknown as TypedDocumentString<CliUpdateKeyMutation, CliUpdateKeyMutationVariables>;
export const CliRevokeKeyDocument = new TypedDocumentString(`
    mutation CliRevokeKey($id: UUID!) {
  revokeKey(id: $id) {
    apiKey {
      ...CliKey
    }
  }
}
    fragment CliKey on ApiKey {
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
}`) as unknown as TypedDocumentString<CliRevokeKeyMutation, CliRevokeKeyMutationVariables>;
export const CliEnableSigningDocument = new TypedDocumentString(`
    mutation CliEnableSigning($id: UUID!) {
  enableSigning(id: $id) {
    apiKey {
      ...CliKey
    }
    signingSecret
  }
}
    fragment CliKey on ApiKey {
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
}`) as unknown as TypedDocumentString<CliEnableSigningMutation, CliEnableSigningMutationVariables>;
export const CliRotateSigningSecretDocument = new TypedDocumentString(`
    mutation CliRotateSigningSecret($id: UUID!) {
  rotateSigningSecret(id: $id) {
    apiKey {
      ...CliKey
    }
    signingSecret
  }
}
    fragment CliKey on ApiKey {
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
}`) as unknown as TypedDocumentString<CliRotateSigningSecretMutation, CliRotateSigningSecretMutationVariables>;
export const CliDisableSigningDocument = new TypedDocumentString(`
    mutation CliDisableSigning($id: UUID!) {
  disableSigning(id: $id) {
    apiKey {
      ...CliKey
    }
  }
}
    fragment CliKey on ApiKey {
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
}`) as unknown as TypedDocumentString<CliDisableSigningMutation, CliDisableSigningMutationVariables>;