import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type EndpointOptions, endpointOf } from './endpoint.ts';
import { Attempts, type Connection, exchange, exchangeIdempotent } from './exchange.ts';
import {
  maxAnswerBytes,
  unavailable,
  type Verdict,
  type VerifierAnswer,
  verdictFrom,
  verdictsFrom,
} from './verdict.ts';
import { callOf, isSigned, type Verification } from './verification.ts';

export interface VerifierOptions extends EndpointOptions {
  /** The maximum number of open connections; further verifications wait for one, within their timeout. Default: 64. */
  readonly maxSockets?: number | undefined;
}

export interface Verifier {
  /**
   * Returns the verdict on a presented key. Fails closed: `valid` is true only in a well-formed answer that says so.
   *
   * @throws (as rejections) VerifierUnavailableError when there was no such answer in time, VerifierRejectedError when
   * the call itself was rejected. Neither has the key in it.
   */
  verify(verification: Verification): Promise<Verdict>;
  /**
   * Returns the verdicts on 1 to 100 presented keys, in the same order, from one call that is confirmed once. If one of
   * them gets no verdict, none does.
   *
   * @throws (as rejections) as `verify`
   */
  verifyAll(verifications: readonly Verification[]): Promise<Verdict[]>;
  /** Ends all connections. Pending and later calls reject with VerifierUnavailableError. */
  close(): void;
}

/** Less than the 5 seconds after which Node's servers close an idle connection, so that few are found closed. */
export const idleSocketMs = 4000;

/**
 * A client for the verification port, over its own keep-alive connections. They don't keep the process alive.
 *
 * A verification is retried, once and on a new connection, when a kept connection turns out to be closed: reset before
 * any byte of the answer. A signed one is not retried: the verifier may already have recorded the nonce, and would then
 * answer SIGNATURE_REPLAYED for an honest request.
 *
 * @throws TypeError or RangeError for invalid options
 */
export function createVerifier(options: VerifierOptions = {}): Verifier {
  const { maxSockets = 64 } = options;
  if (!(maxSockets >= 1)) throw new RangeError('maxSockets must be at least 1');
  const { url, headers, origin, token, timeoutMs } = endpointOf(options);
  const Agent = url.protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, maxSockets, timeout: idleSocketMs });
  const connection: Connection = { url, headers, agent };
  const attempts = new Attempts();

  const send = async (verifications: readonly Verification[], content: object): Promise<VerifierAnswer> => {
    const outgoing = {
      body: Buffer.from(JSON.stringify(content)),
      limitBytes: maxAnswerBytes * verifications.length,
    };
    const post = verifications.some(({ request }) => isSigned(request?.headers ?? {})) ? exchange : exchangeIdempotent;
    const reply = await attempts.run(timeoutMs, (signal) => post(connection, outgoing, signal));
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
      attempts.close();
      agent.destroy();
    },
  };
}
