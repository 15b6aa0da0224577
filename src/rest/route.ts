import type { IncomingHttpHeaders } from 'node:http';
import type { acceptFields, Results } from '../domain/parse-fields.ts';
import type { Execute } from './execute.ts';

export interface RestRequest {
  /** Rejects the operation if the request has other errors, with those of its variables: see `check`. */
  readonly execute: Execute;
  /** Returns the valid ones of some fields. Their errors are those of the next operation, so that a caller gets all at once. */
  readonly check: <R extends Results>(fields: R) => ReturnType<typeof acceptFields<R>>;
  /** The `:id` of the path. */
  readonly id: string | undefined;
  /** The query parameters. Only parameters of the route are given, each once. */
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

/** A REST route. openapi.yaml describes each. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The names of its query parameters. */
  readonly query: readonly string[];
  /** The names of the optional fields of its body; `input` if it is an input object, whose fields GraphQL checks. */
  readonly body: 'input' | readonly string[];
  readonly takesIfMatch?: true;
  readonly answer: (request: RestRequest) => Promise<RestAnswer>;
}
