/** Collects the parsed fields of an input, so that a caller gets the errors of all fields at once. */
import { canonicalJson } from '../lib/canonical-json.ts';
import { type Accepted, accepted, type Parsed, rejected } from '../lib/parsed.ts';
import { badInput, type FieldError, isFull } from './errors.ts';

/** The result of parsing several fields: all values or all errors. */
export type ParsedFields<T> = Accepted<T> | { readonly ok: false; readonly errors: readonly FieldError[] };

export type Result<T> = Parsed<T> | ParsedFields<T>;
export type Results = Readonly<Record<string, Result<unknown>>>;
type ValueOf<R> = R extends Accepted<infer T> ? T : never;
type Values<R> = { -readonly [Name in keyof R]: ValueOf<R[Name]> };

/** Returns the values of the fields under their names. Throws BAD_USER_INPUT with the errors of all fields. */
export function parseFields<R extends Results>(results: R): Values<R> {
  const parsed = parsedObject(results);
  if (!parsed.ok) throw badInput(parsed.errors);
  return parsed.value;
}

/** Returns the accepted values under their names, and adds the errors of the other fields to `errors`. */
export function acceptFields<R extends Results>(results: R, errors: FieldError[]): Partial<Values<R>> {
  const entries = Object.entries(results);
  for (const [name, result] of entries) errors.push(...errorsOf(name, result));
  const values = entries.flatMap(([name, result]) => (result.ok ? [[name, result.value] as const] : []));
  // Each name gets the value of its own result.
  return Object.fromEntries(values) as Partial<Values<R>>;
}

/** Returns the values of a nested object, or the errors of all its fields. */
export function parsedObject<R extends Results>(results: R): ParsedFields<Values<R>> {
  const errors: FieldError[] = [];
  const values = acceptFields(results, errors);
  // Without errors, every result was accepted.
  return errors.length > 0 ? { ok: false, errors } : accepted(values as Values<R>);
}

/** Parses the items of a list. Rejects a list that is too long, and stops when an answer can't list more errors. */
export function parsedList<V, T>(
  items: readonly V[],
  maxItems: number,
  parse: (item: V, index: number) => Result<T>,
): Result<T[]> {
  if (items.length > maxItems) return rejected(`must have at most ${maxItems} entries`);
  const [values, errors]: [T[], FieldError[]] = [[], []];
  for (const [i, item] of items.entries()) {
    const result = parse(item, i);
    if (result.ok) values.push(result.value);
    else errors.push(...errorsOf(`[${i}]`, result));
    if (isFull(errors)) break;
  }
  return errors.length > 0 ? { ok: false, errors } : accepted(values);
}

/**
 * Leaves out the rejected fields whose given value is the current value, which was accepted when it was set. So neither
 * the time that has passed since then nor a newer rule makes the change of other fields fail.
 */
export function withoutUnchanged<R extends Results>(
  results: R,
  given: Readonly<Partial<Record<keyof R, unknown>>>,
  current: Readonly<Partial<Record<keyof R, unknown>>>,
): Partial<R> {
  const kept = Object.entries(results).filter(([name, result]) => {
    const value = canonicalJson(given[name]);
    return result.ok || value === null || value !== canonicalJson(current[name]);
  });
  // Each name keeps its own result.
  return Object.fromEntries(kept) as Partial<R>;
}

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
