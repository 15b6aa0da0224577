import type { MethodDefinition } from '@grpc/grpc-js';

export type BytesMethod = MethodDefinition<Uint8Array, Uint8Array>;

/** Describes a method whose handler decodes and encodes the messages itself: an error while decoding is an answer then. */
export function method(path: string): BytesMethod {
  return {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: asBuffer,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: asBuffer,
    responseDeserialize: (bytes) => bytes,
  };
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
