/** A key that the user wants to create, as it is entered. */
import type { CreateKeyInput, KeyEnv, KeySettingsQuery } from '../../generated/graphql.ts';
import { noRateLimit, type RateLimitDraft, rateLimitIn } from '../../key-settings/rate-limit.ts';
import { entriesOf } from '../../key-settings/sources.ts';

export interface Wish {
  readonly name: string;
  readonly env: KeyEnv;
  readonly expiresAt: Date | null;
  /** One source per line. */
  readonly sources: string;
  readonly scopes: readonly string[];
  readonly signing: boolean;
  readonly rateLimit: RateLimitDraft;
  readonly externalId: string;
  readonly tags: readonly string[];
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
    rateLimit: noRateLimit,
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
    rateLimit: key.rateLimit ?? noRateLimit,
    externalId: key.externalId ?? '',
    tags: key.tags,
    metadata: key.metadata == null ? '' : JSON.stringify(key.metadata, null, 2),
  };
}

/** Changes what the parameters of the page name, so that a link can prepare a key. */
export function withParameters(wish: Wish, parameters: URLSearchParams): Wish {
  const text = (name: string, otherwise: string) => parameters.get(name) ?? otherwise;
  const number = <T>(name: string, otherwise: T) => (parameters.has(name) ? Number(parameters.get(name)) : otherwise);
  const list = (name: string, otherwise: readonly string[]) =>
    parameters.has(name) ? parameters.getAll(name) : otherwise;
  const asked = parameters.get('env');
  const env = asked === 'live' || asked === 'test' ? asked : wish.env;
  return {
    name: text('name', wish.name).slice(0, 100),
    env,
    expiresAt: expiryIn(parameters.get('expires'), env === wish.env ? wish.expiresAt : defaultExpiry(env)),
    sources: list('source', [wish.sources]).join('\n'),
    scopes: list('scope', wish.scopes),
    signing: parameters.has('signing') ? parameters.get('signing') === 'on' : wish.signing,
    rateLimit: {
      limit: number('limit', wish.rateLimit.limit),
      windowSeconds: number('window', wish.rateLimit.windowSeconds),
    },
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
    scopes: [...wish.scopes],
    signing: wish.signing,
    rateLimit: rateLimitIn(wish.rateLimit),
    externalId: wish.externalId.trim() === '' ? null : wish.externalId,
    tags: [...wish.tags],
    metadata: wish.metadata.trim() === '' ? null : JSON.parse(wish.metadata),
  };
}
