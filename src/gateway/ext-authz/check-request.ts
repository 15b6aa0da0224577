/**
 * Decodes the message `envoy.service.auth.v3.CheckRequest`: only the fields that Latchkey reads. The numbers are those of
 * Envoy's .proto files. test/support/ext-authz.proto has the same messages for the tests, which use another library.
 */
import type { Reader } from 'protobufjs/minimal.js';
import { decode, type Fields, message, type ReadField } from './protobuf-fields.ts';

/** The fields of a CheckRequest that decide about a request. Absent texts are empty. */
export interface CheckRequest {
  /** The address that connected to Envoy: `attributes.source.address.socket_address.address`. */
  readonly source: string;
  readonly method: string;
  readonly scheme: string;
  readonly host: string;
  /** The path and query as the client sent them. */
  readonly path: string;
  /** Names and values in turn, as in `rawHeaders` of `node:http`. Includes pseudo-headers such as `:method`. */
  readonly headers: readonly string[];
  /** What Envoy has buffered of the body; empty without `with_request_body`. */
  readonly body: Uint8Array;
  /** The `context_extensions` of the route, which clients cannot set. */
  readonly context: ReadonlyMap<string, string>;
}

type Draft = { -readonly [Field in keyof CheckRequest]: CheckRequest[Field] } & {
  readonly headers: string[];
  readonly context: Map<string, string>;
};

const nothing = new Uint8Array(0);

/** Throws for bytes that are not the message. */
export function decodeCheckRequest(bytes: Uint8Array): CheckRequest {
  const context = new Map<string, string>();
  const draft = { source: '', method: '', scheme: '', host: '', path: '', headers: [], body: nothing, context };
  return decode<Draft>(bytes, checkRequest, draft);
}

interface Pair {
  name: string;
  value: string;
}

/** An entry of a `map<string, string>`, and a `HeaderValue`, whose third field has the bytes of the value. */
const pairFields: Fields<Pair> = {
  1: (reader, pair) => {
    pair.name = reader.string();
  },
  2: (reader, pair) => {
    pair.value = reader.string();
  },
  3: (reader, pair) => {
    const { buffer, byteOffset, length } = reader.bytes();
    pair.value = Buffer.from(buffer, byteOffset, length).toString('latin1');
  },
};
const pairMessage = message(pairFields);

function readPair(reader: Reader): Pair {
  const pair = { name: '', value: '' };
  pairMessage(reader, pair);
  return pair;
}

const readHeader: ReadField<Draft> = (reader, { headers }) => {
  const { name, value } = readPair(reader);
  headers.push(name, value);
};
const readBody: ReadField<Draft> = (reader, draft) => {
  const bytes = reader.bytes();
  if (bytes.length > 0) draft.body = bytes;
};
const text =
  (field: 'source' | 'method' | 'scheme' | 'host' | 'path'): ReadField<Draft> =>
  (reader, draft) => {
    draft[field] = reader.string();
  };

const httpRequest: Fields<Draft> = {
  2: text('method'),
  3: readHeader,
  4: text('path'),
  5: text('host'),
  6: text('scheme'),
  // A string in the .proto file, whose bytes are hashed as they arrived.
  11: readBody,
  12: readBody,
  13: message({ 1: readHeader }),
};
const address: Fields<Draft> = { 1: message({ 2: text('source') }) };
const attributes: Fields<Draft> = {
  1: message({ 1: message(address) }),
  4: message({ 2: message(httpRequest) }),
  10: (reader, { context }) => {
    const { name, value } = readPair(reader);
    context.set(name, value);
  },
};
const checkRequest: Fields<Draft> = { 1: message(attributes) };
