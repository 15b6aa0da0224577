/** Receivers of webhooks on the loopback interface, which answer as a test wants. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The id of the event. */
  readonly id: string;
}

/** A status, a whole response, or `hang`: no answer until `release`. */
export type Answer = number | Response | 'hang';

interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Receiver {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** The number of requests at the same time: now, and at most. */
  readonly concurrent: { now: number; max: number };
  answer: (request: ReceivedRequest) => Answer;
  /** Answers the requests that hang, with 200 or another status. */
  readonly release: (status?: number) => void;
  readonly stop: () => Promise<void>;
}

export async function startReceiver(answer: Receiver['answer'] = () => 204): Promise<Receiver> {
  const waiting = new Set<(status: number) => void>();
  const server = createServer((request, response) => {
    let body = '';
    receiver.concurrent.now += 1;
    receiver.concurrent.max = Math.max(receiver.concurrent.max, receiver.concurrent.now);
    response.once('close', () => {
      receiver.concurrent.now -= 1;
    });
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const received = { headers: request.headers, body, id: String(request.headers['webhook-id']) };
      receiver.requests.push(received);
      const how = receiver.answer(received);
      if (how === 'hang') waiting.add((status) => response.writeHead(status).end());
      else if (typeof how === 'number') response.writeHead(how).end(`answered ${how}`);
      else response.writeHead(how.status, how.headers ?? {}).end(how.body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests: [],
    concurrent: { now: 0, max: 0 },
    answer,
    release: (status = 200) => {
      for (const respond of waiting) respond(status);
      waiting.clear();
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
