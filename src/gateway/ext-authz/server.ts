/**
 * The port for Envoy's external authorization over gRPC. `node:net` accepts the connections, so that the processes of one
 * service share the port, and their number is limited, as on the verification port.
 */
import { createServer, type Server } from 'node:net';
import {
  Server as GrpcServer,
  logVerbosity,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerOptions,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { Turns } from '../../admission/turns.ts';
import type { PortOptions } from '../options.ts';
import { answerChecks, check } from './check.ts';
import { Connection } from './connection.ts';
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

/**
 * About two milliseconds of work: a call that is reset costs several times as much as over HTTP/1.1. The port has turns of
 * its own, so that a flood of such calls takes no starts from HTTP (the attack ext-authz-floods).
 */
const maxStartsPerTurn = 16;

/** Longer than any verification waits for the store and for DNS. */
const defaultCallTimeoutMs = 15_000;

export function createExtAuthzPort(options: PortOptions, callTimeoutMs = defaultCallTimeoutMs): ExtAuthzPort {
  const turns = new Turns({ maxPerTurn: maxStartsPerTurn });
  // Not only the call: gRPC keeps what it has of a message, and an answer, until the client ends the stream.
  const unfinished = new UnfinishedCalls(callTimeoutMs);
  const grpc = new GrpcServer({ ...limits, interceptors: [checkToken(options, unfinished)] });
  grpc.addService({ check }, { check: answerChecks(options, () => Connection.current()?.network) });
  grpc.addService({ healthCheck }, { healthCheck: checkHealth(options.readiness) });
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    new Connection({ socket, turns, networks: options.networks }).begin(injector.injectConnection);
  });
  server.once('close', () => unfinished.close());
  return { server, closeConnections: (timeoutMs) => injector.drain(timeoutMs) };
}

/** Checks the verifier token before gRPC reads the message, and limits how long the call may take. */
function checkToken(options: PortOptions, unfinished: UnfinishedCalls): ServerInterceptor {
  const rejected = new RejectedCallers(options);
  return ({ path }, call) => {
    const connection = Connection.current();
    let isOpen = false;
    return new ServerInterceptingCall(call, {
      start: (next) => {
        unfinished.add(call, () => connection?.destroy());
        next({
          onReceiveMetadata: (metadata, admit) => {
            if (path === healthCheck.path) admit(metadata);
            else if (rejected.hasToken(metadata)) {
              isOpen = true;
              connection?.admitted();
              admit(metadata);
            } else rejected.answer(call);
          },
          // Also called when the answer was sent.
          onCancel: () => {
            unfinished.delete(call);
            if (isOpen) connection?.reset();
          },
        });
      },
      sendStatus: (status, next) => {
        if (isOpen) connection?.answered();
        isOpen = false;
        next(status);
      },
    });
  };
}
