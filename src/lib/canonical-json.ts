import { isJsonObject } from './json-object.ts';

/**
 * Returns the same JSON for values that differ only in the order of members. Dates are in ISO 8601. Returns null for a
 * value that is nested too deeply for the stack.
 */
export function canonicalJson(value: unknown): string | null {
  try {
    return JSON.stringify(value, (_, member: unknown) => (isJsonObject(member) ? sorted(member) : member)) ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function sorted(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
