import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that can wait: as many as one read of the socket can contain. */
const maxWaiting = 100;

/**
 * Serves the requests of one connection one after the other, and stops reading while one waits. Node starts pipelined
 * requests (RFC 9112, section 9.3.2) all at once, so that one connection could hold every slot. When the connection
 * ends, Node emits no `close` for the responses that still wait, so their slots would never be released.
 */
export function inOrder(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // Node assigns the socket once the previous responses have been handed over.
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
