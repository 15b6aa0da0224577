/** The GraphQL operations of the list of keys and of the page that creates one. */
import { graphql } from '../generated/gql.ts';

export const keyRow = graphql(`
  fragment KeyRow on ApiKey {
    id name env prefix state signingEnabled lastUsedAt createdAt expiresAt externalId tags revision
  }
`);

export const matchingKeys = graphql(`
  query MatchingKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      nodes { ...KeyRow }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const listedKey = graphql(`
  query ListedKey($id: UUID!) {
    key(id: $id) { ...KeyRow }
  }
`);

export const changeListedKey = graphql(`
  mutation ChangeListedKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {
    updateKey(id: $id, input: $input, ifRevision: $ifRevision) { apiKey { ...KeyRow } }
  }
`);

export const enableListedKey = graphql(`
  mutation EnableListedKey($id: UUID!, $reason: String) {
    enableKey(id: $id, reason: $reason) { apiKey { ...KeyRow } }
  }
`);

export const changeListedKeys = graphql(`
  mutation ChangeListedKeys($teamId: UUID!, $action: KeysAction!, $keys: [KeyToChangeInput!]!, $reason: String) {
    changeKeys(teamId: $teamId, action: $action, keys: $keys, reason: $reason) { results { outcome } }
  }
`);

export const exportedKeys = graphql(`
  query ExportedKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      nodes {
        id teamId env prefix state name allowedIps expiresAt scopes externalId tags metadata
        rateLimit { limit windowSeconds }
        signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt
        previousSigningSecretExpiresAt revokedAt revision
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const keySettings = graphql(`
  query KeySettings($id: UUID!) {
    key(id: $id) {
      name env createdAt expiresAt allowedIps scopes externalId tags metadata signingEnabled
      rateLimit { limit windowSeconds }
    }
  }
`);
