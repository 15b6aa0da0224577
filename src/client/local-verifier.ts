import { parseScope } from '../domain/key/scope.ts';
import { limits } from '../domain/limits.ts';
import { parseIpAddress } from '../domain/source/ip-address.ts';
import type { VerdictCode } from '../domain/verdict/verdict-code.ts';
import type { VerificationCall } from '../domain/verdict/verification-call.ts';
import { unknownKey } from '../domain/verdict/verified-key.ts';
import { LocalEngine } from './local/local-engine.ts';
import type { LocalOutcome } from './local/local-key.ts';
import { type Verdict, VerifierRejectedError } from './verdict.ts';
import type { Verification } from './verification.ts';
import type { Verifier } from './verify.ts';

export interface LocalVerifierOptions {
  /**
   * The URLs of the verification ports, with the path at which a proxy serves them, if any. If one port of a list does
   * not answer, the next port is used. Default: `http://127.0.0.1:4001`.
   */
  readonly url?: string | URL | readonly (string | URL)[] | undefined;
  /** One of the service's FEED_TOKENS. */
  readonly token?: string | undefined;
  /** Timeout of a verification in milliseconds. Default: 1000. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of keys in memory. Default: 10000. */
  readonly cacheKeys?: number | undefined;
  /** The maximum memory of cached keys in megabytes: about 2 kB a key, 13 kB with 100 allowed sources. Default: 50. */
  readonly cacheMegabytes?: number | undefined;
  /**
   * The number of unknown keys that one source may present per minute (IPv6: one /64). Further unknown keys of this
   * source get a VerifierUnavailableError with status 429. Without `sourceIp`, there is no limit. Default: 120.
   */
  readonly unknownKeyLimit?: number | undefined;
  /**
   * Called when the use of keys could not be reported to the service. The report is repeated later, but without counts
   * that the service rejects, such as counts older than 48 hours.
   */
  readonly onReportError?: ((error: unknown) => void) | undefined;
}

export interface LocalVerifier extends Verifier {
  /**
   * Verifies any number of presented keys. The verdicts have the order of the calls, and contain `rateLimit` too. If
   * one verification gets no verdict, the whole call rejects.
   *
   * @throws (as rejections) the errors of `verify`
   */
  verifyAll(verifications: readonly Verification[]): Promise<Verdict[]>;
  /** Reports remaining counts for at most three seconds, and ends all connections. Pending and later calls reject. */
  close(): Promise<void>;
}

/**
 * A verifier in this process, with the verdicts and errors of `createVerifier`. It caches keys, and confirms them with
 * the service before each verdict: one small request confirms the keys of all waiting verifications. A revoked key
 * is therefore rejected as soon as the revocation is answered. Use one verifier for the whole process.
 *
 * The verifier does not keep the process alive. A process that ends without `close` loses unreported counts.
 *
 * @throws TypeError or RangeError for invalid options
 */
export function createLocalVerifier(options: LocalVerifierOptions = {}): LocalVerifier {
  const { url = 'http://127.0.0.1:4001', ...rest } = options;
  const urls = typeof url === 'string' || url instanceof URL ? [url] : url;
  const engine = new LocalEngine({ ...rest, urls, minPauseMs });
  const verify = (verification: Verification) =>
    new Promise<Verdict>((resolve, fail) => {
      engine.verify(callOf(verification), { answer: (outcome) => resolve(verdictOf(outcome)), fail });
    });
  return {
    verify,
    verifyAll: (verifications) => verifyInParts(verify, verifications),
    close: () => engine.close(),
  };
}

/** A request costs as much as several verifications, so a pause lets more verifications share one. */
const minPauseMs = 1;

/** Lower than the service's limit of waiting verifications per team. */
const maxAtOnce = 100;

async function verifyInParts(verify: Verifier['verify'], verifications: readonly Verification[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let i = 0; i < verifications.length; i += maxAtOnce) {
    verdicts.push(...(await Promise.all(verifications.slice(i, i + maxAtOnce).map(verify))));
  }
  return verdicts;
}

/** @throws VerifierRejectedError if the service would reject the call */
function callOf({ key, env, sourceIp, scopes = [], request }: Verification): VerificationCall {
  const source = sourceIp === undefined ? undefined : parseIpAddress(sourceIp);
  if (typeof key !== 'string') throw rejection('key must be a string');
  if (env !== undefined && env !== 'live' && env !== 'test') throw rejection('env must be one of live, test');
  if (source === null) throw rejection('sourceIp must be one IP address');
  if (scopes.length > limits.scopes || !scopes.every((scope) => parseScope(scope).ok)) {
    throw rejection(`scopes must be at most ${limits.scopes} scope tokens`);
  }
  return { secret: key, env, source, scopes, request: () => request };
}

function rejection(problem: string): VerifierRejectedError {
  return new VerifierRejectedError(`The verification is not valid: ${problem}`, 400);
}

function verdictOf({ code, key, rateLimit }: LocalOutcome): Verdict {
  const verdict = key === null ? withoutKey(code) : key.verdict(code);
  return rateLimit === null ? verdict : Object.freeze({ ...verdict, rateLimit: Object.freeze(rateLimit) });
}

function withoutKey(code: VerdictCode): Verdict {
  if (code === 'VALID') throw new TypeError('a valid verdict has a key');
  return Object.freeze({ valid: false, code, ...unknownKey, rateLimit: null });
}
