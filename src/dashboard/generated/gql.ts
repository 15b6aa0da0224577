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
    "\n  query Viewer {\n    viewer { subject source teams { id name permissions } }\n  }\n": typeof types.ViewerDocument,
    "\n  fragment KeySettings on ApiKey {\n    name description allowedIps expiresAt scopes externalId tags metadata rateLimit { limit windowSeconds }\n  }\n": typeof types.KeySettingsFragmentDoc,
    "\n  fragment KeyRow on ApiKey {\n    id name env prefix state signingEnabled lastUsedAt createdAt expiresAt externalId description tags revision\n  }\n": typeof types.KeyRowFragmentDoc,
    "\n  fragment KeyDetails on ApiKey {\n    ...KeySettings\n    id teamId env prefix state signingEnabled lastUsedAt createdAt revokedAt disabledAt rotatedAt revision\n    previousPrefix previousSecretExpiresAt previousSigningSecretExpiresAt\n  }\n": typeof types.KeyDetailsFragmentDoc,
    "\n  query OneKey($id: UUID!) {\n    key(id: $id) { ...KeyDetails }\n  }\n": typeof types.OneKeyDocument,
    "\n  query KeyList($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { ...KeyRow }\n      pageInfo { hasNextPage endCursor }\n      totalCount totalCountIsPartial\n    }\n  }\n": typeof types.KeyListDocument,
    "\n  query MatchingKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter) {\n      nodes { ...KeyRow }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.MatchingKeysDocument,
    "\n  query ExportedKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { ...KeyDetails }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.ExportedKeysDocument,
    "\n  query KeyUsage($keyId: UUID!, $from: DateTime!, $to: DateTime!) {\n    usage(keyId: $keyId, from: $from, to: $to) { hour code count }\n  }\n": typeof types.KeyUsageDocument,
    "\n  query KeyHistory($teamId: UUID!, $keyId: UUID!, $after: String) {\n    auditLog(teamId: $teamId, keyId: $keyId, first: 20, after: $after) {\n      nodes { id action actor actorKind source requestId at changes { field before after added removed } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.KeyHistoryDocument,
    "\n  fragment SourceFields on ObservedSource { address secret firstAt lastAt counts { code count } }\n": typeof types.SourceFieldsFragmentDoc,
    "\n  query KeyRotation($id: UUID!) {\n    key(id: $id) { ...KeyDetails secrets { current prefix expiresAt lastUsedAt } }\n    observedSources(keyId: $id) { ...SourceFields }\n    unlistedSources(keyId: $id) { secret lastAt }\n  }\n": typeof types.KeyRotationDocument,
    "\n  query ObservedSources($keyId: UUID!) {\n    observedSources(keyId: $keyId) { ...SourceFields }\n    unlistedSources(keyId: $keyId) { secret lastAt }\n  }\n": typeof types.ObservedSourcesDocument,
    "\n  query PreviewAllowedIps($keyId: UUID!, $allowedIps: [String!]!) {\n    previewAllowedIps(keyId: $keyId, allowedIps: $allowedIps) {\n      accepted { address secret lastAt }\n      rejected { address secret lastAt }\n      unlisted { secret lastAt }\n    }\n  }\n": typeof types.PreviewAllowedIpsDocument,
    "\n  query TeamOverview($teamId: UUID!) {\n    keysOverview(teamId: $teamId) { active expired disabled expiringSoon neverUsed unusedFor90Days isPartial at }\n  }\n": typeof types.TeamOverviewDocument,
    "\n  query TeamUsage($teamId: UUID!, $from: DateTime!, $to: DateTime!) {\n    teamUsage(teamId: $teamId, from: $from, to: $to) { hour code count }\n  }\n": typeof types.TeamUsageDocument,
    "\n  query ExplainVerification($input: ExplainVerificationInput!) {\n    explainVerification(input: $input) {\n      code\n      apiKey { id name prefix }\n      checks { name outcome explanation }\n      signature { failedCheck reason signatureBase }\n    }\n  }\n": typeof types.ExplainVerificationDocument,
    "\n  mutation CreateKey($input: CreateKeyInput!, $idempotencyKey: String!) {\n    createKey(input: $input, idempotencyKey: $idempotencyKey) { apiKey { ...KeyDetails } secret signingSecret }\n  }\n": typeof types.CreateKeyDocument,
    "\n  mutation UpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {\n    updateKey(id: $id, input: $input, ifRevision: $ifRevision) { apiKey { ...KeyDetails } }\n  }\n": typeof types.UpdateKeyDocument,
    "\n  mutation ChangeKeys($teamId: UUID!, $action: KeysAction!, $keys: [KeyToChangeInput!]!, $reason: String) {\n    changeKeys(teamId: $teamId, action: $action, keys: $keys, reason: $reason) { results { outcome } }\n  }\n": typeof types.ChangeKeysDocument,
    "\n  mutation DisableKey($id: UUID!, $reason: String) {\n    disableKey(id: $id, reason: $reason) { apiKey { ...KeyDetails } }\n  }\n": typeof types.DisableKeyDocument,
    "\n  mutation EnableKey($id: UUID!, $reason: String) {\n    enableKey(id: $id, reason: $reason) { apiKey { ...KeyDetails } }\n  }\n": typeof types.EnableKeyDocument,
    "\n  mutation RevokeKey($id: UUID!) {\n    revokeKey(id: $id) { apiKey { ...KeyDetails } }\n  }\n": typeof types.RevokeKeyDocument,
    "\n  mutation RotateKey($id: UUID!, $overlapSeconds: Int!, $ifRevision: [ID!]) {\n    rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) { apiKey { ...KeyDetails } secret }\n  }\n": typeof types.RotateKeyDocument,
    "\n  mutation EndOverlap($id: UUID!) {\n    endOverlap(id: $id) { apiKey { ...KeyDetails } }\n  }\n": typeof types.EndOverlapDocument,
    "\n  mutation EnableSigning($id: UUID!) {\n    enableSigning(id: $id) { apiKey { ...KeyDetails } signingSecret }\n  }\n": typeof types.EnableSigningDocument,
    "\n  mutation RotateSigningSecret($id: UUID!, $overlapSeconds: Int!) {\n    rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { apiKey { ...KeyDetails } signingSecret }\n  }\n": typeof types.RotateSigningSecretDocument,
    "\n  mutation DisableSigning($id: UUID!) {\n    disableSigning(id: $id) { apiKey { ...KeyDetails } }\n  }\n": typeof types.DisableSigningDocument,
    "\n  query TeamTrail(\n    $teamId: UUID!, $keyId: UUID, $action: [AuditAction!], $actor: String, $from: DateTime, $to: DateTime,\n    $first: Int!, $after: String\n  ) {\n    auditLog(\n      teamId: $teamId, keyId: $keyId, action: $action, actor: $actor, from: $from, to: $to, first: $first, after: $after\n    ) {\n      nodes {\n        id action keyId keyName actor actorKind source requestId at changes { field before after added removed }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.TeamTrailDocument,
    "\n  mutation ImportKeys($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {\n    importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) { results { outcome apiKey { id prefix } } }\n  }\n": typeof types.ImportKeysDocument,
    "\n  query RejectedKeys($teamId: UUID!, $from: DateTime!, $to: DateTime!) {\n    rejectedKeys(teamId: $teamId, from: $from, to: $to) { apiKey { id name } count counts { code count } }\n  }\n": typeof types.RejectedKeysDocument,
};
const documents: Documents = {
    "\n  query Viewer {\n    viewer { subject source teams { id name permissions } }\n  }\n": types.ViewerDocument,
    "\n  fragment KeySettings on ApiKey {\n    name description allowedIps expiresAt scopes externalId tags metadata rateLimit { limit windowSeconds }\n  }\n": types.KeySettingsFragmentDoc,
    "\n  fragment KeyRow on ApiKey {\n    id name env prefix state signingEnabled lastUsedAt createdAt expiresAt externalId description tags revision\n  }\n": types.KeyRowFragmentDoc,
    "\n  fragment KeyDetails on ApiKey {\n    ...KeySettings\n    id teamId env prefix state signingEnabled lastUsedAt createdAt revokedAt disabledAt rotatedAt revision\n    previousPrefix previousSecretExpiresAt previousSigningSecretExpiresAt\n  }\n": types.KeyDetailsFragmentDoc,
    "\n  query OneKey($id: UUID!) {\n    key(id: $id) { ...KeyDetails }\n  }\n": types.OneKeyDocument,
    "\n  query KeyList($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { ...KeyRow }\n      pageInfo { hasNextPage endCursor }\n      totalCount totalCountIsPartial\n    }\n  }\n": types.KeyListDocument,
    "\n  query MatchingKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter) {\n      nodes { ...KeyRow }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.MatchingKeysDocument,
    "\n  query ExportedKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { ...KeyDetails }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.ExportedKeysDocument,
    "\n  query KeyUsage($keyId: UUID!, $from: DateTime!, $to: DateTime!) {\n    usage(keyId: $keyId, from: $from, to: $to) { hour code count }\n  }\n": types.KeyUsageDocument,
    "\n  query KeyHistory($teamId: UUID!, $keyId: UUID!, $after: String) {\n    auditLog(teamId: $teamId, keyId: $keyId, first: 20, after: $after) {\n      nodes { id action actor actorKind source requestId at changes { field before after added removed } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.KeyHistoryDocument,
    "\n  fragment SourceFields on ObservedSource { address secret firstAt lastAt counts { code count } }\n": types.SourceFieldsFragmentDoc,
    "\n  query KeyRotation($id: UUID!) {\n    key(id: $id) { ...KeyDetails secrets { current prefix expiresAt lastUsedAt } }\n    observedSources(keyId: $id) { ...SourceFields }\n    unlistedSources(keyId: $id) { secret lastAt }\n  }\n": types.KeyRotationDocument,
    "\n  query ObservedSources($keyId: UUID!) {\n    observedSources(keyId: $keyId) { ...SourceFields }\n    unlistedSources(keyId: $keyId) { secret lastAt }\n  }\n": types.ObservedSourcesDocument,
    "\n  query PreviewAllowedIps($keyId: UUID!, $allowedIps: [String!]!) {\n    previewAllowedIps(keyId: $keyId, allowedIps: $allowedIps) {\n      accepted { address secret lastAt }\n      rejected { address secret lastAt }\n      unlisted { secret lastAt }\n    }\n  }\n": types.PreviewAllowedIpsDocument,
    "\n  query TeamOverview($teamId: UUID!) {\n    keysOverview(teamId: $teamId) { active expired disabled expiringSoon neverUsed unusedFor90Days isPartial at }\n  }\n": types.TeamOverviewDocument,
    "\n  query TeamUsage($teamId: UUID!, $from: DateTime!, $to: DateTime!) {\n    teamUsage(teamId: $teamId, from: $from, to: $to) { hour code count }\n  }\n": types.TeamUsageDocument,
    "\n  query ExplainVerification($input: ExplainVerificationInput!) {\n    explainVerification(input: $input) {\n      code\n      apiKey { id name prefix }\n      checks { name outcome explanation }\n      signature { failedCheck reason signatureBase }\n    }\n  }\n": types.ExplainVerificationDocument,
    "\n  mutation CreateKey($input: CreateKeyInput!, $idempotencyKey: String!) {\n    createKey(input: $input, idempotencyKey: $idempotencyKey) { apiKey { ...KeyDetails } secret signingSecret }\n  }\n": types.CreateKeyDocument,
    "\n  mutation UpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {\n    updateKey(id: $id, input: $input, ifRevision: $ifRevision) { apiKey { ...KeyDetails } }\n  }\n": types.UpdateKeyDocument,
    "\n  mutation ChangeKeys($teamId: UUID!, $action: KeysAction!, $keys: [KeyToChangeInput!]!, $reason: String) {\n    changeKeys(teamId: $teamId, action: $action, keys: $keys, reason: $reason) { results { outcome } }\n  }\n": types.ChangeKeysDocument,
    "\n  mutation DisableKey($id: UUID!, $reason: String) {\n    disableKey(id: $id, reason: $reason) { apiKey { ...KeyDetails } }\n  }\n": types.DisableKeyDocument,
    "\n  mutation EnableKey($id: UUID!, $reason: String) {\n    enableKey(id: $id, reason: $reason) { apiKey { ...KeyDetails } }\n  }\n": types.EnableKeyDocument,
    "\n  mutation RevokeKey($id: UUID!) {\n    revokeKey(id: $id) { apiKey { ...KeyDetails } }\n  }\n": types.RevokeKeyDocument,
    "\n  mutation RotateKey($id: UUID!, $overlapSeconds: Int!, $ifRevision: [ID!]) {\n    rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) { apiKey { ...KeyDetails } secret }\n  }\n": types.RotateKeyDocument,
    "\n  mutation EndOverlap($id: UUID!) {\n    endOverlap(id: $id) { apiKey { ...KeyDetails } }\n  }\n": types.EndOverlapDocument,
    "\n  mutation EnableSigning($id: UUID!) {\n    enableSigning(id: $id) { apiKey { ...KeyDetails } signingSecret }\n  }\n": types.EnableSigningDocument,
    "\n  mutation RotateSigningSecret($id: UUID!, $overlapSeconds: Int!) {\n    rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { apiKey { ...KeyDetails } signingSecret }\n  }\n": types.RotateSigningSecretDocument,
    "\n  mutation DisableSigning($id: UUID!) {\n    disableSigning(id: $id) { apiKey { ...KeyDetails } }\n  }\n": types.DisableSigningDocument,
    "\n  query TeamTrail(\n    $teamId: UUID!, $keyId: UUID, $action: [AuditAction!], $actor: String, $from: DateTime, $to: DateTime,\n    $first: Int!, $after: String\n  ) {\n    auditLog(\n      teamId: $teamId, keyId: $keyId, action: $action, actor: $actor, from: $from, to: $to, first: $first, after: $after\n    ) {\n      nodes {\n        id action keyId keyName actor actorKind source requestId at changes { field before after added removed }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.TeamTrailDocument,
    "\n  mutation ImportKeys($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {\n    importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) { results { outcome apiKey { id prefix } } }\n  }\n": types.ImportKeysDocument,
    "\n  query RejectedKeys($teamId: UUID!, $from: DateTime!, $to: DateTime!) {\n    rejectedKeys(teamId: $teamId, from: $from, to: $to) { apiKey { id name } count counts { code count } }\n  }\n": types.RejectedKeysDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Viewer {\n    viewer { subject source teams { id name permissions } }\n  }\n"): typeof import('./graphql.ts').ViewerDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment KeySettings on ApiKey {\n    name description allowedIps expiresAt scopes externalId tags metadata rateLimit { limit windowSeconds }\n  }\n"): typeof import('./graphql.ts').KeySettingsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment KeyRow on ApiKey {\n    id name env prefix state signingEnabled lastUsedAt createdAt expiresAt externalId description tags revision\n  }\n"): typeof import('./graphql.ts').KeyRowFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment KeyDetails on ApiKey {\n    ...KeySettings\n    id teamId env prefix state signingEnabled lastUsedAt createdAt revokedAt disabledAt rotatedAt revision\n    previousPrefix previousSecretExpiresAt previousSigningSecretExpiresAt\n  }\n"): typeof import('./graphql.ts').KeyDetailsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query OneKey($id: UUID!) {\n    key(id: $id) { ...KeyDetails }\n  }\n"): typeof import('./graphql.ts').OneKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query KeyList($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { ...KeyRow }\n      pageInfo { hasNextPage endCursor }\n      totalCount totalCountIsPartial\n    }\n  }\n"): typeof import('./graphql.ts').KeyListDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query MatchingKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter) {\n      nodes { ...KeyRow }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').MatchingKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ExportedKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { ...KeyDetails }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').ExportedKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query KeyUsage($keyId: UUID!, $from: DateTime!, $to: DateTime!) {\n    usage(keyId: $keyId, from: $from, to: $to) { hour code count }\n  }\n"): typeof import('./graphql.ts').KeyUsageDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query KeyHistory($teamId: UUID!, $keyId: UUID!, $after: String) {\n    auditLog(teamId: $teamId, keyId: $keyId, first: 20, after: $after) {\n      nodes { id action actor actorKind source requestId at changes { field before after added removed } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').KeyHistoryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment SourceFields on ObservedSource { address secret firstAt lastAt counts { code count } }\n"): typeof import('./graphql.ts').SourceFieldsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query KeyRotation($id: UUID!) {\n    key(id: $id) { ...KeyDetails secrets { current prefix expiresAt lastUsedAt } }\n    observedSources(keyId: $id) { ...SourceFields }\n    unlistedSources(keyId: $id) { secret lastAt }\n  }\n"): typeof import('./graphql.ts').KeyRotationDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ObservedSources($keyId: UUID!) {\n    observedSources(keyId: $keyId) { ...SourceFields }\n    unlistedSources(keyId: $keyId) { secret lastAt }\n  }\n"): typeof import('./graphql.ts').ObservedSourcesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PreviewAllowedIps($keyId: UUID!, $allowedIps: [String!]!) {\n    previewAllowedIps(keyId: $keyId, allowedIps: $allowedIps) {\n      accepted { address secret lastAt }\n      rejected { address secret lastAt }\n      unlisted { secret lastAt }\n    }\n  }\n"): typeof import('./graphql.ts').PreviewAllowedIpsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TeamOverview($teamId: UUID!) {\n    keysOverview(teamId: $teamId) { active expired disabled expiringSoon neverUsed unusedFor90Days isPartial at }\n  }\n"): typeof import('./graphql.ts').TeamOverviewDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TeamUsage($teamId: UUID!, $from: DateTime!, $to: DateTime!) {\n    teamUsage(teamId: $teamId, from: $from, to: $to) { hour code count }\n  }\n"): typeof import('./graphql.ts').TeamUsageDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ExplainVerification($input: ExplainVerificationInput!) {\n    explainVerification(input: $input) {\n      code\n      apiKey { id name prefix }\n      checks { name outcome explanation }\n      signature { failedCheck reason signatureBase }\n    }\n  }\n"): typeof import('./graphql.ts').ExplainVerificationDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateKey($input: CreateKeyInput!, $idempotencyKey: String!) {\n    createKey(input: $input, idempotencyKey: $idempotencyKey) { apiKey { ...KeyDetails } secret signingSecret }\n  }\n"): typeof import('./graphql.ts').CreateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {\n    updateKey(id: $id, input: $input, ifRevision: $ifRevision) { apiKey { ...KeyDetails } }\n  }\n"): typeof import('./graphql.ts').UpdateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeKeys($teamId: UUID!, $action: KeysAction!, $keys: [KeyToChangeInput!]!, $reason: String) {\n    changeKeys(teamId: $teamId, action: $action, keys: $keys, reason: $reason) { results { outcome } }\n  }\n"): typeof import('./graphql.ts').ChangeKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DisableKey($id: UUID!, $reason: String) {\n    disableKey(id: $id, reason: $reason) { apiKey { ...KeyDetails } }\n  }\n"): typeof import('./graphql.ts').DisableKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EnableKey($id: UUID!, $reason: String) {\n    enableKey(id: $id, reason: $reason) { apiKey { ...KeyDetails } }\n  }\n"): typeof import('./graphql.ts').EnableKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RevokeKey($id: UUID!) {\n    revokeKey(id: $id) { apiKey { ...KeyDetails } }\n  }\n"): typeof import('./graphql.ts').RevokeKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RotateKey($id: UUID!, $overlapSeconds: Int!, $ifRevision: [ID!]) {\n    rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) { apiKey { ...KeyDetails } secret }\n  }\n"): typeof import('./graphql.ts').RotateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EndOverlap($id: UUID!) {\n    endOverlap(id: $id) { apiKey { ...KeyDetails } }\n  }\n"): typeof import('./graphql.ts').EndOverlapDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EnableSigning($id: UUID!) {\n    enableSigning(id: $id) { apiKey { ...KeyDetails } signingSecret }\n  }\n"): typeof import('./graphql.ts').EnableSigningDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RotateSigningSecret($id: UUID!, $overlapSeconds: Int!) {\n    rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { apiKey { ...KeyDetails } signingSecret }\n  }\n"): typeof import('./graphql.ts').RotateSigningSecretDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DisableSigning($id: UUID!) {\n    disableSigning(id: $id) { apiKey { ...KeyDetails } }\n  }\n"): typeof import('./graphql.ts').DisableSigningDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TeamTrail(\n    $teamId: UUID!, $keyId: UUID, $action: [AuditAction!], $actor: String, $from: DateTime, $to: DateTime,\n    $first: Int!, $after: String\n  ) {\n    auditLog(\n      teamId: $teamId, keyId: $keyId, action: $action, actor: $actor, from: $from, to: $to, first: $first, after: $after\n    ) {\n      nodes {\n        id action keyId keyName actor actorKind source requestId at changes { field before after added removed }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').TeamTrailDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ImportKeys($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {\n    importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) { results { outcome apiKey { id prefix } } }\n  }\n"): typeof import('./graphql.ts').ImportKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RejectedKeys($teamId: UUID!, $from: DateTime!, $to: DateTime!) {\n    rejectedKeys(teamId: $teamId, from: $from, to: $to) { apiKey { id name } count counts { code count } }\n  }\n"): typeof import('./graphql.ts').RejectedKeysDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
