/**
 * The port for Envoy's external authorization over gRPC. `node:net` accepts the connections, so that the processes of one
 * service share the port, and their number is limited, as on the verification port.
 */
import { createServer, type Server, type Socket } from 'node:net';
import {
  Server as GrpcServer,
  logVerbosity,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerOptions,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { type Caller, Callers } from '../callers.ts';
import type { PortOptions } from '../options.ts';
import { answerChecks, check } from './check.ts';
import { checkHealth, healthCheck } from './health.ts';
import { RejectedCallers } from './rejected-callers.ts';
import { UnfinishedCalls } from './unfinished-calls.ts';

export interface ExtAuthzPort {
  readonly server: Server;
  /** Finishes the open calls of all connections. Closes what is still open after the timeout. */
  readonly closeConnections: (timeoutMs: number) => void;
}

/**
 * Envoy's default limit for request headers is 60 KiB, and docs/tasks/gateways.md sets `max_request_bytes` to 64 KiB. gRPC
 * rejects longer messages with an error, so clients of Envoy must not be able to cause them.
 */
const maxMessageBytes = 4 * 2 ** 20;

const limits: ServerOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_concurrent_streams': 512,
  // Finds connections whose client is gone or reads nothing: it cannot answer a ping that it has not read.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.max_connection_idle_ms': 600_000,
  'grpc.enable_channelz': 0,
};

// gRPC would write metadata that is not ASCII to the console, with any token in it, as often as a caller sends it.
setLogVerbosity(logVerbosity.NONE);

/** Longer than any verification waits for the store and for DNS. */
const defaultCallTimeoutMs = 15_000;

export function createExtAuthzPort(options: PortOptions, callTimeoutMs = defaultCallTimeoutMs): ExtAuthzPort {
  const callers = new CallersByPeer();
  // Not only the call: gRPC keeps what it has of a message, and an answer, until the client ends the stream.
  const unfinished = new UnfinishedCalls(callTimeoutMs, (call) => callers.disconnect(call.getPeer()));
  const rejected = new RejectedCallers(options);
  const grpc = new GrpcServer({ ...limits, interceptors: [admission(rejected, unfinished)] });
  grpc.addService({ check }, { check: answerChecks(options, (call) => callers.of(call.getPeer())) });
  grpc.addService({ healthCheck }, { healthCheck: checkHealth(options.readiness) });
  const connections = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    callers.add(socket);
    connections.injectConnection(socket);
  });
  server.once('close', () => unfinished.close());
  return { server, closeConnections: (timeoutMs) => connections.drain(timeoutMs) };
}

/** The callers by the text with which gRPC names their connections. */
class CallersByPeer {
  readonly #callers = new Callers();
  readonly #byPeer = new Map<string, { readonly caller: Caller; readonly socket: Socket }>();

  add(socket: Socket): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    const connection = { caller: this.#callers.add(socket).caller, socket };
    this.#byPeer.set(peer, connection);
    socket.once('close', () => {
      // A client can connect again from the same port before the end of its last connection is noticed here.
      if (this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
    });
  }

  of(peer: string): Caller | undefined {
    return this.#byPeer.get(peer)?.caller;
  }

  disconnect(peer: string): void {
    this.#byPeer.get(peer)?.socket.destroy();
  }
}

/** Checks the verifier token before gRPC reads the message, and limits how long the call may take. */
function admission(rejected: RejectedCallers, unfinished: UnfinishedCalls): ServerInterceptor {
  return ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start: (next) => {
        unfinished.add(call);
        next({
          onReceiveMetadata: (metadata, admit) => {
            if (path === healthCheck.path || rejected.hasToken(metadata)) admit(metadata);
            else rejected.answer(call);
          },
          // Also called when the answer was sent.
          onCancel: () => unfinished.delete(call),
        });
      },
    });
}
