import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** A client that pipelines more than this without reading answers only costs memory. */
const maxWaiting = 100;

/**
 * Serves the requests of one connection one after the other. Node begins pipelined requests (RFC 9112, section 9.3.2)
 * all at once: one connection could hold every slot, and when it ends, Node emits `close` for none of the responses
 * that still wait for their turn, so their slots would never be released.
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
    if (count > maxWaiting) {
      socket.destroy();
      return;
    }
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      serve(request, response);
    });
  };
}
