import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { KeyEnv } from '../domain/api-key.ts';
import { type HeaderFields, relevantFields } from '../domain/signed-request.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict-code.ts';
import { type Endpoint, exchange, type Reply } from './exchange.ts';

export interface VerifierOptions {
  /** Where the verification port is, with a path when a proxy puts it under one. Default: `http://127.0.0.1:4001`. */
  readonly url?: string | URL | undefined;
  /** One of the service's VERIFIER_TOKENS, sent as `Authorization: Bearer …` (RFC 6750, section 2.1). */
  readonly token?: string | undefined;
  /** For the whole of a verification, waiting for a connection and the retry included. Default: 1000. */
  readonly timeoutMs?: number | undefined;
  /** How many connections may be open; further verifications wait for one, within their time. Default: 64. */
  readonly maxSockets?: number | undefined;
}

/** A request as the service received it, for keys whose requests must be signed. */
export interface ReceivedRequest {
  readonly method: string;
  /** Absolute, as the caller addressed it, or the path and query, and then the authority is the Host header's. */
  readonly url: string;
  /** `content-digest`, `content-length`, `host`, `signature`, `signature-input`, `transfer-encoding`; others are ignored. */
  readonly headers: HeaderFields;
  /**
   * Of the bytes that arrived: a Content-Digest value (RFC 9530) with sha-256 or sha-512. Leave it out only if no body
   * arrived: a signed request with a body is SIGNATURE_INVALID without it.
   */
  readonly bodyDigest?: string;
}

export interface Verification {
  /** The full key, as the caller presented it. */
  readonly key: string;
  /** Refuse keys of the other environment. */
  readonly env?: KeyEnv | undefined;
  /** Where the request came from. Keys with an allow-list are refused without it. */
  readonly sourceIp?: string | undefined;
  readonly request?: ReceivedRequest | undefined;
}

export interface VerifiedKey {
  readonly keyId: string;
  readonly teamId: string;
  readonly name: string;
  readonly env: KeyEnv;
  /** The key's leading part: unique, safe to log. */
  readonly prefix: string;
  /** ISO 8601; null when the key never expires. */
  readonly expiresAt: string | null;
}

/** A refused key is an answer, not an error. What is null was not found out or is not told. */
export type Verdict =
  | ({ readonly valid: true; readonly code: 'VALID' } & VerifiedKey)
  | ({ readonly valid: false; readonly code: Exclude<VerdictCode, 'VALID'> } & {
      readonly [Field in keyof VerifiedKey]: VerifiedKey[Field] | null;
    });

export interface Verifier {
  /**
   * Asks for the verdict on a presented key. Fails closed: `valid` is true only in a well-formed answer that says so.
   *
   * @throws (as rejections) VerifierUnavailableError when there was no such answer in time, VerifierRejectedError when
   * the call itself was refused. Neither has the key in it.
   */
  verify(verification: Verification): Promise<Verdict>;
  /** Ends all connections. What is under way, and every later call, rejects with VerifierUnavailableError. */
  close(): void;
}

/** No well-formed answer in time. The key may be good or not: treat it as not, and let the caller come again. */
export class VerifierUnavailableError extends Error {
  override readonly name = 'VerifierUnavailableError';
  /** What the verifier asked for in Retry-After (RFC 9110, section 10.2.3), if anything. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The call is wrong (400, 413) or the verifier token is (401): a mistake in program or configuration. Don't retry. */
export class VerifierRejectedError extends Error {
  override readonly name = 'VerifierRejectedError';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Less than the 5 seconds after which Node's servers close an idle connection, so that few are found closed. */
const idleSocketMs = 4000;

/**
 * A client for the verification port, over connections of its own that are kept alive. They don't keep the process alive.
 *
 * A verification is tried again, once and on a new connection, when a kept connection turns out to be closed: reset before
 * any byte of the answer. A signed one is not: that no answer came doesn't tell whether the verifier had already taken
 * down the nonce, and then the second attempt would be judged SIGNATURE_REPLAYED, a lie about an honest request.
 *
 * @throws TypeError or RangeError for options that can't be
 */
export function createVerifier(options: VerifierOptions = {}): Verifier {
  const { timeoutMs = 1000, maxSockets = 64 } = options;
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) throw new RangeError('timeoutMs must be a positive number');
  if (!(maxSockets >= 1)) throw new RangeError('maxSockets must be at least 1');
  const endpoint = endpointOf(options);
  const agent = new endpoint.Agent({ keepAlive: true, maxSockets, timeout: idleSocketMs });
  const underWay = new Set<AbortController>();
  let closed = false;

