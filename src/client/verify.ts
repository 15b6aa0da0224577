import * as http from 'node:http';
import * as https from 'node:https';
import { type Connection, idleSocketMs, PendingRequests, postIdempotent, postOnce } from './post.ts';
import {
  maxAnswerBytes,
  unavailable,
  type Verdict,
  type VerifierAnswer,
  verdictFrom,
  verdictsFrom,
} from './verdict.ts';
import { callOf, isSigned, type Verification } from './verification.ts';
import { type VerificationPortOptions, verificationPortOf } from './verification-port.ts';

export interface VerifierOptions extends VerificationPortOptions {
  /** The maximum number of open connections. If all are busy, verifications wait, within their timeout. Default: 64. */
  readonly maxSockets?: number | undefined;
}

export interface Verifier {
  /**
   * Returns the verdict on a presented key. Fails closed: `valid` is true only in a well-formed answer that says so.
   *
   * @throws (as rejections) VerifierUnavailableError when no well-formed answer arrived in time, VerifierRejectedError
   * when the call itself was rejected. Neither error contains the key.
   */
  verify(verification: Verification): Promise<Verdict>;
  /**
   * Returns the verdicts on 1 to 100 presented keys, in the same order. Makes one call, for which the service confirms
   * all cached keys in one read. Rejects if any key gets no verdict.
   *
   * @throws (as rejections) as `verify`
   */
  verifyAll(verifications: readonly Verification[]): Promise<Verdict[]>;
  /** Ends all connections. Pending and later calls reject with VerifierUnavailableError. */
  close(): void;
}

/**
 * Returns a client for the verification port. Its keep-alive connections don't keep the process alive.
 *
 * A verification is retried once, on a new connection, if a kept connection is reset before any byte of the answer. A
 * signed request is not retried: if the verifier has already recorded its nonce, the answer to the retry would be
 * SIGNATURE_REPLAYED.
 *
 * @throws TypeError or RangeError for invalid options
 */
export function createVerifier(options: VerifierOptions = {}): Verifier {
  const { maxSockets = 64 } = options;
  if (!(maxSockets >= 1)) throw new RangeError('maxSockets must be at least 1');
  const { url, headers, origin, token, timeoutMs } = verificationPortOf(options);
  const { Agent, request } = url.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets, timeout: idleSocketMs });
  const connection: Connection = { url, headers, request, agent };
  const pending = new PendingRequests();

  const send = async (verifications: readonly Verification[], content: object): Promise<VerifierAnswer> => {
    const outgoing = {
      body: Buffer.from(JSON.stringify(content)),
      limitBytes: maxAnswerBytes * verifications.length,
    };
    const post = verifications.some(({ request }) => isSigned(request?.headers ?? {})) ? postOnce : postIdempotent;
    const reply = await pending.run(timeoutMs, (signal) => post(connection, outgoing, signal));
    if (reply.outcome !== 'answered') throw unavailable(origin, reply.reason);
    return reply;
  };

  return {
    async verify(verification) {
      const answer = await send([verification], callOf(verification));
      return verdictFrom(answer, { origin, secrets: [verification.key, token] }, verification);
    },
    async verifyAll(verifications) {
      const answer = await send(verifications, verifications.map(callOf));
      const secrets = [...verifications.map(({ key }) => key), token];
      return verdictsFrom(answer, { origin, secrets }, verifications);
    },
    close() {
      pending.close();
      agent.destroy();
    },
  };
}
