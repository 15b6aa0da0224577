/** The keys for session tokens that an identity provider publishes: a JSON Web Key Set (RFC 7517) at a URL. */
import { KeyObject } from 'node:crypto';
import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors } from 'jose';
import { LatchkeyError } from '../domain/errors.ts';
import { boundedFetch } from '../lib/bounded-fetch.ts';
import { codeOf, connectionProblem } from '../lib/connection-problem.ts';
import { Waiters } from '../lib/waiters.ts';
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

const anyNumber = new Waiters(Number.POSITIVE_INFINITY, () => unavailable(undefined));

/**
 * Decides when jose fetches and parses the keys. jose itself would fetch for every token while the key server fails,
 * and uses the system clock, so that setting the clock back would extend trust in a withdrawn key.
 */
export function jwksTokenKeys(url: string, timeoutMs = fetchTimeoutMs, waiters = anyNumber): TokenKeys {
  const fetchTokenKeys = keyFetcher(url, timeoutMs);
  let keys = new UsableKeys();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let fetching: Promise<void> | null = null;

  async function fetchKeys(now: number): Promise<void> {
    try {
      keys = await fetchTokenKeys();
      fetchedAt = now;
    } catch (error) {
      failedAt = now;
      failure = error;
      throw unavailable(error);
    }
  }

  return {
    find: async (kid, now, alg) => {
      if (kid === undefined && alg === undefined) return null;
      const age = now - fetchedAt;
      const known = keys.find(kid, alg);
      if (known !== null && age < maxAgeMs) return known;
      if (age < cooldownMs) return null;
      if (fetching === null && now - failedAt < pauseMs) throw unavailable(failure);
      await waiters.wait(() => {
        fetching ??= fetchKeys(now).finally(() => {
          fetching = null;
        });
        return fetching;
      });
      return keys.find(kid, alg);
    },
  };
}

/** Returns why the keys at this URL can't be used, or null if they can. The text contains nothing of the response. */
export async function problemOfKeySet(
  url: string,
  timeoutMs = fetchTimeoutMs,
  { isIdNeeded = true } = {},
): Promise<string | null> {
  try {
    const { byId } = await keyFetcher(url, timeoutMs)();
    return isIdNeeded && byId.size === 0 ? 'it has no usable key with an id (kid), which session tokens name' : null;
  } catch (error) {
    return keySetProblem(error, timeoutMs).problem;
  }
}

/** Returns what is wrong, from the cause of the UNAVAILABLE that `jwksTokenKeys` throws, and whether it can pass by itself. */
export function keySetProblem(
  error: unknown,
  timeoutMs = fetchTimeoutMs,
): { readonly problem: string; readonly isTemporary: boolean } {
  if (error instanceof KeySetError) return { problem: error.message, isTemporary: error.isTemporary };
  const cause = error instanceof Error ? error.cause : undefined;
  if (error instanceof errors.JWKSInvalid || cause instanceof SyntaxError) {
    return { problem: notAKeySet, isTemporary: false };
  }
  const isLate = cause instanceof Error && cause.name === 'TimeoutError';
  const problem = isLate
    ? `it gave no answer within ${timeoutMs} ms: check the URL and the network`
    : connectionProblem(codeOf(cause));
  return { problem, isTemporary: true };
}

const notAKeySet =
  'its answer is not a JSON Web Key Set (RFC 7517, section 5): correct the URL, which discovery calls jwks_uri';
const noUsableKey = 'it has no usable key: expected RSA of at least 2048 bits (RS256) or elliptic on P-256 (ES256)';

class UsableKeys {
  readonly byId = new Map<string, TokenKey>();
  readonly withoutId: TokenKey[] = [];

  find(kid: string | undefined, alg: string | undefined): TokenKey | null {
    if (kid !== undefined) return this.byId.get(kid) ?? null;
    const fitting = [...this.byId.values(), ...this.withoutId].filter(({ algorithm }) => algorithm === alg);
    return fitting.length === 1 ? (fitting[0] ?? null) : null;
  }
}

/** A response with an error status, with too many keys or without usable ones. */
class KeySetError extends Error {
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary = false) {
    super(message);
    this.isTemporary = isTemporary;
  }
}

/** Returns a function that fetches the usable keys. The timeout covers the whole response. */
function keyFetcher(url: string, timeoutMs: number): () => Promise<UsableKeys> {
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
      const problem = `it answered ${response.status}: correct the URL, or see the log of that server`;
      throw new KeySetError(problem, response.status >= 500 || response.status === 429);
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
    const keys = new UsableKeys();
    // Several keys with one id are looked up together, so that jose rejects those that can't be told apart.
    for (const kid of new Set(published.flatMap(({ kid }) => (kid === undefined ? [] : [kid])))) {
      const key = await usableKey(keySet, kid);
      if (key !== null) keys.byId.set(kid, key);
    }
    for (const jwk of published.filter(({ kid }) => kid === undefined)) {
      const key = await usableKey(createLocalJWKSet({ keys: [jwk] }), undefined);
      if (key !== null) keys.withoutId.push(key);
    }
    if (keys.byId.size + keys.withoutId.length === 0) throw new KeySetError(noUsableKey);
    return keys;
  };
}

/**
 * Returns the key with this id. jose rejects a key that is declared for another algorithm or use, even if its type fits
 * (RFC 8725, section 3.1).
 */
async function usableKey(
  keySet: (header: { readonly alg: string; readonly kid?: string }) => Promise<Parameters<typeof KeyObject.from>[0]>,
  kid: string | undefined,
): Promise<TokenKey | null> {
  for (const alg of ['RS256', 'ES256']) {
    try {
      return tokenKeyOf(KeyObject.from(await keySet(kid === undefined ? { alg } : { alg, kid })));
    } catch {
      // It is not a key for this algorithm.
    }
  }
  return null;
}

function unavailable(cause?: unknown): LatchkeyError {
  return new LatchkeyError('UNAVAILABLE', "The keys for session tokens can't be fetched; try again shortly.", {
    cause,
  });
}
