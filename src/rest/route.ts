import type { IncomingHttpHeaders } from 'node:http';
import type { Execute } from './execute.ts';

export interface RestRequest {
  readonly execute: Execute;
  /** The `:id` of the path. */
  readonly id: string | undefined;
  /** The query parameters. Only parameters of the route are given, each once. */
  readonly query: Readonly<Record<string, string>>;
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
