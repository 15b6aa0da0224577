/** The GraphQL operations of several pages. Other pages have an `operations.ts` of their own. */
import { graphql } from '../generated/gql.ts';

export const viewer = graphql(`
  query Viewer {
    viewer { subject source teams { id name permissions } }
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

export const keyDetails = graphql(`
  fragment KeyDetails on ApiKey {
    id teamId name env prefix state allowedIps expiresAt signingEnabled lastUsedAt createdAt revokedAt
    scopes externalId tags metadata rateLimit { limit windowSeconds } disabledAt rotatedAt previousPrefix
    previousSecretExpiresAt previousSigningSecretExpiresAt revision
  }
`);

export const oneKey = graphql(`
  query OneKey($id: UUID!) {
    key(id: $id) { ...KeyDetails }
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

export const revokeKey = graphql(`
  mutation RevokeKey($id: UUID!) {
    revokeKey(id: $id) { apiKey { ...KeyDetails } }
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
