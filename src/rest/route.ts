import type { IncomingHttpHeaders } from 'node:http';
import type { acceptFields, Results } from '../domain/parse-fields.ts';
import type { RestOperation } from './rest-operation.ts';

/** Of RFC 9110, sections 13.1.1 and 13.1.2. */
export const conditions = ['If-Match', 'If-None-Match'] as const;
type Condition = (typeof conditions)[number];

/** A REST route: runs an operation and answers fields of its result. `openapi/texts.yaml` describes it. */
export interface RouteOf<Arguments extends object, Result> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The values that a parameter of the path has; another value is another path. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Fields of the input object that the path or the query has, and the body must not have. */
  readonly elsewhere?: readonly string[];
  /** The names of the query parameters. */
  readonly query?: readonly string[];
  /** The names of the query parameters that are repeated for several values. */
  readonly lists?: readonly string[];
  /** The names of the optional fields of the body; `input` if the body is an input object, which GraphQL checks. */
  readonly body?: 'input' | readonly string[];
  /** The conditional headers that the route takes. Other calls that change something are rejected with one. */
  readonly conditions?: readonly Condition[];
  readonly operation: RestOperation<Arguments, Result>;
  /** A method, so that routes of different operations are in one list. */
  answer(request: RestRequest<Arguments, Result>): Promise<RestAnswer>;
}

export type Route = RouteOf<object, unknown>;

export type RequestOf<Operation> =
  Operation extends RestOperation<infer Arguments, infer Result> ? RestRequest<Arguments, Result> : never;

export interface RestRequest<Arguments, Result> {
  readonly execute: Execute<Arguments, Result>;
  /** Returns the valid fields. `execute` throws the errors of all invalid fields, so that callers get all at once. */
  readonly check: <R extends Results>(fields: R) => ReturnType<typeof acceptFields<R>>;
  /** The `:id` of the path. */
  readonly id: string | undefined;
  /** The parameters of the path. */
  readonly path: Readonly<Partial<Record<string, string>>>;
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
  /** An HTML page, which is sent instead of the body. */
  readonly page?: string;
  /** A value to serialize as JSON, or a stream of JSON text. */
  readonly body: object | AsyncIterable<string>;
}

/**
 * Runs the operation of the route and returns its field. If `check` found errors, runs nothing, and throws these errors
 * with those of the arguments, which GraphQL validates as the REST caller sent them. In errors, arguments get the names
 * of the parameters that `names` has for them.
 */
export type Execute<Arguments, Result> = (
  args: { readonly [Name in keyof Arguments]?: unknown },
  names?: ReadonlyMap<string, string>,
) => Promise<Result>;
