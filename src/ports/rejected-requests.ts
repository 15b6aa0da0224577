/**
 * The answers to requests that Node.js rejects before an endpoint can: they arrive too slowly, have too large heads, or are
 * not HTTP.
 */
import { maxHeaderSize, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorTable, LatchkeyError } from '../domain/errors.ts';
import { problem, problemMediaType } from '../domain/problem.ts';

export const tooSlow = () => new LatchkeyError('REQUEST_TIMEOUT', 'The request did not arrive in time. Send it again.');

const malformed = () => new LatchkeyError('BAD_USER_INPUT', "The request can't be parsed as HTTP/1.1.");

/** The default of Node.js, whose older versions ignore further headers. */
const maxHeaderLines = 1000;

/** The name of a port's limit in Node.js is misleading: the request line counts, too. */
const headTooLarge = (maxHeadBytes: number) =>
  new LatchkeyError(
    'HEADERS_TOO_LARGE',
    `The URL and the headers may have at most ${maxHeadBytes} bytes together, and ${maxHeaderLines} headers.`,
  );

/** By the code of Node.js. */
const errors: Readonly<Record<string, () => LatchkeyError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () =>
    new LatchkeyError('PAYLOAD_TOO_LARGE', 'The extensions of a chunk of the body are too long.'),
};

/**
 * Sends a problem document where Node.js would send only the status, and closes the connection, as Node.js does. It has no
 * link to the page of codes: a gateway may pass it on to a client, and the path may not be known yet.
 */
export function answerRejectedRequests(server: Server, maxHeadBytes = maxHeaderSize): void {
  const lingering = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (lingering.has(socket)) return;
    // A second answer would corrupt one that the client is reading. After ECONNRESET, the socket is not writable.
    const canAnswer = socket.writable && !isAnswering(socket);
    if (canAnswer && error.code === 'HPE_HEADER_OVERFLOW') {
      lingering.add(socket);
      closeGracefully(socket, answerWith(headTooLarge(maxHeadBytes)));
      return;
    }
    if (canAnswer) socket.write(answerWith((errors[error.code ?? ''] ?? malformed)()));
    socket.destroy(error);
  });
}

const lingerMs = 1000;

/**
 * Discards what is still arriving for a short time. If the connection was closed at once, the kernel would reset it, and a
 * proxy that is still sending the head would lose the answer (RFC 9112, section 9.6).
 */
function closeGracefully(socket: Duplex, answer: string): void {
  socket.end(answer);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer));
}

/** Asks what Node.js asks before it sends its own answer, which is not public. */
function isAnswering(socket: Duplex): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return Reflect.get(Object(response), 'headersSent') === true;
}

function answerWith(error: LatchkeyError): string {
  const { status } = errorTable[error.code];
  const body = JSON.stringify(problem(error));
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}
