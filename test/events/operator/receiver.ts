/** A receiver as a SIEM has one: it decodes compressed NDJSON, and answers as a test tells it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

interface ReceivedBatch {
  readonly headers: IncomingMessage['headers'];
  readonly events: readonly { readonly id: string; readonly type: string; readonly data: Record<string, unknown> }[];
  readonly bytes: number;
  /** The status of the answer; null if there was none. */
  readonly status: number | null;
}

/** Returns a status, with headers if some are needed; null for no answer at all. */
type AnswerTo = (events: ReceivedBatch['events']) => { status: number; headers?: Record<string, string> } | null;

export async function startReceiver(answerTo: AnswerTo = () => ({ status: 200 })) {
  const batches: ReceivedBatch[] = [];
  const receiver = { url: '', batches, answerTo, accepted: () => acceptedOf(batches) };
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = await request.toArray();
    const text = gunzipSync(Buffer.concat(chunks)).toString();
    if (!text.endsWith('\n')) throw new Error('NDJSON ends with a line break');
    const events = text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line));
    const answer = receiver.answerTo(events);
    batches.push({ headers: request.headers, events, bytes: Buffer.byteLength(text), status: answer?.status ?? null });
    if (answer !== null) response.writeHead(answer.status, answer.headers).end('{}');
  };
  const server = createServer((request, response) => {
    receive(request, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  return receiver;
}

/** The accepted events, in the order of their arrival. */
function acceptedOf(batches: readonly ReceivedBatch[]) {
  return batches.flatMap(({ status, events }) => (status === 200 ? events : []));
}
