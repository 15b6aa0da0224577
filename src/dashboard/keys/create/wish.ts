/** A key that the user wants to create, as it is entered. */

import type { CreateKeyInput, KeyEnv, KeySettingsQuery } from '../../generated/graphql.ts';
import { entriesOf } from '../../key/sources.ts';

export interface Wish {
  readonly name: string;
  readonly env: KeyEnv;
  readonly expiresAt: Date | null;
  /** One source per line. */
  readonly sources: string;
  readonly scopes: string[];
  readonly signing: boolean;
  /** Empty if there is no rate limit. */
  readonly limit: number | string;
  readonly windowSeconds: string;
  readonly externalId: string;
  readonly tags: string[];
  /** JSON, or empty. */
  readonly metadata: string;
}

const dayMs = 86_400_000;
const defaultDays = 90;

/** A live key expires, unless the user decides otherwise: a forgotten one then ends by itself. */
export function defaultExpiry(env: KeyEnv): Date | null {
  return env === 'live' ? inDays(defaultDays) : null;
}

export function inDays(days: number): Date {
  return new Date(Date.now() + days * dayMs);
}

export function newWish(): Wish {
  return {
    name: '',
    env: 'live',
    expiresAt: defaultExpiry('live'),
    sources: '',
    scopes: [],
    signing: false,
    limit: '',
    windowSeconds: '60',
    externalId: '',
    tags: [],
    metadata: '',
  };
}

/** Returns a key with the settings of another one, and its lifetime from now on. */
export function wishLike(key: KeySettingsQuery['key']): Wish {
  const lifetime = key.expiresAt == null ? null : Date.parse(key.expiresAt) - Date.parse(key.createdAt);
  return {
    name: `Copy of ${key.name}`.slice(0, 100),
    env: key.env,
    expiresAt: lifetime === null ? null : new Date(Date.now() + lifetime),
    sources: key.allowedIps.join('\n'),
    scopes: key.scopes,
    signing: key.signingEnabled,
    limit: key.rateLimit?.limit ?? '',
    windowSeconds: String(key.rateLimit?.windowSeconds ?? 60),
    externalId: key.externalId ?? '',
    tags: key.tags,
    metadata: key.metadata == null ? '' : JSON.stringify(key.metadata, null, 2),
  };
}

/** Changes what the parameters of the page name, so that a link can prepare a key. */
export function withParameters(wish: Wish, parameters: URLSearchParams): Wish {
  const text = (name: string, otherwise: string) => parameters.get(name) ?? otherwise;
  const list = (name: string, otherwise: string[]) => (parameters.has(name) ? parameters.getAll(name) : otherwise);
  const asked = parameters.get('env');
  const env = asked === 'live' || asked === 'test' ? asked : wish.env;
  return {
    name: text('name', wish.name).slice(0, 100),
    env,
    expiresAt: expiryIn(parameters.get('expires'), env === wish.env ? wish.expiresAt : defaultExpiry(env)),
    sources: list('source', [wish.sources]).join('\n'),
    scopes: list('scope', wish.scopes),
    signing: parameters.has('signing') ? parameters.get('signing') === 'on' : wish.signing,
    limit: parameters.has('limit') ? Number(parameters.get('limit')) : wish.limit,
    windowSeconds: text('window', wish.windowSeconds),
    externalId: text('externalId', wish.externalId),
    tags: list('tag', wish.tags),
    metadata: text('metadata', wish.metadata),
  };
}

/** `never`, or a number of days. */
function expiryIn(text: string | null, otherwise: Date | null): Date | null {
  if (text === 'never') return null;
  const days = Number(text ?? '');
  return days > 0 && days < 36_500 ? inDays(days) : otherwise;
}

export function inputOf(teamId: string, wish: Wish): CreateKeyInput {
  return {
    teamId,
    name: wish.name,
    env: wish.env,
    expiresAt: wish.expiresAt?.toISOString() ?? null,
    allowedIps: entriesOf(wish.sources),
    scopes: wish.scopes,
    signing: wish.signing,
    rateLimit: wish.limit === '' ? null : { limit: Number(wish.limit), windowSeconds: Number(wish.windowSeconds) },
    externalId: wish.externalId.trim() === '' ? null : wish.externalId,
    tags: wish.tags,
    metadata: wish.metadata.trim() === '' ? null : JSON.parse(wish.metadata),
  };
}
