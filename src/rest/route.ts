import type { IncomingHttpHeaders } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import type { acceptFields, Results } from '../domain/parse-fields.ts';
import { type Admission, type GraphQLContext, graphqlContext } from '../graphql/context.ts';
import type { Caller, Management } from '../manage/management.ts';
import type { TypedDocumentString } from './generated/graphql.ts';

/** A REST route. openapi.yaml describes each. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The names of its query parameters. */
  readonly query?: readonly string[];
  /** The names of the optional fields of its body; `input` if it is an input object, whose fields GraphQL checks. */
  readonly body?: 'input' | readonly string[];
  readonly takesIfMatch?: true;
  readonly answer: (request: RestRequest) => Promise<RestAnswer>;
}

export interface RestRequest {
  /** Rejects the operation if the request has other errors, with those of its variables: see `check`. */
  readonly execute: Execute;
  /** Returns the valid fields. The next operation throws the errors of the others, so that a caller gets all at once. */
  readonly check: <R extends Results>(fields: R) => ReturnType<typeof acceptFields<R>>;
  /** The `:id` of the path. */
  readonly id: string | undefined;
  /** Only parameters of the route, each given once. */
  readonly query: Readonly<Partial<Record<string, string>>>;
  /** The fields of the JSON body; empty when there was none. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
}

export interface RestAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value, or JSON text in pieces. */
  readonly body: object | AsyncIterable<string>;
}

/** Runs an operation with variables as the REST caller sent them: GraphQL validates them. */
export type Execute = <Result, Variables>(
  operation: TypedDocumentString<Result, Variables>,
  variables: { readonly [Name in keyof Variables]: unknown },
) => Promise<Result>;

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
  // A REST call was already counted as one operation.
  const countOperations = async () => undefined;
  return async <Result, Variables>(operation: TypedDocumentString<Result, Variables>, variables: object) => {
    const contextValue = graphqlContext(management, caller, { countOperations, ...admission });
    const { body } = await server.executeOperation({ query: operation.toString(), variables }, { contextValue });
    const [error] = contextValue.errors;
    if (error !== undefined) throw error;
    if (body.kind !== 'single') throw new Error('the REST operations are not incremental');
    // The type was generated from this operation.
    return body.singleResult.data as Result;
  };
}
