import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type AttemptError, attemptErrorOf, maxResponseBodyBytes } from './attempt.ts';
import { connectionErrorOf, startRequest, takeCpuMs } from './receiver-connection.ts';

/** The maximum that is received for one request, because a receiver could send headers or 1xx responses forever. */
const maxReceivedBytes = 65_536;
const maxHeaderBytes = 16_384;
/** The timeout for the start of the body, which is only stored for display. */
const bodyTimeoutMs = 100;

export interface ReceiverRequest {
  readonly options: RequestOptions;
  readonly body: string | Uint8Array;
  /** Makes a new connection for the second request, if the reused one was closed. */
  readonly newAgent: RequestOptions['agent'] & {};
  readonly signal: AbortSignal;
  /** Called when the status has arrived, which decides the result. */
  readonly onStatus?: (() => void) | undefined;
}

/** `cpuMs`: the CPU time for all data received over TLS, including the handshake. */
export type MeasuredResult = RequestResult & { readonly cpuMs: number };

export type RequestResult =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** The start of the body. */
      readonly body: Buffer;
    }
  /** `isStale`: the server had closed the reused connection, and may not have seen the request. */
  | { readonly outcome: 'failed'; readonly error: AttemptError; readonly isStale: boolean }
  | { readonly outcome: 'aborted' };

/** Posts the body, and reads the status and the start of the body of the answer. Never rejects. */
export async function postToReceiver(request: ReceiverRequest): Promise<MeasuredResult> {
  const result = await postOnce(request);
  if (result.outcome !== 'failed' || !result.isStale) return result;
  // Receivers recognize repeated events by their ids.
  return await postOnce({ ...request, options: { ...request.options, agent: request.newAgent } });
}

function postOnce({ options, body, signal, onStatus }: ReceiverRequest): Promise<MeasuredResult> {
  if (signal.aborted) return Promise.resolve({ outcome: 'aborted', cpuMs: 0 });
  return new Promise((resolve) => {
    const send = options.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send({ ...options, method: 'POST', maxHeaderSize: maxHeaderBytes });
    let connection: Socket | undefined;
    let answer: IncomingMessage | undefined;
    let received = 0;
    const chunks: Buffer[] = [];

    let bodyTimer: NodeJS.Timeout | undefined;
    let isSettled = false;
    const settle = (failure: RequestResult) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(bodyTimer);
      signal.removeEventListener('abort', abort);
      connection?.off('data', countReceived);
      // The connection can be used again only if both directions have ended.
      if (answer?.complete !== true || !request.writableFinished) request.destroy();
      // Once the status has arrived, the rest of the answer can't change the outcome.
      const result = answer === undefined ? failure : answered(answer, Buffer.concat(chunks));
      resolve({ ...result, cpuMs: takeCpuMs(connection) });
    };
    const fail = (error: AttemptError, isStale = false) => settle({ outcome: 'failed', error, isStale });
    const abort = () => settle({ outcome: 'aborted' });
    const countReceived = (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxReceivedBytes) fail('the answer is too long');
    };

    signal.addEventListener('abort', abort);
    request.on('socket', (socket) => {
      connection = socket;
      startRequest(socket);
      socket.on('data', countReceived);
    });
    request.on('response', (response) => {
      answer = response;
      onStatus?.();
      bodyTimer = setTimeout(() => fail('timed out'), bodyTimeoutMs);
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk.subarray(0, maxResponseBodyBytes - length));
        length += chunk.length;
        if (length > maxResponseBodyBytes) fail('the answer is too long');
      });
      response.on('error', () => undefined);
      response.on('end', () => fail('the connection was closed'));
      response.on('close', () => fail('the connection was closed'));
    });
    request.on('error', (failed: NodeJS.ErrnoException) => {
      const { code = '' } = connectionErrorOf(connection) ?? failed;
      const error = hasInvalidCertificate(connection) ? 'the TLS certificate is not valid' : attemptErrorOf(code);
      fail(error, error === 'the connection was closed' && request.reusedSocket && received === 0);
    });
    // For example after 101 (Switching Protocols), which ends the request without an error.
    request.on('close', () => fail('the connection was closed'));
    request.end(body);
  });
}

function answered(response: IncomingMessage, body: Buffer): RequestResult {
  const { statusCode: status = 0, headers } = response;
  return { outcome: 'answered', status, retryAfter: headers['retry-after'], body };
}

/** Returns whether OpenSSL rejected the certificate, or the certificate is for another name. */
function hasInvalidCertificate(socket: Socket | undefined): boolean {
  return socket instanceof TLSSocket && Boolean(socket.authorizationError);
}
