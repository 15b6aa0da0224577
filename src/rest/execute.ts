import type { ApolloServer } from '@apollo/server';
import { type ErrorCode, errorTable, type FieldError, LatchkeyError } from '../domain/errors.ts';
import { type GraphQLContext, graphqlContext } from '../graphql/context.ts';
import type { Caller } from '../manage/caller.ts';
import type { Management } from '../manage/management.ts';
import type { TypedDocumentString } from './generated/graphql.ts';

/** Variables as the REST caller sent them. GraphQL's coercion validates them. */
export type Unchecked<Variables> = { readonly [Name in keyof Variables]: unknown };

export type Execute = <Result, Variables>(
  operation: TypedDocumentString<Result, Variables>,
  variables: Unchecked<Variables>,
) => Promise<Result>;

/** Does nothing: a REST call has already been counted as one operation. */
const isCounted = async () => undefined;

/** Runs operations in process, on the same server as GraphQL requests. Throws the first error of the response. */
export function executor(server: ApolloServer<GraphQLContext>, management: Management, caller: Caller): Execute {
  return async <Result, Variables>(
    operation: TypedDocumentString<Result, Variables>,
    variables: Unchecked<Variables>,
  ) => {
    const { body } = await server.executeOperation(
      { query: operation.toString(), variables },
      { contextValue: graphqlContext(management, caller, isCounted) },
    );
    if (body.kind !== 'single') throw new Error('the REST operations are not incremental');
    const { data, errors } = body.singleResult;
    const error = errors?.[0];
    if (error !== undefined) throw errorFrom(error.message, error.extensions ?? {});
    // The type was generated from this operation.
    return data as Result;
  };
}

function errorFrom(
  message: string,
  { code, errors, keyId, retryAfterSeconds }: Readonly<Record<string, unknown>>,
): LatchkeyError {
  // The extensions were written by formatError (src/graphql/errors.ts).
  const known =
    typeof code === 'string' && Object.hasOwn(errorTable, code) ? (code as ErrorCode) : 'INTERNAL_SERVER_ERROR';
  return new LatchkeyError(known, message, {
    fields: Array.isArray(errors) ? (errors as FieldError[]) : [],
    keyId: typeof keyId === 'string' ? keyId : undefined,
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
  });
}
