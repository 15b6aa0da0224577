/** The GraphQL operations behind the REST routes. Each selects exactly the fields of its route's body and headers. */
import { graphql } from './generated/gql.ts';

export const createKey = graphql(`
  mutation RestCreateKey($input: CreateKeyInput!, $idempotencyKey: String) {
    createKey(input: $input, idempotencyKey: $idempotencyKey) {
      apiKey { id name env prefix revision }
      secret
    }
  }
`);

export const listKeys = graphql(`
  query RestListKeys($teamId: UUID!, $limit: Int!, $cursor: String) {
    keys(teamId: $teamId, first: $limit, after: $cursor) {
      nodes { id name env prefix lastUsedAt createdAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const updateKey = graphql(`
  mutation RestUpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {
    updateKey(id: $id, input: $input, ifRevision: $ifRevision) {
      apiKey { id name env prefix allowedIps expiresAt lastUsedAt createdAt revision }
    }
  }
`);

export const revokeKey = graphql(`
  mutation RestRevokeKey($id: UUID!) {
    revokeKey(id: $id) { apiKey { id } }
  }
`);

export const enableSigning = graphql(`
  mutation RestEnableSigning($id: UUID!) {
    enableSigning(id: $id) { signingSecret }
  }
`);

export const rotateSigningSecret = graphql(`
  mutation RestRotateSigningSecret($id: UUID!) {
    rotateSigningSecret(id: $id) { signingSecret }
  }
`);

export const disableSigning = graphql(`
  mutation RestDisableSigning($id: UUID!) {
    disableSigning(id: $id) { apiKey { id } }
  }
`);
