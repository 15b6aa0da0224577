/** The GraphQL operations of usage. */
import { graphql } from '../generated/gql.ts';

export const rejectedKeys = graphql(`
  query RejectedKeys($teamId: UUID!, $from: DateTime!, $to: DateTime!) {
    rejectedKeys(teamId: $teamId, from: $from, to: $to) { apiKey { id name } count counts { code count } }
  }
`);
