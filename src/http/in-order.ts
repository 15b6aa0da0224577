import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** What one read of the socket may bring. A client that pipelines more only costs memory. */
const maxWaiting = 100;

/**
 * Serves the requests of one connection one after the other, and reads no further while one waits. Node begins pipelined
 * requests (RFC 9112, section 9.3.2) all at once: one connection could hold every slot, and when it ends, Node emits
 * `close` for none of the responses that still wait for their turn, so their slots would never be released.
 */
export function inOrder(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // Node assigns the socket when the answers before this one have been handed over.
    if (response.socket !== null) {
      serve(request, response);
      return;
    }
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    socket.pause();
    if (count > maxWaiting) {
      socket.destroy();
      return;
    }
    response.once('socket', () => {
      const left = (waiting.get(socket) ?? 1) - 1;
      waiting.set(socket, left);
      if (left === 0) socket.resume();
      serve(request, response);
    });
  };
}
