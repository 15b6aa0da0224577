/** One verification. After each wait for DNS or a nonce, it confirms the key again and decides on the confirmed state. */

import { type HostResolver, tooManyWait } from '../dns/host-resolver.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { hasScopes } from '../domain/key/scope.ts';
import { hasPassed } from '../domain/moment.ts';
import type { KeyRing } from '../domain/secret/key-ring.ts';
import { hasKeyShape } from '../domain/secret/secret-shape.ts';
import { openSigningSecret } from '../domain/secret/signing-secret.ts';
import { type SignatureVerdict, verifySignature } from '../domain/signature/http-signature.ts';
import type { SignedRequest } from '../domain/signature/signed-request.ts';
import type { IpAddress } from '../domain/source/ip-address.ts';
import { matchesLiterally } from '../domain/source/source-match.ts';
import { type Circumstances, verdict } from '../domain/verdict/checks.ts';
import { tooManyUnknownKeys } from '../domain/verdict/unknown-key-limit.ts';
import type { VerdictCode } from '../domain/verdict/verdict-code.ts';
import { type Outcome, outcomeWithoutKey, type VerificationCall } from '../domain/verdict/verification-call.ts';
import type { KeyLookup, KeySearch } from '../engine/key-search.ts';
import type { Scheduler } from '../lib/scheduler.ts';
import { countVerdict, type VerdictCounters } from '../usage/count-verdict.ts';
import type { TripRecorder } from '../usage/trip-recorder.ts';
import type { CachedKey, SealedSecret } from './cached-key.ts';
import type { NonceRecorder } from './nonce-recorder.ts';
import type { UpFences } from './up-fences.ts';

/** A second wait is needed if the host names of the key change during the first wait, or if a DNS answer expires. */
const maxDnsWaits = 2;

export interface VerificationParts extends VerdictCounters {
  readonly search: KeySearch<CachedKey>;
  readonly nonces: Pick<NonceRecorder, 'claim'>;
  readonly hosts: Pick<HostResolver, 'haveAddress' | 'resolve'>;
  readonly signingKeks: KeyRing;
  readonly verdicts: Record<VerdictCode, number>;
  readonly trips: Pick<TripRecorder, 'record'>;
  readonly state: { readonly revision: string; readonly fences: Pick<UpFences, 'mark'> };
  readonly scheduler: Pick<Scheduler, 'date' | 'endOfTurn'>;
}

/** Receives the result of a verification. Uses callbacks, because promises would slow down the hot path. */
export interface Responder {
  readonly answer: (outcome: Outcome) => void;
  /** Called when the store does not answer. The request then gets an error, never VALID. */
  readonly fail: (error: unknown) => void;
  /** Called when the request gets no verdict: RATE_LIMITED, or UNAVAILABLE when too many requests wait for DNS. */
  readonly reject: (error: LatchkeyError) => void;
  /** Called when the verification starts or stops waiting for DNS. */
  readonly waitsForDns: (waits: boolean) => void;
}

interface SignatureUse {
  readonly nonce: string;
  readonly expiresAt: Date;
}

/** A recorded nonce and its key. */
interface RecordedNonce {
  readonly key: CachedKey;
  readonly nonce: string;
}

export class RunningVerification implements KeyLookup<CachedKey> {
  readonly secret: string;
  cacheKey: string | null = null;
  readonly #parts: VerificationParts;
  readonly #call: VerificationCall;
  readonly #respond: Responder;
  #dnsWaits = 0;
  #recorded: RecordedNonce | null = null;
  /** The state of the last decision. */
  #revision: string | undefined;

  constructor(parts: VerificationParts, call: VerificationCall, respond: Responder) {
    this.secret = call.secret;
    this.#parts = parts;
    this.#call = call;
    this.#respond = respond;
  }

  get source(): IpAddress | undefined {
    const { limited, source } = this.#call;
    return limited === undefined ? source : limited.source;
  }

  /**
   * Answers at the end of this turn of the event loop, because reading all requests before writing all answers takes 10%
   * less time.
   */
  malformed(): void {
    this.#parts.scheduler.endOfTurn(() => this.#answerWithoutKey('MALFORMED'));
  }

  limited(retryAfterSeconds: number): void {
    this.#respond.reject(unknownKeysError(retryAfterSeconds));
  }

  fail(error: unknown): void {
    this.#respond.fail(error);
  }

  decide(found: CachedKey | undefined): void {
    const { revision, fences } = this.#parts.state;
    this.#revision = revision;
    const key = this.#unlessTripwire(found);
    if (key !== undefined) fences.mark(key);
    if (key === undefined) this.#answerUnknown();
    else if (key === this.#recorded?.key && verdict(key, this.#unchanged()) === 'VALID') this.#answer(key, 'VALID');
    else this.#judge(key);
  }

  /** A tripwire is an unknown key to whoever presents it. */
  #unlessTripwire(key: CachedKey | undefined): CachedKey | undefined {
    if (key?.tripwire !== true) return key;
    this.#parts.trips.record(key, this.#call.source, this.#parts.scheduler.date());
    return undefined;
  }

