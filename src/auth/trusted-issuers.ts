/** The issuers whose tokens workloads exchange, such as those of CI: their keys, and the checks of their tokens. */
import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { LatchkeyError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { hasControlCharacters } from '../domain/text.ts';
import { boundedFetch } from '../lib/bounded-fetch.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { Waiters } from '../lib/waiters.ts';
import { jwksTokenKeys } from './key-set.ts';
import { clockSkewSeconds } from './session-token.ts';
import type { TokenKeys } from './token-keys.ts';

export interface TrustedIssuer {
  readonly issuer: string;
  /** The URL of its keys; null if its discovery document names it. */
  readonly keysUrl: string | null;
}

/** The claims of a token whose issuer, signature and times were checked. */
export interface SubjectToken {
  readonly issuer: string;
  readonly claims: JsonObject;
  readonly subject: string;
  readonly expiresAt: Date;
}

const timeoutMs = 5000;
const hourMs = 3_600_000;
const maxAgeMs = hourMs;
/** After that time without a new one, a discovery document is no longer trusted: its issuer may have moved its keys. */
const maxStaleMs = 24 * hourMs;
/** After a failure: short, so that a recovery of the issuer is noticed within a second. */
const pauseMs = 1000;
/** How many callers wait for the keys of an issuer. More would take the slots of those who exchange tokens of others. */
const maxWaiting = 32;

export interface TrustedIssuersOptions {
  /** In milliseconds; it is never set back. */
  readonly clock?: () => number;
  /** Called with each failure to read the discovery document of an issuer. */
  readonly onFailure?: (error: unknown, issuer: string) => void;
}

type Circumstances = Required<TrustedIssuersOptions>;

export class TrustedIssuers {
  readonly #keys: ReadonlyMap<string, IssuerKeys>;
  readonly #clock: () => number;

  constructor(issuers: readonly TrustedIssuer[], options: TrustedIssuersOptions = {}) {
    const circumstances = { clock: () => performance.now(), onFailure: () => undefined, ...options };
    this.#keys = new Map(issuers.map((one) => [one.issuer, new IssuerKeys(one, circumstances)]));
    this.#clock = circumstances.clock;
  }

  /** Throws UNAUTHENTICATED with the reason, UNAVAILABLE. */
  async check(token: string, now: Date): Promise<SubjectToken> {
    if (token.length > limits.sessionTokenCharacters) {
      throw rejected(`it is longer than ${limits.sessionTokenCharacters} characters`);
    }
    const { header, payload } = decoded(token);
    const { iss: issuer } = payload;
    const keys = typeof issuer === 'string' ? this.#keys.get(issuer) : undefined;
    if (typeof issuer !== 'string' || keys === undefined)
      throw rejected('its issuer (iss) is not one of TRUSTED_ISSUERS');
    if (header.crit !== undefined) throw rejected('it has a critical header that is not understood');
    const key = await (await keys.get()).find(header.kid, this.#clock(), header.alg);
    if (key === null) throw rejected('it names a signing key that its issuer does not publish');
    const claims = verified(token, { issuer, now, ...key });
    const { exp, sub } = claims;
    if (typeof exp !== 'number' || !Number.isFinite(exp)) throw rejected('it has no expiry (exp)');
    // Also within the tolerance of clocks: what it is exchanged for would have expired, and its one use would be spent.
    if (exp * 1000 < now.getTime() + 1000) throw rejected('jwt expired');
    // A token for one use is remembered until it expires.
    if (exp * 1000 > now.getTime() + limits.workloadTokenHours * hourMs) {
      throw rejected(`it expires (exp) more than ${limits.workloadTokenHours} hours from now`);
    }
    // The audit trail contains the subject unchanged.
    const isText = typeof sub === 'string' && sub !== '' && sub.length <= limits.responsibleCharacters;
    if (!isText || hasControlCharacters(sub)) {
      const range = `1 to ${limits.responsibleCharacters} characters, none of them a control character`;
      throw rejected(`it has no subject (sub) of ${range}`);
    }
    return { issuer, claims, subject: sub, expiresAt: new Date(exp * 1000) };
  }
}

/**
 * The keys of an issuer. Reads its discovery document when it is needed first, and again after an hour: the call that
 * needs it waits, because jobs are rare, and each would else be checked with the keys of the job before. If that fails,
 * what was known is used for a day. `Discovery` of `oidc` is for providers at which people sign in: it needs endpoints
 * that an issuer for CI does not have.
 */
class IssuerKeys {
  readonly #issuer: string;
  readonly #circumstances: Circumstances;
  readonly #waiters = new Waiters(maxWaiting, unavailable);
  #known: { readonly keysUrl: string; readonly keys: TokenKeys } | null = null;
  #discoveredAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;

  constructor({ issuer, keysUrl }: TrustedIssuer, circumstances: Circumstances) {
    this.#issuer = issuer;
    this.#circumstances = circumstances;
    if (keysUrl === null) return;
    this.#use(keysUrl);
    this.#discoveredAt = Number.POSITIVE_INFINITY;
  }

  /** Throws UNAVAILABLE. */
  async get(): Promise<TokenKeys> {
    const { clock } = this.#circumstances;
    const isDue = clock() - this.#discoveredAt > maxAgeMs && clock() - this.#failedAt > pauseMs;
    const failure = isDue || this.#running !== null ? await this.#wait() : null;
    const isStale = clock() - this.#discoveredAt > maxStaleMs;
    if (this.#known === null || isStale) throw failure ?? unavailable();
    return this.#known.keys;
  }

  /** Waits for the discovery, which it starts if none runs. Returns why it failed, or null. */
  async #wait(): Promise<unknown> {
    try {
      await this.#waiters.wait(() => {
        this.#running ??= this.#discover().finally(() => {
          this.#running = null;
        });
        return this.#running;
      });
      return null;
    } catch (error) {
      return error;
    }
  }

  async #discover(): Promise<void> {
    const { clock, onFailure } = this.#circumstances;
    const startedAt = clock();
    try {
      this.#use(await discover(this.#issuer));
      this.#discoveredAt = startedAt;
    } catch (error) {
      // Not when the attempt started: it can take longer than the pause.
      this.#failedAt = clock();
      onFailure(error, this.#issuer);
      throw unavailable(error);
    }
  }

  #use(keysUrl: string): void {
    if (this.#known?.keysUrl === keysUrl) return;
    this.#known = { keysUrl, keys: jwksTokenKeys(keysUrl, timeoutMs, this.#waiters) };
  }
}

