/** Collects the parsed fields of an input, so that a caller gets the errors of all fields at once. */
import { badInput, type FieldError } from './errors.ts';
import { type Accepted, accepted, type Parsed } from './parsed.ts';

/** The result of parsing several fields: all values or all errors. */
export type ParsedFields<T> = Accepted<T> | { readonly ok: false; readonly errors: readonly FieldError[] };

type Result<T> = Parsed<T> | ParsedFields<T>;
type Results = Readonly<Record<string, Result<unknown>>>;
type ValueOf<R> = R extends Accepted<infer T> ? T : never;
type Values<R> = { -readonly [Name in keyof R]: ValueOf<R[Name]> };

/** Returns the values of the fields under their names. Throws BAD_USER_INPUT with the errors of all fields. */
export function parseFields<R extends Results>(results: R): Values<R> {
  const parsed = parsedObject(results);
  if (!parsed.ok) throw badInput(parsed.errors);
  return parsed.value;
}

/** Collects the fields of a nested object. */
export function parsedObject<R extends Results>(results: R): ParsedFields<Values<R>> {
  const entries = Object.entries(results);
  const errors = entries.flatMap(([name, result]) => errorsOf(name, result));
  if (errors.length > 0) return { ok: false, errors };
  const values = entries.flatMap(([name, result]) => (result.ok ? [[name, result.value] as const] : []));
  // Every result was accepted, so each name has the value of its own result.
  return accepted(Object.fromEntries(values) as Values<R>);
}

/** Collects the items of a list. */
export function parsedList<T>(results: readonly Result<T>[]): ParsedFields<T[]> {
  const errors = results.flatMap((result, i) => errorsOf(`[${i}]`, result));
  if (errors.length > 0) return { ok: false, errors };
  return accepted(results.flatMap((result) => (result.ok ? [result.value] : [])));
}

/** Parses a value if there is one. */
export function parseOptional<V, R extends Result<unknown>>(
  value: V | null | undefined,
  parse: (value: V) => R,
): R | Accepted<null> {
  return value === null || value === undefined ? accepted(null) : parse(value);
}

function errorsOf(name: string, result: Result<unknown>): readonly FieldError[] {
  if (result.ok) return [];
  if ('problem' in result) return [{ field: name, message: result.problem }];
  return result.errors.map(({ field, message }) => ({
    field: field.startsWith('[') ? `${name}${field}` : `${name}.${field}`,
    message,
  }));
}
