/** `grpc.health.v1.Health/Check`, for the health checks of Envoy and Kubernetes. It requires no verifier token. */
import type { handleClientStreamingCall } from '@grpc/grpc-js';
import protobuf from 'protobufjs/minimal.js';
import type { PortOptions } from '../options.ts';
import { tag } from './protobuf-fields.ts';
import { method } from './unary-method.ts';

/**
 * Declared with a stream of requests, which is the same to clients: gRPC then reads no message until the handler asks
 * for it. It collects up to 4 MiB for each call, and callers without a token must not be able to fill the memory.
 */
export const healthCheck = { ...method('/grpc.health.v1.Health/Check'), requestStream: true };

const [serving, notServing] = [1, 2];

/** Answers without reading which service is meant: the port has no other one that could be in another state. */
export function checkHealth(readiness: PortOptions['readiness']): handleClientStreamingCall<Uint8Array, Uint8Array> {
  return (_, answer) => {
    void readiness().then((state) => {
      const code = state === 'ready' ? serving : notServing;
      answer(null, protobuf.Writer.create().uint32(tag(1, 0)).int32(code).finish());
    });
  };
}
