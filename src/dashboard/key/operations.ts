/** The GraphQL operations of the page of one key. */
import { graphql } from '../generated/gql.ts';

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

export const keyRotation = graphql(`
  query KeyRotation($id: UUID!) {
    key(id: $id) { ...KeyDetails secrets { current prefix expiresAt lastUsedAt } }
    observedSources(keyId: $id) { address secret firstAt lastAt counts { code count } }
    unlistedSources(keyId: $id) { secret lastAt }
  }
`);

export const observedSources = graphql(`
  query ObservedSources($keyId: UUID!) {
    observedSources(keyId: $keyId) { address secret firstAt lastAt counts { code count } }
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
