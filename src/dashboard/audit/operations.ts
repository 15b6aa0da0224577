/** The GraphQL operations of the audit page. */
import { graphql } from '../generated/gql.ts';

export const teamTrail = graphql(`
  query TeamTrail(
    $teamId: UUID!, $keyId: UUID, $action: [AuditAction!], $actor: String, $from: DateTime, $to: DateTime,
    $first: Int!, $after: String
  ) {
    auditLog(
      teamId: $teamId, keyId: $keyId, action: $action, actor: $actor, from: $from, to: $to, first: $first, after: $after
    ) {
      nodes {
        id action keyId keyName actor actorKind source requestId at changes { field before after added removed }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);
