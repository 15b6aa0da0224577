/** Checks that a key has the scopes that a route needs. Uses web standards only. */

import { hasScopes, parseScope } from '../../domain/key/scope.ts';
import { limits } from '../../domain/limits.ts';
import type { VerifiedKey } from '../verdict.ts';
import { locationsOf } from './key-locations.ts';
import { type ProblemAnswer, problemAnswer } from './problem-answer.ts';

/** Returns the answer for a key that lacks a scope; null for a key that has all required scopes. */
export type ScopeCheck = (key: Pick<VerifiedKey, 'scopes'> | null | undefined) => ProblemAnswer | null;

export interface RequireScopesOptions {
  /** As in the options of `requireApiKey`. */
  readonly errorsUrl?: string | undefined;
}

/**
 * Returns the check that `requireScopes` runs in every framework. The check throws a TypeError if there is no key.
 *
 * @throws TypeError for an empty list, and what `checkScopes` throws
 */
export function createScopeCheck(scopes: readonly string[], { errorsUrl }: RequireScopesOptions): ScopeCheck {
  checkScopes(scopes);
  if (scopes.length === 0) throw new TypeError('requireScopes must have at least one scope');
  const requiredScopes = [...scopes];
  return (key) => {
    if (key === null || key === undefined) {
      throw new TypeError('requireScopes needs the key of the request: put requireApiKey before it');
    }
    if (hasScopes(key.scopes, requiredScopes)) return null;
    return problemAnswer('INSUFFICIENT_SCOPE', { requiredScopes, keyLocations: locationsOf(key), errorsUrl });
  };
}

/** Throws a TypeError for anything but a list of scope tokens, and for more scopes than a key can have. */
export function checkScopes(scopes: readonly string[]): void {
  // A string is not a list: `[...scopes]` would make each of its letters a scope.
  const areScopes = Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string' && parseScope(scope).ok);
  if (!areScopes || scopes.length > limits.scopes) {
    throw new TypeError(`requireScopes must be a list of at most ${limits.scopes} scope tokens`);
  }
}
