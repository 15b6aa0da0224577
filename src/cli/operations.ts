/** Every GraphQL operation of the command line. */
import { graphql } from './generated/gql.ts';

export const keyFields = graphql(`
  fragment CliKey on ApiKey {
    id teamId name env prefix state allowedIps expiresAt signingEnabled lastUsedAt createdAt revokedAt
  }
`);

export const listKeys = graphql(`
  query CliListKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter) {
    keys(teamId: $teamId, first: $first, after: $after, filter: $filter) {
      nodes { ...CliKey }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const createKey = graphql(`
  mutation CliCreateKey($input: CreateKeyInput!) {
    createKey(input: $input) { apiKey { ...CliKey } secret }
  }
`);

export const updateKey = graphql(`
  mutation CliUpdateKey($id: UUID!, $input: UpdateKeyInput!) {
    updateKey(id: $id, input: $input) { apiKey { ...CliKey } }
  }
`);

export const revokeKey = graphql(`
  mutation CliRevokeKey($id: UUID!) {
    revokeKey(id: $id) { apiKey { ...CliKey } }
  }
`);

export const enableSigning = graphql(`
  mutation CliEnableSigning($id: UUID!) {
    enableSigning(id: $id) { apiKey { ...CliKey } signingSecret }
  }
`);

export const rotateSigningSecret = graphql(`
  mutation CliRotateSigningSecret($id: UUID!) {
    rotateSigningSecret(id: $id) { apiKey { ...CliKey } signingSecret }
  }
`);

export const disableSigning = graphql(`
  mutation CliDisableSigning($id: UUID!) {
    disableSigning(id: $id) { apiKey { ...CliKey } }
  }
`);
