/** An endpoint for webhooks on the loopback interface, which keeps what it gets. */
import { createServer, type ServerResponse } from 'node:http';
import { listen, stopListening } from './gateway.ts';

export interface ReceivedEvent {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** @param answer sends the response; by default 200 */
export async function startReceiver(answer: (response: ServerResponse) => void = (response) => response.end('thanks')) {
  const received: ReceivedEvent[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      answer(response);
    });
  });
  return { url: `${await listen(server)}/webhooks`, received, stop: () => stopListening(server) };
}
