/**
 * Parses the URL of `/v1/authorize`, in which the operator configures the environment and the scopes that the API needs.
 * nginx and Traefik call a fixed URL, with `?env=live&scope=a&scope=b`. Envoy puts a prefix before the client's path:
 * `/v1/authorize/live;scope=a;scope=b/original?path`.
 */
import { badInput, type FieldError, LatchkeyError } from '../../domain/errors.ts';
import type { KeyEnv } from '../../domain/key/api-key.ts';
import { LruMap } from '../../lib/lru-map.ts';
import { requiredScopes } from './verify-call.ts';

export const authorizePath = '/v1/authorize';

/** What the operator requires of a key. */
export interface Requirements {
  readonly env: KeyEnv | undefined;
  readonly scopes: readonly string[];
}

interface AuthorizeTarget {
  readonly required: Requirements;
  /** The client's path and query, which only Envoy puts into the URL; otherwise empty. */
  readonly original: string;
}

const maxRemembered = 100;

/** Caches results, because a gateway calls only a few targets. Does not cache errors. */
export function remembered<Result>(parse: (text: string) => Result): (text: string) => Result {
  const results = new LruMap<Result>(maxRemembered);
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = parse(text);
    results.set(text, result);
    return result;
  };
}

/** Parses a query such as `?env=live&scope=a&scope=b`; an empty text requires nothing. */
export const queryRequirements = remembered((query) => {
  const parameters = new URLSearchParams(query);
  if ([...parameters.keys()].some((name) => name !== 'env' && name !== 'scope')) {
    throw badInput([{ field: 'query', message: 'can have only the parameters env and scope' }]);
  }
  const [env, ...repeated] = parameters.getAll('env');
  if (repeated.length > 0) throw badInput([{ field: 'env', message: 'must be given once' }]);
  return { env: environment(env), scopes: scopesOf(parameters.getAll('scope')) };
});

const segmentRequirements = remembered((segment) => {
  const [env = '', ...parameters] = segment.split(';');
  return { env: env === 'any' ? undefined : environment(env), scopes: scopesOf(parameters.map(scopeParameter)) };
});

export function queryTarget(url: string): AuthorizeTarget {
  const next = url[authorizePath.length];
  // Envoy's /v1/authorize/live would otherwise cause an error about the query.
  if (next === '/') throw new LatchkeyError('NOT_FOUND', 'A path below this one is for GATEWAY=envoy only.');
  return { required: queryRequirements(url.slice(authorizePath.length)), original: '' };
}

/** Parses a URL of Envoy. After scopes, the client's part must begin with a slash, so that it can't extend a scope. */
export function segmentTarget(url: string): AuthorizeTarget {
  const [, segment = '', original = ''] = /^\/v1\/authorize\/([^/?]*)(.*)$/s.exec(url) ?? [];
  if (original.startsWith('/')) return { required: segmentRequirements(segment), original };
  const required = segmentRequirements(segment);
  if (required.scopes.length > 0) throw badInput([{ field: 'scope', message: 'must be followed by a path' }]);
  return { required, original: `/${original}` };
}

export function environment(text: string | undefined): KeyEnv | undefined {
  if (text === undefined || text === 'live' || text === 'test') return text;
  throw badInput([{ field: 'env', message: 'must be one of live, test' }]);
}

function scopeParameter(text: string): string {
  const [, encoded] = /^scope=(.*)$/s.exec(text) ?? [];
  if (encoded === undefined) throw badInput([{ field: 'scope', message: 'must follow as ;scope=<scope>' }]);
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw badInput([{ field: 'scope', message: 'must be percent-encoded UTF-8' }]);
  }
}

export function scopesOf(texts: readonly string[]): readonly string[] {
  const errors: FieldError[] = [];
  const scopes = requiredScopes(texts, 'scope', (field, message) => errors.push({ field, message }));
  if (errors.length > 0) throw badInput(errors);
  return scopes;
}
