/** The answers to requests that Node.js rejects before an endpoint can: they arrive too slowly, or are not HTTP. */
import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorTable, LatchkeyError } from '../domain/errors.ts';
import { problem, problemMediaType } from '../domain/problem.ts';

export const tooSlow = () => new LatchkeyError('REQUEST_TIMEOUT', 'The request did not arrive in time. Send it again.');

const malformed = () => new LatchkeyError('BAD_USER_INPUT', "The request can't be parsed as HTTP/1.1.");

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
export function answerRejectedRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A second answer would corrupt one that the client is reading. After ECONNRESET, the socket is not writable.
    if (socket.writable && !isAnswering(socket)) socket.write(answerTo(error.code ?? ''));
    socket.destroy(error);
  });
}

/** Asks what Node.js asks before it sends its own answer, which is not public. */
function isAnswering(socket: Duplex): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return Reflect.get(Object(response), 'headersSent') === true;
}

function answerTo(nodeCode: string): string {
  if (nodeCode === 'HPE_HEADER_OVERFLOW') {
    return 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n';
  }
  const error = (errors[nodeCode] ?? malformed)();
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
