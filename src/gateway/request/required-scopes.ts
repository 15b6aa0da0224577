import { parseScope } from '../../domain/key/scope.ts';
import { limits } from '../../domain/limits.ts';

export const noScopes: readonly string[] = [];

/** Parses the scopes that a request needs. `reject` is called for each error, with the path of the field. */
export function requiredScopes(
  value: unknown,
  field: string,
  reject: (field: string, message: string) => void,
): readonly string[] {
  if (!isStringList(value)) {
    reject(field, 'must be a list of strings');
    return noScopes;
  }
  if (value.length > limits.scopes) {
    reject(field, `must have at most ${limits.scopes} entries`);
    return noScopes;
  }
  for (const [i, text] of value.entries()) {
    const scope = parseScope(text);
    if (!scope.ok) reject(`${field}[${i}]`, scope.problem);
  }
  return value;
}

export function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
