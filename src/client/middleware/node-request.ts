/** Reads the bodies of `node:http` requests, and answers the requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { plainAddresses } from '../../domain/source/forwarded-address.ts';
import type { ReceivedBody } from './authenticate.ts';
import type { ProblemAnswer } from './problem-answer.ts';

/** Resolves to the bytes of the whole body. Later readers of the stream get the same bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<ReceivedBody> {
  const { 'content-length': length = request.httpVersionMajor === 1 ? '0' : '', 'transfer-encoding': coding } =
    request.headers;
  // In HTTP/1, these two headers show whether there is a body (RFC 9112, section 6.3). In HTTP/2, a body needs neither.
  if (coding === undefined && /^0+$/.test(length)) return Buffer.alloc(0);
  const unread = !request.readableDidRead && !request.readableEnded && request.readableEncoding === null;
  if (!unread || request.httpVersionMajor !== 1) {
    const rawBody: unknown = Reflect.get(request, 'rawBody');
    if (Buffer.isBuffer(rawBody)) return rawBody;
    throw new TypeError(
      'The body of a signed request must be unread and come over HTTP/1: put the middleware before body parsers, or keep request.rawBody',
    );
  }
  if (Number(length) > limit) return 'PAYLOAD_TOO_LARGE';
  // Lets Node parse the part of the body that arrived in the same packet as the head.
  await undefined;
  // A listener would make a complete, empty stream end now. Later listeners would wait for the end forever.
  if (request.complete && request.readableLength === 0) return Buffer.alloc(0);
  return request.destroyed ? 'gone' : collect(request, limit);
}

function collect(request: IncomingMessage, limit: number): Promise<ReceivedBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (result: ReceivedBody) => {
      request.off('readable', take).off('end', take).off('close', leave);
      resolve(result);
    };
    const leave = () => settle('gone');
    const take = () => {
      while (request.readableLength > 0) {
        const chunk: Buffer = request.read();
        length += chunk.length;
        chunks.push(chunk);
      }
      if (length > limit) return settle('PAYLOAD_TOO_LARGE');
      if (!request.complete) return;
      const body = Buffer.concat(chunks, length);
      // Put back in the same tick, because a stream that is still empty in the next tick ends.
      if (length > 0) request.unshift(body);
      settle(body);
    };
    request.on('readable', take).on('end', take).on('close', leave);
  });
}

/**
 * Returns the message with plain addresses in X-Forwarded-For, for the getters of a framework that find the client behind
 * trusted proxies: they do not understand addresses with a port, which some proxies send.
 */
export function withPlainAddresses<Message extends IncomingMessage>(message: Message): Message {
  const forwarded = message.headers['x-forwarded-for'];
  if (forwarded === undefined) return message;
  const headers = { ...message.headers, 'x-forwarded-for': plainAddresses(String(forwarded)) };
  return Object.create(message, { headers: { value: headers } });
}

export function sendProblem(
  { status, headers, body }: ProblemAnswer,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (response.headersSent) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
  // Discards the rest of the body. Node does so only if nothing has started to read the body.
  request.resume();
}
