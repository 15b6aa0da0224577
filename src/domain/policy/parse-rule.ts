import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { parseScope } from '../key/scope.ts';
import { limits } from '../limits.ts';
import { parsedList, parsedObject, type Result } from '../parse-fields.ts';
import { parseLine } from '../text.ts';

export interface PermittedScope {
  readonly name: string;
  /** For people who choose scopes; null if there is none. */
  readonly description: string | null;
}

export interface PermittedScopeInput {
  readonly name: string;
  readonly description?: string | null | undefined;
}

export function parseSeconds(seconds: number): Parsed<number> {
  const { minPolicySeconds: min, maxPolicySeconds: max } = limits;
  const isWithin = Number.isInteger(seconds) && seconds >= min && seconds <= max;
  return isWithin ? accepted(seconds) : rejected(`must be from ${min} to ${max}`);
}

export function parseScopes(scopes: readonly PermittedScopeInput[]): Result<readonly PermittedScope[]> {
  return parsedList(scopes, limits.permittedScopes, ({ name, description }, i): Result<PermittedScope> => {
    if (scopes.findIndex((scope) => scope.name === name) < i) return rejected('must not be given twice');
    return parsedObject({
      name: parseScope(name),
      description: description == null ? accepted(null) : parseLine(description, limits.scopeDescriptionCharacters),
    });
  });
}
