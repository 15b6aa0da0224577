/** Reads the fields of parsed JSON. An unknown field is an error: it could be a misspelled optional one. */
import { HistoryError } from './format.ts';

type Check<Value> = (value: unknown) => value is Value;

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
export const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
export const isTrue = (value: unknown): value is true => value === true;
export const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
export const orNull =
  <Value>(check: Check<Value>): Check<Value | null> =>
  (value): value is Value | null =>
    value === null || check(value);
export const oneOf =
  <Value extends string>(...values: readonly Value[]): Check<Value> =>
  (value): value is Value =>
    values.some((one) => one === value);

/** The checks of the fields of a type; an optional field has a check in `optional`. */
export interface Shape<Required, Optional = object> {
  readonly required: { readonly [Name in keyof Required]: Check<Required[Name]> };
  readonly optional?: { readonly [Name in keyof Optional]: Check<Optional[Name]> };
}

/** Returns the value unchanged, if its fields are those of the shape. `what` names it in errors. */
export function read<Required, Optional = object>(
  what: string,
  value: unknown,
  { required, optional }: Shape<Required, Optional>,
): Required & Partial<Optional> {
  if (!hasFields(value)) throw new HistoryError(`${what} is not an object`);
  const checks: Readonly<Record<string, Check<unknown>>> = { ...required, ...optional };
  for (const [name, field] of Object.entries(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) throw new HistoryError(`${what} has an unknown field ${shown(name)}`);
    if (!check(field)) throw new HistoryError(`"${name}" of ${what} is not as expected: ${shown(field)}`);
  }
  const missing = Object.keys(required).find((name) => !(name in value));
  if (missing !== undefined) throw new HistoryError(`${what} has no "${missing}"`);
  return value as Required & Partial<Optional>;
}

export function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const shownCharacters = 80;

/** Returns the value for an error message. Arrays and objects are not shown: they can be too large or too deep for it. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(
    isText(value) && value.length > shownCharacters ? `${value.slice(0, shownCharacters)}…` : value,
  );
}
