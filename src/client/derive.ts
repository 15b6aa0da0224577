/** Derives tokens from a key, for a job, a device or a browser. docs/reference/derived-tokens.md describes them. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { KeyEnv } from '../domain/key/key-env.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { PendingRequests, postOnce } from './post.ts';
import { bodyOf, maxAnswerBytes, unavailable } from './verdict.ts';
import { type VerificationPortOptions, verificationPortOf } from './verification-port.ts';

export interface Derivation {
  /** The full key. */
  readonly key: string;
  /** The scopes of the token, which the key must have. */
  readonly scopes: readonly string[];
  /** When the token stops working: at most 24 hours from now. */
  readonly expiresAt: Date;
  /** The environment that the key must have. */
  readonly env?: KeyEnv | undefined;
  /** At most 10 IP addresses and CIDR ranges that can use the token, if the key allows them too. */
  readonly sources?: readonly string[] | undefined;
  /** What its uses are counted under: 1 to 40 of `A-Z a-z 0-9 . _ : / -`. */
  readonly label?: string | undefined;
}

export interface DerivedToken {
  /** Is presented as a key is, and ends with its key. */
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Derives a token from a key, which counts as a verification of the key from this machine's address.
 *
 * @throws (as rejections) VerifierRejectedError if the key is rejected (401, 403) or the call is wrong (400, 413);
 * VerifierUnavailableError for everything else, such as a reached rate limit. Neither error contains the key.
 */
export async function deriveToken(
  derivation: Derivation,
  options: VerificationPortOptions = {},
): Promise<DerivedToken> {
  const { url, headers, origin, token: verifierToken, timeoutMs } = verificationPortOf(options, 'v1/derive');
  const { request } = url.protocol === 'https:' ? https : http;
  const outgoing = { body: Buffer.from(JSON.stringify(derivation)), limitBytes: maxAnswerBytes };
  const connection = { url, headers, request, agent: false } as const;
  const reply = await new PendingRequests().run(timeoutMs, (signal) => postOnce(connection, outgoing, signal));
  if (reply.outcome !== 'answered') throw unavailable(origin, reply.reason);
  const verifier = { origin, secrets: [derivation.key, verifierToken] };
  const body = bodyOf(reply, verifier, { success: 201, rejected: [400, 401, 403, 413] });
  const { token, expiresAt } = isJsonObject(body) ? body : {};
  const end = new Date(typeof expiresAt === 'string' ? expiresAt : Number.NaN);
  if (typeof token !== 'string' || Number.isNaN(end.getTime())) throw unavailable(origin, 'its answer is not a token');
  return { token, expiresAt: end };
}
