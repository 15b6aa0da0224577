/** The keys for session tokens that an identity provider publishes: a JSON Web Key Set (RFC 7517) at a URL. */
import { KeyObject } from 'node:crypto';
import { createRemoteJWKSet, customFetch, errors } from 'jose';
import { LatchkeyError } from '../domain/errors.ts';
import { boundedFetch } from '../lib/bounded-fetch.ts';
import { codeOf, connectionProblem } from '../lib/connection-problem.ts';
import { type TokenKey, type TokenKeys, tokenKeyOf } from './token-keys.ts';

/** Keys are fetched again after this time, so that a withdrawn key is no longer trusted. */
const maxAgeMs = 10 * 60_000;
/** The minimum time between fetches, because unauthenticated clients can cause fetches with invented key ids. */
const cooldownMs = 3000;
/** The minimum time after a failed fetch: short, so that a recovery of the key server is noticed within a second. */
const pauseMs = 1000;

const fetchTimeoutMs = 5000;
/** Far more than providers publish. Each lookup scans the whole list, which takes 21 s for 12,000 keys. */
const maxKeys = 100;

/**
 * Decides when jose fetches and parses the keys. jose itself would fetch for every token while the key server fails,
 * and uses the system clock, so that setting the clock back would extend trust in a withdrawn key.
 */
export function jwksTokenKeys(url: string, timeoutMs = fetchTimeoutMs): TokenKeys {
  const fetchTokenKeys = keyFetcher(url, timeoutMs);
  let keys: ReadonlyMap<string, TokenKey> = new Map();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | null = null;

  async function fetchKeys(now: number): Promise<void> {
    try {
      keys = await fetchTokenKeys();
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

/** Returns why the keys at this URL can't be used, or null if they can. The text contains nothing of the response. */
export async function problemOfKeySet(url: string, timeoutMs = fetchTimeoutMs): Promise<string | null> {
  try {
    await keyFetcher(url, timeoutMs)();
    return null;
  } catch (error) {
    if (error instanceof KeySetError) return error.message;
    const cause = error instanceof Error ? error.cause : undefined;
    if (error instanceof errors.JWKSInvalid || cause instanceof SyntaxError) return notAKeySet;
    if (cause instanceof Error && cause.name === 'TimeoutError') {
      return `it gave no answer within ${timeoutMs} ms: check the URL and the network`;
    }
    return connectionProblem(codeOf(cause));
  }
}

const notAKeySet =
  'its answer is not a JSON Web Key Set (RFC 7517, section 5): correct the URL, which discovery calls jwks_uri';
const noUsableKey =
  'it has no usable key: expected one with a kid, RSA of at least 2048 bits (RS256) or elliptic on P-256 (ES256)';

/** A response with an error status, with too many keys or without usable ones. */
class KeySetError extends Error {}

/** Returns a function that fetches the usable keys. The timeout covers the whole response. */
function keyFetcher(url: string, timeoutMs: number): () => Promise<ReadonlyMap<string, TokenKey>> {
  const keySet = createRemoteJWKSet(new URL(url), {
    timeoutDuration: timeoutMs,
    // These settings make jose fetch only in `reload`.
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    [customFetch]: async (address, options) => {
      const response = await boundedFetch(address, options);
      if (response.status === 200) return response;
      await response.body?.cancel();
      // jose's own error does not name the status.
      throw new KeySetError(`it answered ${response.status}: correct the URL, or see the log of that server`);
    },
  });
  return async () => {
    await keySet.reload();
    const published = keySet.jwks()?.keys ?? [];
    if (published.length > maxKeys) {
      throw new KeySetError(
        `it has ${published.length} keys, and at most ${maxKeys} are read: remove those not in use`,
      );
    }
    const kids = new Set(published.flatMap(({ kid }) => (kid === undefined ? [] : [kid])));
    const keys = new Map<string, TokenKey>();
    for (const kid of kids) {
      const key = (await usableKey(keySet, 'RS256', kid)) ?? (await usableKey(keySet, 'ES256', kid));
      if (key !== null) keys.set(kid, key);
    }
    if (keys.size === 0) throw new KeySetError(noUsableKey);
    return keys;
  };
}

/**
 * Returns the key for tokens with this algorithm and id. jose rejects a key that is declared for another algorithm or
 * use, even if its type fits (RFC 8725, section 3.1).
 */
async function usableKey(
  keySet: ReturnType<typeof createRemoteJWKSet>,
  alg: 'RS256' | 'ES256',
  kid: string,
): Promise<TokenKey | null> {
  try {
    return tokenKeyOf(KeyObject.from(await keySet({ alg, kid })));
  } catch {
    return null;
  }
}

function unavailable(cause?: unknown): LatchkeyError {
  return new LatchkeyError('UNAVAILABLE', "The keys for session tokens can't be fetched; try again shortly.", {
    cause,
  });
}
