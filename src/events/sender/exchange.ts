import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type AttemptError, attemptErrorOf, maxResponseBodyBytes } from './attempt.ts';

/** The maximum for all that is received for one request. A receiver could otherwise send headers or 1xx answers forever. */
const maxReceivedBytes = 65_536;
const maxHeaderBytes = 16_384;

export type Reply =
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

/** Sends one request, and reads the status and the start of the body of the answer. Never rejects. */
export function exchange(options: RequestOptions, body: string | Uint8Array, signal: AbortSignal): Promise<Reply> {
  if (signal.aborted) return Promise.resolve({ outcome: 'aborted' });
  return new Promise((resolve) => {
    const send = options.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send({ ...options, method: 'POST', maxHeaderSize: maxHeaderBytes });
    let connection: Socket | undefined;
    let answer: IncomingMessage | undefined;
    let received = 0;
    const chunks: Buffer[] = [];

    let isSettled = false;
    const settle = (failure: Reply) => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener('abort', abort);
      connection?.off('data', countReceived);
      // The connection can be used again only if both directions have ended.
      if (answer?.complete !== true || !request.writableFinished) request.destroy();
      // Once there is a status, it counts, whatever happens to the rest of the answer.
      resolve(answer === undefined ? failure : answered(answer, Buffer.concat(chunks)));
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
      socket.on('data', countReceived);
    });
    request.on('response', (response) => {
      answer = response;
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
    request.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      const error = hasInvalidCertificate(connection) ? 'the TLS certificate is not valid' : attemptErrorOf(code);
      fail(error, error === 'the connection was closed' && request.reusedSocket && received === 0);
    });
    // For example after 101 (Switching Protocols), which ends the request without an error.
    request.on('close', () => fail('the connection was closed'));
    request.end(body);
  });
}

function answered(response: IncomingMessage, body: Buffer): Reply {
  const { statusCode: status = 0, headers } = response;
  return { outcome: 'answered', status, retryAfter: headers['retry-after'], body };
}

/** Returns whether verification of the certificate failed, for any of OpenSSL's reasons, or because of the name. */
function hasInvalidCertificate(socket: Socket | undefined): boolean {
  return socket instanceof TLSSocket && Boolean(socket.authorizationError);
}