  #answerUnknown(): void {
    this.#parts.search.countUnknown(this);
    // Without a match, a text in a foreign format is not a key.
    this.#answerWithoutKey(hasKeyShape(this.secret) ? 'NOT_FOUND' : 'MALFORMED');
  }

  #answerWithoutKey(code: VerdictCode): void {
    this.#answerWith({ ...outcomeWithoutKey(code, this.secret), revision: this.#revision });
  }

  #answerWith(outcome: Outcome): void {
    this.#parts.verdicts[outcome.code] += 1;
    this.#respond.answer(outcome);
  }

  /** Repeats only time-dependent checks, because the key has not changed since its nonce was recorded. */
  #unchanged(): Circumstances {
    const { env } = this.#call;
    const now = this.#parts.scheduler.date();
    return { now, env, sourceAllowed: () => true, scopesGranted: () => true, signature: () => 'valid' };
  }

  #judge(key: CachedKey): void {
    const now = this.#parts.scheduler.date();
    const { env, scopes } = this.#call;
    let use: SignatureUse | undefined;
    let sourceAllowed: boolean | undefined;
    const code = verdict(key, {
      now,
      env,
      sourceAllowed: () => {
        sourceAllowed = this.#isSourceAllowed(key);
        return sourceAllowed === true;
      },
      scopesGranted: () => scopes.length === 0 || hasScopes(key.scopeText.split(' '), scopes),
      signature: () => {
        if (key.signing === null) return 'valid';
        const request = this.#call.request();
        if (request === undefined) return 'SIGNATURE_REQUIRED';
        const checked = this.#checkSignature(key, key.signing, request, now);
        if (checked.outcome === 'valid') use = checked;
        return checked.outcome;
      },
    });
    if (code === 'SOURCE_NOT_ALLOWED' && sourceAllowed === undefined && this.#dnsWaits < maxDnsWaits) {
      this.#waitForDns(key);
    } else if (code === 'VALID' && use !== undefined && !this.#hasClaimed(key, use)) {
      this.#claimNonce(key, use);
    } else {
      this.#answer(key, code);
    }
  }

  /** Checks with the current signing secret and, if that fails, with the previous secret during its overlap. */
  #checkSignature(key: CachedKey, signing: SealedSecret, request: SignedRequest, now: number): SignatureVerdict {
    const check = (sealed: SealedSecret) =>
      verifySignature({ request, keyId: key.id, secret: this.#secretOf(key, sealed), now: new Date(now) });
    const checked = check(signing);
    const previous = key.previousSigning;
    if (checked.outcome === 'valid' || previous === null || hasPassed(previous.expiresAt, now)) return checked;
    const checkedWithPrevious = check(previous);
    return checkedWithPrevious.outcome === 'SIGNATURE_INVALID' ? checked : checkedWithPrevious;
  }

  /** Returns undefined when a DNS query is needed first. */
  #isSourceAllowed(key: CachedKey): boolean | undefined {
    if (!key.restricted) return true;
    const { source } = this.#call;
    if (source === undefined) return false;
    if (matchesLiterally(key.sources, source)) return true;
    return key.hosts.length === 0 ? false : this.#parts.hosts.haveAddress(key.teamId, key.hosts, source);
  }

  #waitForDns(key: CachedKey): void {
    this.#dnsWaits += 1;
    this.#respond.waitsForDns(true);
    const resume = (resolved: boolean) => {
      this.#respond.waitsForDns(false);
      if (resolved) this.#parts.search.confirm(this);
      else this.#respond.reject(tooManyWait());
    };
    this.#parts.hosts
      .resolve(key.teamId, key.hosts)
      .then(resume)
      .catch((error) => this.fail(error));
  }

  #hasClaimed(key: CachedKey, { nonce }: SignatureUse): boolean {
    return this.#recorded?.key.id === key.id && this.#recorded.nonce === nonce;
  }

  /** Records the nonce for all instances before the verdict is sent, so that a signature is accepted only once. */
  #claimNonce(key: CachedKey, { nonce, expiresAt }: SignatureUse): void {
    const resume = (fresh: boolean) => {
      if (!fresh) {
        this.#answer(key, 'SIGNATURE_REPLAYED');
        return;
      }
      this.#recorded = { key, nonce };
      this.#parts.search.confirm(this);
    };
    const claimed = this.#parts.nonces.claim({ keyId: key.id, nonce, expiresAt });
    claimed.then(resume).catch((error) => this.fail(error));
  }

  #answer(key: CachedKey, decided: VerdictCode): void {
    const now = this.#parts.scheduler.date();
    const { code, rateLimit } = countVerdict(this.#parts, key, decided, this.#call.source, now);
    this.#answerWith({ code, key, rateLimit, revision: this.#revision });
  }

  #secretOf(key: CachedKey, sealed: SealedSecret): Buffer {
    const { envelope, version } = sealed;
    sealed.opened ??= openSigningSecret(envelope, { keyId: key.id, version }, this.#parts.signingKeks);
    return sealed.opened;
  }
}

export function unknownKeysError(retryAfterSeconds: number): LatchkeyError {
  return new LatchkeyError('RATE_LIMITED', tooManyUnknownKeys(retryAfterSeconds), { retryAfterSeconds });
}
