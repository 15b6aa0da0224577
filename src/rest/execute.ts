import type { ApolloServer } from '@apollo/server';
import { type Admission, type GraphQLContext, graphqlContext } from '../graphql/context.ts';
import type { Caller, Management } from '../manage/management.ts';
import type { TypedDocumentString } from './generated/graphql.ts';

/** Variables as the REST caller sent them. GraphQL's coercion validates them. */
export type Unchecked<Variables> = { readonly [Name in keyof Variables]: unknown };

export type Execute = <Result, Variables>(
  operation: TypedDocumentString<Result, Variables>,
  variables: Unchecked<Variables>,
) => Promise<Result>;

/** Does nothing: a REST call has already been counted as one operation. */
const countOperations = async () => undefined;

/**
 * Runs operations in process, on the same server as GraphQL requests. Throws the first error of the response. If there
 * are `inputErrors`, no operation runs.
 */
export function executor(
  server: ApolloServer<GraphQLContext>,
  management: Management,
  caller: Caller,
  admission: Pick<Admission, 'takeTurn' | 'inputErrors'>,
): Execute {
  return async <Result, Variables>(
    operation: TypedDocumentString<Result, Variables>,
    variables: Unchecked<Variables>,
  ) => {
    const context = graphqlContext(management, caller, { countOperations, ...admission });
    const { body } = await server.executeOperation(
      { query: operation.toString(), variables },
      { contextValue: context },
    );
    const [error] = context.errors;
    if (error !== undefined) throw error;
    if (body.kind !== 'single') throw new Error('the REST operations are not incremental');
    // The type was generated from this operation.
    return body.singleResult.data as Result;
  };
}
