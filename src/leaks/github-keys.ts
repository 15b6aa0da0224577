/** GitHub's public keys for secret scanning, fetched when a report needs them. */
import type { KeyObject } from 'node:crypto';
import { LatchkeyError } from '../domain/errors.ts';
import { boundedFetch } from '../lib/bounded-fetch.ts';
import { parseGithubKey } from './github-signature.ts';

/** The keys are fetched again after this time, so that a withdrawn key is no longer trusted. */
const maxAgeMs = 60 * 60_000;
/** While GitHub can't be reached, the keys are trusted for this time. */
const maxStaleMs = 24 * 60 * 60_000;
/**
 * The minimum time between fetches. Unauthenticated clients can cause fetches with invented key ids, and GitHub answers
 * only 60 unauthenticated requests an hour.
 */
const minIntervalMs = 60_000;
const fetchTimeoutMs = 5000;
const maxKeys = 100;

type Keys = ReadonlyMap<string, KeyObject>;

export class GithubKeys {
  readonly #url: string;
  readonly #timeoutMs: number;
  #keys: Keys = new Map();
  #etag: string | null = null;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | null = null;
  #failure: unknown = null;

  constructor(url: string, timeoutMs = fetchTimeoutMs) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Returns the key with this id; null if GitHub has none. Fetches the keys at most once a minute, whatever is asked.
   * Throws UNAVAILABLE if they can't be fetched and none is cached.
   * @param now the time of a monotonic clock in ms, so that setting the system clock does not extend trust in a key
   */
  async find(keyId: string, now: number): Promise<KeyObject | null> {
    const known = this.#keys.get(keyId);
    if (known !== undefined && now - this.#fetchedAt < maxAgeMs) return known;
    if (this.#fetching === null && now - this.#attemptedAt >= minIntervalMs) {
      this.#attemptedAt = now;
      this.#fetching = this.#fetch(now).finally(() => {
        this.#fetching = null;
      });
    }
    await this.#fetching;
    if (now - this.#fetchedAt >= maxStaleMs) throw unavailable(this.#failure);
    return this.#keys.get(keyId) ?? null;
  }

  async #fetch(now: number): Promise<void> {
    try {
      const response = await boundedFetch(this.#url, {
        headers: {
          accept: 'application/json',
          'user-agent': 'latchkey',
          ...(this.#etag === null ? {} : { 'if-none-match': this.#etag }),
        },
        // The keys of another server would let it report what it wants.
        redirect: 'error',
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      if (response.status === 200) {
        this.#keys = keysOf(await response.json());
        this.#etag = response.headers.get('etag');
      } else {
        await response.body?.cancel();
        if (response.status !== 304)
          throw new TypeError(`GitHub answered ${response.status} to a request for its keys`);
      }
      this.#fetchedAt = now;
      this.#failure = null;
    } catch (error) {
      this.#failure = error;
    }
  }
}

/** Returns the usable keys of a document `{public_keys: [{key_identifier, key}]}`. Throws if there are none. */
function keysOf(document: unknown): Keys {
  const listed: unknown = isObject(document) ? document.public_keys : undefined;
  const entries: readonly unknown[] = Array.isArray(listed) ? listed.slice(0, maxKeys) : [];
  const keys = entries.flatMap((entry): [string, KeyObject][] => {
    if (!isObject(entry) || typeof entry.key_identifier !== 'string' || typeof entry.key !== 'string') return [];
    const key = parseGithubKey(entry.key);
    return key === null ? [] : [[entry.key_identifier, key]];
  });
  if (keys.length === 0) throw new TypeError("GitHub's answer has no usable public key");
  return new Map(keys);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function unavailable(cause: unknown): LatchkeyError {
  const message = "GitHub's public keys can't be fetched; try again in a minute.";
  return new LatchkeyError('UNAVAILABLE', message, { cause, retryAfterSeconds: minIntervalMs / 1000 });
}
