/** texts.yaml: what the description says and neither the routes nor schema.graphql do. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Exceptions } from './answers.ts';
import type { Family } from './error-responses.ts';
import type { Json } from './schemas.ts';

export interface Texts {
  readonly operations: Readonly<Record<string, OperationTexts>>;
  readonly shared: unknown;
  readonly details: Readonly<Record<Family, Readonly<Record<string, string>>>>;
  readonly paths: Readonly<
    Record<string, { readonly servers?: unknown } & Readonly<Record<string, DescribedOperation>>>
  >;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    /** Null where the routes and schema.graphql give the schema. */
    readonly schemas: Readonly<Record<string, DescribedObject | null>>;
    readonly responses: Json;
  };
}

export interface OperationTexts {
  readonly id?: string;
  readonly summary: string;
  readonly description?: string;
  readonly instead?: string;
  readonly parameters?: readonly string[];
  readonly errors?: readonly string[];
  /** Although no field of the body is required alone. */
  readonly needsBody?: boolean;
  readonly answer: {
    readonly status?: number;
    /** What 201 says, of a route that can create what it answers. */
    readonly created?: string;
    readonly description: string;
    readonly schema: string;
    readonly but?: Exceptions;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

interface DescribedOperation {
  readonly errors?: { readonly of: Family; readonly codes: readonly string[] };
  readonly responses: Json;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
}

export interface DescribedObject {
  readonly type?: string;
  readonly properties?: Json;
  readonly optional?: readonly string[];
}

export function readTexts(): Texts {
  return parse(readFileSync(new URL('texts.yaml', import.meta.url), 'utf8'), { merge: true });
}

export function mapValues<Value, Result>(values: Readonly<Record<string, Value>>, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
