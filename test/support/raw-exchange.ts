import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends the parts as they are on one connection. Returns everything that is received until the server closes it. */
export async function exchangeBytes(url: string, ...sent: (string | Uint8Array)[]): Promise<string> {
  const { received, socket } = open(url);
  for (const part of sent) socket.write(part);
  return await received;
}

/** The same, but closes the sending side of the connection after the last part, and goes on receiving. */
export async function exchangeHalfClosed(url: string, sent: string): Promise<string> {
  const { received, socket } = open(url);
  socket.end(sent);
  return await received;
}

function open(url: string) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  socket.on('error', () => undefined).on('end', () => socket.end());
  return { socket, received: once(socket, 'close').then(() => text) };
}
