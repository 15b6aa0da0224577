/** The GraphQL operations of keys and teams. The pages of the audit trail, of imports and of use have their own. */
import { graphql } from '../generated/gql.ts';

export const viewer = graphql(`
  query Viewer {
    viewer { subject source teams { id name permissions } }
  }
`);

/** The settings that a caller chooses. */
export const keySettings = graphql(`
  fragment KeySettings on ApiKey {
    name description allowedIps expiresAt scopes externalId tags metadata rateLimit { limit windowSeconds }
  }
`);

/** A key in a list, without the fields that can be long. */
export const keyRow = graphql(`
  fragment KeyRow on ApiKey {
    id name env prefix state signingEnabled lastUsedAt createdAt expiresAt externalId description tags revision
  }
`);

export const keyDetails = graphql(`
  fragment KeyDetails on ApiKey {
    ...KeySettings
    id teamId env prefix state signingEnabled lastUsedAt createdAt revokedAt disabledAt rotatedAt revision
    previousPrefix previousSecretExpiresAt previousSigningSecretExpiresAt
  }
`);

export const oneKey = graphql(`
  query OneKey($id: UUID!) {
    key(id: $id) { ...KeyDetails }
  }
`);

export const keyList = graphql(`
  query KeyList($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      nodes { ...KeyRow }
      pageInfo { hasNextPage endCursor }
      totalCount totalCountIsPartial
    }
  }
`);

/** Without the count, which every page would calculate again. */
export const matchingKeys = graphql(`
  query MatchingKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter) {
    keys(teamId: $teamId, first: $first, after: $after, filter: $filter) {
      nodes { ...KeyRow }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const exportedKeys = graphql(`
  query ExportedKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      nodes { ...KeyDetails }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const keyUsage = graphql(`
  query KeyUsage($keyId: UUID!, $from: DateTime!, $to: DateTime!) {
    usage(keyId: $keyId, from: $from, to: $to) { hour code count }
  }
`);

export const keyHistory = graphql(`
  query KeyHistory($teamId: UUID!, $keyId: UUID!, $after: String) {
    auditLog(teamId: $teamId, keyId: $keyId, first: 20, after: $after) {
      nodes { id action actor actorKind source requestId at changes { field before after added removed } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const sourceFields = graphql(`
  fragment SourceFields on ObservedSource { address secret firstAt lastAt counts { code count } }
`);

export const keyRotation = graphql(`
  query KeyRotation($id: UUID!) {
    key(id: $id) { ...KeyDetails secrets { current prefix expiresAt lastUsedAt } }
    observedSources(keyId: $id) { ...SourceFields }
    unlistedSources(keyId: $id) { secret lastAt }
  }
`);

export const observedSources = graphql(`
  query ObservedSources($keyId: UUID!) {
    observedSources(keyId: $keyId) { ...SourceFields }
    unlistedSources(keyId: $keyId) { secret lastAt }
  }
`);

export const previewAllowedIps = graphql(`
  query PreviewAllowedIps($keyId: UUID!, $allowedIps: [String!]!) {
    previewAllowedIps(keyId: $keyId, allowedIps: $allowedIps) {
      accepted { address secret lastAt }
      rejected { address secret lastAt }
      unlisted { secret lastAt }
    }
  }
`);

export const teamOverview = graphql(`
  query TeamOverview($teamId: UUID!) {
    keysOverview(teamId: $teamId) { active expired disabled expiringSoon neverUsed unusedFor90Days isPartial at }
  }
`);

export const teamUsage = graphql(`
  query TeamUsage($teamId: UUID!, $from: DateTime!, $to: DateTime!) {
    teamUsage(teamId: $teamId, from: $from, to: $to) { hour code count }
  }
`);

export const explainVerification = graphql(`
  query ExplainVerification($input: ExplainVerificationInput!) {
    explainVerification(input: $input) {
      code
      apiKey { id name prefix }
      checks { name outcome explanation }
      signature { failedCheck reason signatureBase }
    }
  }
`);

export const createKey = graphql(`
  mutation CreateKey($input: CreateKeyInput!, $idempotencyKey: String!) {
    createKey(input: $input, idempotencyKey: $idempotencyKey) { apiKey { ...KeyDetails } secret signingSecret }
  }
`);

export const updateKey = graphql(`
  mutation UpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {
    updateKey(id: $id, input: $input, ifRevision: $ifRevision) { apiKey { ...KeyDetails } }
  }
`);

export const changeKeys = graphql(`
  mutation ChangeKeys($teamId: UUID!, $action: KeysAction!, $keys: [KeyToChangeInput!]!, $reason: String) {
    changeKeys(teamId: $teamId, action: $action, keys: $keys, reason: $reason) { results { outcome } }
  }
`);

export const disableKey = graphql(`
  mutation DisableKey($id: UUID!, $reason: String) {
    disableKey(id: $id, reason: $reason) { apiKey { ...KeyDetails } }
  }
`);

export const enableKey = graphql(`
  mutation EnableKey($id: UUID!, $reason: String) {
    enableKey(id: $id, reason: $reason) { apiKey { ...KeyDetails } }
  }
`);

export const revokeKey = graphql(`
  mutation RevokeKey($id: UUID!) {
    revokeKey(id: $id) { apiKey { ...KeyDetails } }
  }
`);

export const rotateKey = graphql(`
  mutation RotateKey($id: UUID!, $overlapSeconds: Int!, $ifRevision: [ID!]) {
    rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) { apiKey { ...KeyDetails } secret }
  }
`);

export const endOverlap = graphql(`
  mutation EndOverlap($id: UUID!) {
    endOverlap(id: $id) { apiKey { ...KeyDetails } }
  }
`);

export const enableSigning = graphql(`
  mutation EnableSigning($id: UUID!) {
    enableSigning(id: $id) { apiKey { ...KeyDetails } signingSecret }
  }
`);

export const rotateSigningSecret = graphql(`
  mutation RotateSigningSecret($id: UUID!, $overlapSeconds: Int!) {
    rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { apiKey { ...KeyDetails } signingSecret }
  }
`);

export const disableSigning = graphql(`
  mutation DisableSigning($id: UUID!) {
    disableSigning(id: $id) { apiKey { ...KeyDetails } }
  }
`);
