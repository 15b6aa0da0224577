/** The GraphQL operations of the import page. */
import { graphql } from '../generated/gql.ts';

export const importKeys = graphql(`
  mutation ImportKeys($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {
    importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) { results { outcome apiKey { id prefix } } }
  }
`);