  const ask = async (verification: Verification, body: Buffer, signal: AbortSignal): Promise<Reply> => {
    const reply = await exchange(endpoint, agent, body, signal);
    const again = reply.outcome === 'stale' && !signal.aborted && !isSigned(verification.request?.headers ?? {});
    return again ? exchange(endpoint, false, body, signal) : reply;
  };

  return {
    async verify(verification) {
      if (closed) throw unavailable(endpoint, 'this client was closed');
      const { key, env, sourceIp, request } = verification;
      const body = Buffer.from(JSON.stringify({ key, env, sourceIp, request }));
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(`there was no answer in ${timeoutMs} ms`), timeoutMs);
      underWay.add(abort);
      try {
        return verdictFrom(await ask(verification, body, abort.signal), verification, endpoint);
      } finally {
        clearTimeout(timer);
        underWay.delete(abort);
      }
    },
    close() {
      closed = true;
      for (const abort of underWay) abort.abort('this client was closed');
      agent.destroy();
    },
  };
}

/** Whether a request says that it is signed: it has at least one of the two fields of RFC 9421, section 4. */
export function isSigned(headers: HeaderFields): boolean {
  const fields = relevantFields(headers);
  return (fields.get('signature') ?? '') !== '' || (fields.get('signature-input') ?? '') !== '';
}

function endpointOf({ url = 'http://127.0.0.1:4001', token }: VerifierOptions): Endpoint {
  const base = new URL(url);
  const secure = base.protocol === 'https:';
  if (!secure && base.protocol !== 'http:') throw new TypeError('url must be an http or https one');
  if (base.username !== '' || base.password !== '') throw new TypeError('url must have no user name and no password');
  // The text stays out of the message: it is a secret.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new TypeError('token must be printable ASCII');
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return {
    Agent: secure ? HttpsAgent : HttpAgent,
    send: secure ? httpsRequest : httpRequest,
    options: { ...urlToHttpOptions(new URL('v1/verify', base)), method: 'POST' },
    headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
    origin: base.origin,
    token,
  };
}

function verdictFrom(reply: Reply, { key, env }: Verification, endpoint: Endpoint): Verdict {
  if (reply.outcome !== 'answered') throw unavailable(endpoint, reply.reason);
  const { status, retryAfter, text } = reply;
  if (status === 400 || status === 401 || status === 413) {
    const detail: unknown = parseObject(text)?.detail;
    const told = typeof detail === 'string' ? `: ${without([key, endpoint.token ?? ''], detail).slice(0, 500)}` : '';
    throw new VerifierRejectedError(
      `The verifier at ${endpoint.origin} refused the call with ${status}${told}`,
      status,
    );
  }
  if (status !== 200) throw unavailable(endpoint, `it answered ${status}`, secondsOf(retryAfter));
  const verdict = readVerdict(text);
  if (verdict === null) throw unavailable(endpoint, 'its answer is no verdict');
  if (verdict.valid && env !== undefined && verdict.env !== env) {
    throw unavailable(endpoint, 'its answer is for another environment');
  }
  return verdict;
}

/** Every field is looked at; an answer that contradicts itself is none. So is a code of a newer service. */
function readVerdict(text: string): Verdict | null {
  const answer = parseObject(text);
  if (answer === null) return null;
  const { valid, keyId, teamId, name, env, prefix, expiresAt } = answer;
  const code = verdictCodes.find((known) => known === answer.code);
  if (code === undefined || valid !== (code === 'VALID')) return null;
  if (!isTextOrNull(keyId) || !isTextOrNull(teamId) || !isTextOrNull(name) || !isTextOrNull(prefix)) return null;
  if (env !== 'live' && env !== 'test' && env !== null) return null;
  if (!isTextOrNull(expiresAt) || (expiresAt !== null && Number.isNaN(Date.parse(expiresAt)))) return null;
  if (code !== 'VALID') return { valid: false, code, keyId, teamId, name, env, prefix, expiresAt };
  if (keyId === null || teamId === null || name === null || env === null || prefix === null) return null;
  return { valid: true, code, keyId, teamId, name, env, prefix, expiresAt };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function secondsOf(retryAfter: string | undefined): number | null {
  return retryAfter !== undefined && /^[0-9]{1,5}$/.test(retryAfter) ? Number(retryAfter) : null;
}

function without(secrets: readonly string[], text: string): string {
  return secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '[secret]')), text);
}

function unavailable({ origin }: Endpoint, reason: string, retryAfterSeconds: number | null = null) {
  return new VerifierUnavailableError(`The verifier at ${origin} gave no verdict: ${reason}`, retryAfterSeconds);
}
