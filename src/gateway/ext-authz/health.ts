/** `grpc.health.v1.Health/Check`, for the health checks of Envoy and Kubernetes. It requires no verifier token. */
import { type handleUnaryCall, status } from '@grpc/grpc-js';
import protobuf from 'protobufjs/minimal.js';
import type { PortOptions } from '../options.ts';
import { decode, type Fields, tag } from './protobuf-fields.ts';
import { method } from './unary-method.ts';

export const healthCheck = method('/grpc.health.v1.Health/Check');

interface HealthCheckRequest {
  /** Empty for the whole server. */
  service: string;
}

const healthCheckRequest: Fields<HealthCheckRequest> = {
  1: (reader, request) => {
    request.service = reader.string();
  },
};
const [serving, notServing] = [1, 2];

/** `services` are the names that are known, besides that of the whole server. */
export function checkHealth(
  readiness: PortOptions['readiness'],
  services: readonly string[],
): handleUnaryCall<Uint8Array, Uint8Array> {
  return ({ request }, answer) => {
    if (!isKnown(request, services)) {
      answer({ code: status.NOT_FOUND, details: 'The service is not known.' });
      return;
    }
    void readiness().then((state) => {
      const code = state === 'ready' ? serving : notServing;
      answer(null, protobuf.Writer.create().uint32(tag(1, 0)).int32(code).finish());
    });
  };
}

function isKnown(request: Uint8Array, services: readonly string[]): boolean {
  try {
    const { service } = decode(request, healthCheckRequest, { service: '' });
    return service === '' || services.includes(service);
  } catch {
    return false;
  }
}
