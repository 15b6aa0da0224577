/** The keys for session tokens that an identity provider publishes: a JSON Web Key Set (RFC 7517) at a URL. */
import { JwksClient, JwksError, type SigningKey } from 'jwks-rsa';
import { LatchkeyError } from '../domain/errors.ts';
import { parsePublicKey, type TokenKey, type TokenKeys } from './token-keys.ts';

/** Keys are fetched again after this time, so that a withdrawn key is no longer trusted. */
const maxAgeMs = 10 * 60_000;
/** The minimum time between fetches. Otherwise unauthenticated clients could cause fetches with invented key ids. */
const cooldownMs = 30_000;
/** The same while the key server fails. Short, so that its recovery is noticed within a second. */
const pauseMs = 1000;

const fetchTimeoutMs = 5000;

export function jwksTokenKeys(url: string, timeoutMs = fetchTimeoutMs): TokenKeys {
  let keys = new Map<string, TokenKey>();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | null = null;

  async function fetchKeys(now: number): Promise<void> {
    try {
      keys = await fetchTokenKeys(url, timeoutMs);
      fetchedAt = now;
    } catch (error) {
      failedAt = now;
      throw unavailable(error);
    }
  }

  return {
    find: async (kid, now) => {
      if (kid === undefined) return null;
      const age = now - fetchedAt;
      const known = keys.get(kid);
      if (known !== undefined && age < maxAgeMs) return known;
      if (age < cooldownMs) return null;
      if (fetching === null && now - failedAt < pauseMs) throw unavailable();
      fetching ??= fetchKeys(now).finally(() => {
        fetching = null;
      });
      await fetching;
      return keys.get(kid) ?? null;
    },
  };
}

/** Returns why the keys at this URL can't be used; null when they can. The text contains nothing of the response. */
export async function problemOfKeySet(url: string, timeoutMs = fetchTimeoutMs): Promise<string | null> {
  try {
    const keys = await fetchTokenKeys(url, timeoutMs);
    return keys.size > 0 ? null : noUsableKey;
  } catch (error) {
    if (error instanceof KeySetError) return error.message;
    if (error instanceof JwksError) return noUsableKey;
    const { name = '', cause } = error instanceof Error ? error : {};
    if (name === 'TimeoutError') return `it gave no answer within ${timeoutMs} ms`;
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    return `it can't be reached${code}`;
  }
}

const noUsableKey =
  'it has no usable key: expected one with a kid, RSA of at least 2048 bits (RS256) or elliptic on P-256 (ES256)';

/** An invalid response of the key server. */
class KeySetError extends Error {}

async function fetchTokenKeys(url: string, timeoutMs: number): Promise<Map<string, TokenKey>> {
  const fetcher = (address: string) => fetchKeySet(address, timeoutMs);
  const client = new JwksClient({ jwksUri: url, cache: false, fetcher });
  return new Map((await client.getSigningKeys()).flatMap(usable));
}

/**
 * Fetches the key set, with a timeout for the whole response. The timeout of jwks-rsa is for a silent socket only, and
 * its promise never settles when a response is cut off.
 */
async function fetchKeySet(url: string, timeoutMs: number): Promise<{ keys: unknown }> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  const body = await response.text();
  if (!response.ok) throw new KeySetError(`it answered ${response.status}`);
  const answer = parseObject(body);
  if (!Array.isArray(answer?.keys)) throw new KeySetError('its answer is not a JSON Web Key Set (RFC 7517, section 5)');
  return { keys: answer.keys };
}

function parseObject(text: string): { readonly keys?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function usable(published: SigningKey): [string, TokenKey][] {
  try {
    const tokenKey = parsePublicKey(published.getPublicKey());
    // A key declared for another algorithm must not be used, even if its type fits: RFC 8725, section 3.1.
    return (published.alg ?? tokenKey.algorithm) === tokenKey.algorithm ? [[published.kid, tokenKey]] : [];
  } catch {
    return [];
  }
}

function unavailable(cause?: unknown): LatchkeyError {
  return new LatchkeyError('UNAVAILABLE', "The keys for session tokens can't be fetched; try again shortly.", {
    cause,
  });
}
