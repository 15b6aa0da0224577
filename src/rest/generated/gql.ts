/* eslint-disable */
import * as types from './graphql.ts';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  mutation RestCreateKey($input: CreateKeyInput!, $idempotencyKey: String) {\n    createKey(input: $input, idempotencyKey: $idempotencyKey) {\n      apiKey { id name env prefix revision }\n      secret\n      signingSecret\n    }\n  }\n": typeof types.RestCreateKeyDocument,
    "\n  query RestReadKey($id: UUID!) {\n    key(id: $id) {\n      id teamId name description env prefix state allowedIps scopes externalId tags metadata rateLimit { limit windowSeconds }\n      expiresAt signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt\n      previousSigningSecretExpiresAt secrets { current prefix expiresAt lastUsedAt } revokedAt revision\n    }\n  }\n": typeof types.RestReadKeyDocument,
    "\n  mutation RestRotateKey($id: UUID!, $overlapSeconds: Int! = 0, $ifRevision: [ID!]) {\n    rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) {\n      apiKey { id prefix previousSecretExpiresAt revision }\n      secret\n    }\n  }\n": typeof types.RestRotateKeyDocument,
    "\n  mutation RestEndOverlap($id: UUID!) {\n    endOverlap(id: $id) { apiKey { id } }\n  }\n": typeof types.RestEndOverlapDocument,
    "\n  mutation RestDisableKey($id: UUID!, $reason: String) {\n    disableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n": typeof types.RestDisableKeyDocument,
    "\n  mutation RestEnableKey($id: UUID!, $reason: String) {\n    enableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n": typeof types.RestEnableKeyDocument,
    "\n  query RestListKeys($teamId: UUID!, $limit: Int!, $cursor: String) {\n    keys(teamId: $teamId, first: $limit, after: $cursor) {\n      nodes { id name env prefix lastUsedAt createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.RestListKeysDocument,
    "\n  mutation RestUpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {\n    updateKey(id: $id, input: $input, ifRevision: $ifRevision) {\n      apiKey { id name env prefix allowedIps expiresAt lastUsedAt createdAt revision }\n    }\n  }\n": typeof types.RestUpdateKeyDocument,
    "\n  mutation RestRevokeKey($id: UUID!) {\n    revokeKey(id: $id) { apiKey { id } }\n  }\n": typeof types.RestRevokeKeyDocument,
    "\n  mutation RestEnableSigning($id: UUID!) {\n    enableSigning(id: $id) { signingSecret }\n  }\n": typeof types.RestEnableSigningDocument,
    "\n  mutation RestRotateSigningSecret($id: UUID!, $overlapSeconds: Int! = 0) {\n    rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { signingSecret }\n  }\n": typeof types.RestRotateSigningSecretDocument,
    "\n  mutation RestDisableSigning($id: UUID!) {\n    disableSigning(id: $id) { apiKey { id } }\n  }\n": typeof types.RestDisableSigningDocument,
};
const documents: Documents = {
    "\n  mutation RestCreateKey($input: CreateKeyInput!, $idempotencyKey: String) {\n    createKey(input: $input, idempotencyKey: $idempotencyKey) {\n      apiKey { id name env prefix revision }\n      secret\n      signingSecret\n    }\n  }\n": types.RestCreateKeyDocument,
    "\n  query RestReadKey($id: UUID!) {\n    key(id: $id) {\n      id teamId name description env prefix state allowedIps scopes externalId tags metadata rateLimit { limit windowSeconds }\n      expiresAt signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt\n      previousSigningSecretExpiresAt secrets { current prefix expiresAt lastUsedAt } revokedAt revision\n    }\n  }\n": types.RestReadKeyDocument,
    "\n  mutation RestRotateKey($id: UUID!, $overlapSeconds: Int! = 0, $ifRevision: [ID!]) {\n    rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) {\n      apiKey { id prefix previousSecretExpiresAt revision }\n      secret\n    }\n  }\n": types.RestRotateKeyDocument,
    "\n  mutation RestEndOverlap($id: UUID!) {\n    endOverlap(id: $id) { apiKey { id } }\n  }\n": types.RestEndOverlapDocument,
    "\n  mutation RestDisableKey($id: UUID!, $reason: String) {\n    disableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n": types.RestDisableKeyDocument,
    "\n  mutation RestEnableKey($id: UUID!, $reason: String) {\n    enableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n": types.RestEnableKeyDocument,
    "\n  query RestListKeys($teamId: UUID!, $limit: Int!, $cursor: String) {\n    keys(teamId: $teamId, first: $limit, after: $cursor) {\n      nodes { id name env prefix lastUsedAt createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.RestListKeysDocument,
    "\n  mutation RestUpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {\n    updateKey(id: $id, input: $input, ifRevision: $ifRevision) {\n      apiKey { id name env prefix allowedIps expiresAt lastUsedAt createdAt revision }\n    }\n  }\n": types.RestUpdateKeyDocument,
    "\n  mutation RestRevokeKey($id: UUID!) {\n    revokeKey(id: $id) { apiKey { id } }\n  }\n": types.RestRevokeKeyDocument,
    "\n  mutation RestEnableSigning($id: UUID!) {\n    enableSigning(id: $id) { signingSecret }\n  }\n": types.RestEnableSigningDocument,
    "\n  mutation RestRotateSigningSecret($id: UUID!, $overlapSeconds: Int! = 0) {\n    rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { signingSecret }\n  }\n": types.RestRotateSigningSecretDocument,
    "\n  mutation RestDisableSigning($id: UUID!) {\n    disableSigning(id: $id) { apiKey { id } }\n  }\n": types.RestDisableSigningDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestCreateKey($input: CreateKeyInput!, $idempotencyKey: String) {\n    createKey(input: $input, idempotencyKey: $idempotencyKey) {\n      apiKey { id name env prefix revision }\n      secret\n      signingSecret\n    }\n  }\n"): typeof import('./graphql.ts').RestCreateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RestReadKey($id: UUID!) {\n    key(id: $id) {\n      id teamId name description env prefix state allowedIps scopes externalId tags metadata rateLimit { limit windowSeconds }\n      expiresAt signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt\n      previousSigningSecretExpiresAt secrets { current prefix expiresAt lastUsedAt } revokedAt revision\n    }\n  }\n"): typeof import('./graphql.ts').RestReadKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestRotateKey($id: UUID!, $overlapSeconds: Int! = 0, $ifRevision: [ID!]) {\n    rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) {\n      apiKey { id prefix previousSecretExpiresAt revision }\n      secret\n    }\n  }\n"): typeof import('./graphql.ts').RestRotateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestEndOverlap($id: UUID!) {\n    endOverlap(id: $id) { apiKey { id } }\n  }\n"): typeof import('./graphql.ts').RestEndOverlapDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestDisableKey($id: UUID!, $reason: String) {\n    disableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n"): typeof import('./graphql.ts').RestDisableKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestEnableKey($id: UUID!, $reason: String) {\n    enableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n"): typeof import('./graphql.ts').RestEnableKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RestListKeys($teamId: UUID!, $limit: Int!, $cursor: String) {\n    keys(teamId: $teamId, first: $limit, after: $cursor) {\n      nodes { id name env prefix lastUsedAt createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').RestListKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestUpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {\n    updateKey(id: $id, input: $input, ifRevision: $ifRevision) {\n      apiKey { id name env prefix allowedIps expiresAt lastUsedAt createdAt revision }\n    }\n  }\n"): typeof import('./graphql.ts').RestUpdateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestRevokeKey($id: UUID!) {\n    revokeKey(id: $id) { apiKey { id } }\n  }\n"): typeof import('./graphql.ts').RestRevokeKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestEnableSigning($id: UUID!) {\n    enableSigning(id: $id) { signingSecret }\n  }\n"): typeof import('./graphql.ts').RestEnableSigningDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestRotateSigningSecret($id: UUID!, $overlapSeconds: Int! = 0) {\n    rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { signingSecret }\n  }\n"): typeof import('./graphql.ts').RestRotateSigningSecretDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestDisableSigning($id: UUID!) {\n    disableSigning(id: $id) { apiKey { id } }\n  }\n"): typeof import('./graphql.ts').RestDisableSigningDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