/** Returns the URL of the keys. */
async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await boundedFetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
  const document: unknown = await response.json();
  const { issuer: named, jwks_uri: keysUrl } = isJsonObject(document) ? document : {};
  const isHttps = typeof keysUrl === 'string' && (keysUrl.startsWith('https:') || issuer.startsWith('http:'));
  if (response.status !== 200 || named !== issuer || !isHttps) {
    throw new Error(`the discovery document of ${issuer} is not that of this issuer, or has no https URL as jwks_uri`);
  }
  return String(keysUrl);
}

function decoded(token: string) {
  let parts: jwt.Jwt | null = null;
  try {
    parts = jwt.decode(token, { complete: true });
  } catch {
    // jsonwebtoken throws for some texts that only look like a JWT.
  }
  if (parts === null || !isJsonObject(parts.payload)) throw rejected('it is not a JWT');
  return { header: parts.header, payload: parts.payload };
}

interface Expected {
  readonly issuer: string;
  readonly now: Date;
  readonly key: KeyObject;
  readonly algorithm: jwt.Algorithm;
}

function verified(token: string, { issuer, now, key, algorithm }: Expected): JsonObject {
  try {
    const claims = jwt.verify(token, key, {
      algorithms: [algorithm],
      issuer,
      clockTimestamp: Math.floor(now.getTime() / 1000),
      clockTolerance: clockSkewSeconds,
    });
    if (isJsonObject(claims)) return claims;
  } catch (error) {
    // Error messages of jsonwebtoken contain no part of the token.
    throw rejected(error instanceof jwt.JsonWebTokenError ? error.message : 'it can not be read');
  }
  throw rejected('it carries no claims');
}

function rejected(reason: string): LatchkeyError {
  return new LatchkeyError('UNAUTHENTICATED', `The token can't be exchanged: ${reason}.`);
}

function unavailable(cause?: unknown): LatchkeyError {
  return new LatchkeyError('UNAVAILABLE', "The keys of the token's issuer can't be fetched; try again shortly.", {
    cause,
  });
}
