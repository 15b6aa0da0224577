import type { IncomingHttpHeaders } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import type { acceptFields, Results } from '../domain/parse-fields.ts';
import { type Admission, type GraphQLContext, graphqlContext } from '../graphql/context.ts';
import type { Caller, Management } from '../manage/management.ts';
import type { TypedDocumentString } from './generated/graphql.ts';

/** A REST route. `openapi/texts.yaml` describes it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The names of the query parameters. */
  readonly query?: readonly string[];
  /** The names of the query parameters that are repeated for several values. */
  readonly lists?: readonly string[];
  /** The names of the optional fields of the body; `input` if the body is an input object, which GraphQL checks. */
  readonly body?: 'input' | readonly string[];
  readonly takesIfMatch?: true;
  readonly answer: (request: RestRequest) => Promise<RestAnswer>;
}

export interface RestRequest {
  /** Runs an operation. If `check` found errors, runs nothing, and throws these errors with those of the variables. */
  readonly execute: Execute;
  /** Returns the valid fields. `execute` throws the errors of all invalid fields, so that callers get all at once. */
  readonly check: <R extends Results>(fields: R) => ReturnType<typeof acceptFields<R>>;
  /** The `:id` of the path. */
  readonly id: string | undefined;
  /** The query parameters. Contains only parameters of the route, each given once. */
  readonly query: Readonly<Partial<Record<string, string>>>;
  /** The values of the parameters that are repeated. */
  readonly lists: Readonly<Partial<Record<string, readonly string[]>>>;
  /** The fields of the JSON body; empty if there was no body. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  readonly waitForEvents: WaitForEvents;
}

/** The team, the position and the types (null: all) of a call that found no event. */
export interface EventWait {
  readonly teamId: string;
  readonly after: string;
  readonly types: readonly string[] | null;
}

/**
 * Waits until the team has such an event after the position, at most for `timeoutMs`. Can end earlier. Returns false if
 * the service stops. Throws RATE_LIMITED if too many calls wait.
 */
export type WaitForEvents = (wait: EventWait, timeoutMs: number) => Promise<boolean>;

export interface RestAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A value to serialize as JSON, or a stream of JSON text. */
  readonly body: object | AsyncIterable<string>;
}

/** Runs an operation. GraphQL validates the variables, which are as the REST caller sent them. */
export type Execute = <Result, Variables>(
  operation: TypedDocumentString<Result, Variables>,
  variables: { readonly [Name in keyof Variables]: unknown },
) => Promise<Result>;

/**
 * Returns a function that runs operations in process, on the same server as GraphQL requests. It throws the first error
 * of the response. If there are `inputErrors`, no operation runs.
 */
export function executor(
  server: ApolloServer<GraphQLContext>,
  management: Management,
  caller: Caller,
  admission: Pick<Admission, 'takeTurn' | 'inputErrors'>,
): Execute {
  // The REST call was already counted as one operation.
  const countOperations = async () => undefined;
  return async <Result, Variables>(operation: TypedDocumentString<Result, Variables>, variables: object) => {
    const contextValue = graphqlContext(management, caller, { countOperations, singleIsList: false, ...admission });
    const { body } = await server.executeOperation({ query: operation.toString(), variables }, { contextValue });
    const [error] = contextValue.errors;
    if (error !== undefined) throw error;
    if (body.kind !== 'single') throw new Error('the REST operations are not incremental');
    // The type was generated from this operation.
    return body.singleResult.data as Result;
  };
}
