import { parseIpAddress } from '../domain/ip-address.ts';
import { limits } from '../domain/limits.ts';
import { parseScope } from '../domain/scope.ts';
import type { VerdictCode } from '../domain/verdict-code.ts';
import type { LocalOutcome, LocalQuestion } from './local/local-call.ts';
import { LocalEngine } from './local/local-engine.ts';
import { type Verdict, VerifierRejectedError } from './verdict.ts';
import type { Verification } from './verification.ts';
import type { Verifier } from './verify.ts';

export interface LocalVerifierOptions {
  /**
   * The verification ports of the service, each with a path when a proxy puts it under one. With a list, the next one is
   * asked when one does not answer. Default: `http://127.0.0.1:4001`.
   */
  readonly url?: string | URL | readonly (string | URL)[] | undefined;
  /** One of the service's FEED_TOKENS. */
  readonly token?: string | undefined;
  /** Timeout of a verification in milliseconds. Default: 1000. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of keys in memory, with about 2 kB each. Default: 10000. */
  readonly cacheKeys?: number | undefined;
  /** Called when the use of keys could not be reported to the service. It is kept, and reported later. */
  readonly onReportError?: ((error: unknown) => void) | undefined;
}

export interface LocalVerifier extends Verifier {
  /** Reports the remaining use of keys, and ends all connections. Pending and later calls reject. */
  close(): Promise<void>;
}

/**
 * A verifier in this process, with the verdicts and errors of `createVerifier`. It keeps the keys that it has seen, and
 * confirms them with the service before each verdict: one small question for all verifications that arrived meanwhile.
 * So a revoked key is rejected from the moment on when the revocation is answered. Use one for the whole process.
 *
 * @throws TypeError or RangeError for invalid options
 */
export function createLocalVerifier(options: LocalVerifierOptions = {}): LocalVerifier {
  const { url = 'http://127.0.0.1:4001', ...rest } = options;
  const urls = typeof url === 'string' || url instanceof URL ? [url] : url;
  const engine = new LocalEngine({ ...rest, urls });
  const verify = (verification: Verification) =>
    new Promise<Verdict>((resolve, fail) => {
      engine.verify(questionOf(verification), { answer: (outcome) => resolve(verdictOf(outcome)), fail });
    });
  return {
    verify,
    verifyAll: (verifications) => Promise.all(verifications.map(verify)),
    close: () => engine.close(),
  };
}

/** @throws VerifierRejectedError where the service rejects the call */
function questionOf({ key, env, sourceIp, scopes = [], request }: Verification): LocalQuestion {
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
  return rateLimit === null ? verdict : { ...verdict, rateLimit };
}

const noKey = { keyId: null, teamId: null, name: null, env: null, prefix: null, expiresAt: null, secret: null };

function withoutKey(code: VerdictCode): Verdict {
  if (code === 'VALID') throw new TypeError('a valid verdict has a key');
  return { valid: false, code, ...noKey, scopes: [], externalId: null, metadata: null, rateLimit: null };
}
