/** Encodes the message `envoy.service.auth.v3.CheckResponse`, with the numbers of Envoy's and Google's .proto files. */
import protobuf from 'protobufjs/minimal.js';
import { tag } from './protobuf-fields.ts';

/** The answer to a CheckRequest. Header fields are names and values in turn. */
export interface Allowance {
  /** For the API: each replaces the client's own headers of this name. */
  readonly requestHeaders: readonly string[];
  /** The names of the client's headers that the API does not get. */
  readonly removedHeaders: readonly string[];
  /** For the client, added to the response of the API. */
  readonly responseHeaders: readonly string[];
}

/** The answer of Envoy itself to the client. */
export interface Denial {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

export function encodeAllowance({ requestHeaders, removedHeaders, responseHeaders }: Allowance): Uint8Array {
  // `status` with the code OK, which is not encoded because it is 0.
  const writer = protobuf.Writer.create().uint32(tag(1)).fork().ldelim().uint32(tag(3)).fork();
  writeHeaders(writer, 2, requestHeaders);
  for (const name of removedHeaders) writer.uint32(tag(5)).string(name);
  writeHeaders(writer, 6, responseHeaders);
  return writer.ldelim().finish();
}

export function encodeDenial({ status, headers, body }: Denial): Uint8Array {
  const writer = protobuf.Writer.create().uint32(tag(1)).fork();
  writer.uint32(tag(1, 0)).int32(statusCode(status)).ldelim();
  writer.uint32(tag(2)).fork().uint32(tag(1)).fork().uint32(tag(1, 0)).int32(status).ldelim();
  writeHeaders(writer, 2, headers);
  if (body !== '') writer.uint32(tag(3)).string(body);
  return writer.ldelim().finish();
}

const overwriteIfExistsOrAdd = 2;

/** Writes `HeaderValueOption`s that replace other headers of the name, and are kept if their value is empty. */
function writeHeaders(writer: protobuf.Writer, field: number, headers: readonly string[]): void {
  for (let i = 0; i < headers.length; i += 2) {
    writer.uint32(tag(field)).fork();
    writer.uint32(tag(1)).fork();
    writer
      .uint32(tag(1))
      .string(headers[i] ?? '')
      .uint32(tag(2))
      .string(headers[i + 1] ?? '')
      .ldelim();
    // `append: false` for versions of Envoy before `append_action`, which read no other field.
    writer.uint32(tag(2)).fork().ldelim().uint32(tag(3, 0)).int32(overwriteIfExistsOrAdd);
    writer.uint32(tag(4, 0)).bool(true).ldelim();
  }
}

/** Returns the code of `google.rpc.Status` for an HTTP status, as `google/rpc/code.proto` maps them. Never OK. */
function statusCode(status: number): number {
  return statusCodes.get(status) ?? internal;
}

const internal = 13;
const statusCodes: ReadonlyMap<number, number> = new Map([
  [400, 3],
  [401, 16],
  [403, 7],
  [429, 8],
  [503, 14],
]);
