import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type EndpointOptions, endpointOf } from './endpoint.ts';
import { type Connection, exchange, type Reply } from './exchange.ts';
import { unavailable, type Verdict, verdictFrom } from './verdict.ts';
import { isSigned, type Verification } from './verification.ts';

export interface VerifierOptions extends EndpointOptions {
  /** The maximum number of open connections; further verifications wait for one, within their timeout. Default: 64. */
  readonly maxSockets?: number | undefined;
}

export interface Verifier {
  /**
   * Asks for the verdict on a presented key. Fails closed: `valid` is true only in a well-formed answer that says so.
   *
   * @throws (as rejections) VerifierUnavailableError when there was no such answer in time, VerifierRejectedError when
   * the call itself was rejected. Neither has the key in it.
   */
  verify(verification: Verification): Promise<Verdict>;
  /** Ends all connections. Pending and later calls reject with VerifierUnavailableError. */
  close(): void;
}

/** Less than the 5 seconds after which Node's servers close an idle connection, so that few are found closed. */
const idleSocketMs = 4000;

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
  const endpoint = endpointOf(options);
  const { url, headers, origin, token, timeoutMs } = endpoint;
  const Agent = url.protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, maxSockets, timeout: idleSocketMs });
  const connection: Connection = { url, headers, agent };
  const pending = new Set<AbortController>();
  let closed = false;

  const ask = async (verification: Verification, body: Buffer, signal: AbortSignal): Promise<Reply> => {
    const reply = await exchange(connection, body, signal);
    const retry = reply.outcome === 'stale' && !signal.aborted && !isSigned(verification.request?.headers ?? {});
    return retry ? exchange({ ...connection, agent: false }, body, signal) : reply;
  };

  return {
    async verify(verification) {
      if (closed) throw unavailable(origin, 'this client was closed');
      const { key, env, sourceIp, request } = verification;
      const body = Buffer.from(JSON.stringify({ key, env, sourceIp, request }));
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(`there was no answer in ${timeoutMs} ms`), timeoutMs);
      pending.add(abort);
      try {
        const reply = await ask(verification, body, abort.signal);
        if (reply.outcome !== 'answered') throw unavailable(origin, reply.reason);
        return verdictFrom(reply, { origin, secrets: [key, token], env });
      } finally {
        clearTimeout(timer);
        pending.delete(abort);
      }
    },
    close() {
      closed = true;
      for (const abort of pending) abort.abort('this client was closed');
      agent.destroy();
    },
  };
}
