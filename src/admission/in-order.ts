import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Serves the requests of one connection one after the other. Node starts pipelined requests (RFC 9112, section 9.3.2)
 * all at once, so that one connection could hold every slot (the attack pipelining). When a connection ends, Node emits
 * no `close` for the waiting responses, which would then hold their slots forever. A connection with more than
 * `maxWaiting` waiting requests is closed, because Node keeps them in memory.
 */
export function inOrder<Request extends typeof IncomingMessage = typeof IncomingMessage>(
  serve: RequestListener<Request>,
  maxWaiting: number,
  onExceeded: (socket: Socket) => void = () => undefined,
): RequestListener<Request> {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // Node assigns the socket to a response once the previous responses have been handed over.
    if (response.socket !== null) {
      serve(request, response);
      return;
    }
    const { socket } = request;
    // After a connection was closed, Node still emits the requests that it had already read.
    if (socket.destroyed) return;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    // Holds back the rest of a long body. At the end of each request, Node resumes the connection.
    socket.pause();
    if (count > maxWaiting) {
      closeWithoutStacks(socket);
      onExceeded(socket);
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

/** Closes a connection. Node creates two errors per request; their stacks would take most of the time. */
function closeWithoutStacks(socket: Socket): void {
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.destroy();
}
