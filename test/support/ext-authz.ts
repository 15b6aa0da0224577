/**
 * A stand-in for Envoy's `ext_authz` filter over gRPC, as its source has it (check_request_utils.cc, ext_authz.cc): which
 * request it describes, and what it does with the answer. The messages are built by proto-loader, not by the service.
 */
import { fileURLToPath } from 'node:url';
import { type CallOptions, Client, credentials, Metadata } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';
import { z } from 'zod';

function methodOf(file: string, service: string): MethodDefinition<object, object> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const definition = loadSync(path, { keepCase: true, defaults: true, enums: String, longs: Number })[service];
  if (definition === undefined || 'format' in definition) throw new Error(`${service} is not a service`);
  const { Check } = definition;
  if (Check === undefined) throw new Error(`${service} has no Check`);
  return Check;
}

const checkMethod = methodOf('ext-authz.proto', 'envoy.service.auth.v3.Authorization');
const healthMethod = methodOf('health.proto', 'grpc.health.v1.Health');

export const encodedCheck = (message: object) => checkMethod.requestSerialize(message);

/** Calls `Check` at an address such as `127.0.0.1:9191`. Its connection is its own. */
export function extAuthzClient(address: string, token?: string) {
  const options = { 'grpc.use_local_subchannel_pool': 1, 'grpc.enable_channelz': 0 };
  const client = new Client(address, credentials.createInsecure(), options);
  const call = (method: MethodDefinition<object, object>, bytes: Buffer, metadata: Metadata, how: CallOptions) =>
    new Promise<object>((resolve, reject) => {
      const { path, responseDeserialize } = method;
      client.makeUnaryRequest(
        path,
        (same: Buffer) => same,
        responseDeserialize,
        bytes,
        metadata,
        how,
        (error, answer) => (error === null && answer !== undefined ? resolve(answer) : reject(error)),
      );
    });
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  return {
    check: async (request: EnvoyRequest, how: CallOptions = {}) =>
      answerOf(await call(checkMethod, encodedCheck(checkRequest(request)), metadata, how)),
    /** Sends bytes, with metadata of the test's own. */
    checkBytes: async (bytes: Buffer, own = metadata) => answerOf(await call(checkMethod, bytes, own, {})),
    health: async (service = '') =>
      await call(healthMethod, healthMethod.requestSerialize({ service }), new Metadata(), {}),
    close: () => client.close(),
  };
}

type HeaderLine = readonly [name: string, value: string | Buffer];

/** A request of a client to Envoy, and the configuration of its route. */
export interface EnvoyRequest {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly headers?: readonly HeaderLine[];
  readonly body?: string | Buffer;
  readonly address?: string;
  readonly context?: Readonly<Record<string, string>>;
  /** `max_request_bytes` with `allow_partial_message`; null without `with_request_body`. */
  readonly maxRequestBytes?: number | null;
  readonly packAsBytes?: boolean;
  readonly encodeRawHeaders?: boolean;
  /** What Envoy says about the part of the body that it sends. */
  readonly isPartial?: boolean;
}

/** The headers that Envoy does not pass to its filters. */
const removed = new Set(['x-envoy-auth-partial-body', 'transfer-encoding', 'connection', 'host']);

export function checkRequest({
  method = 'GET',
  path = '/',
  host = 'api.example.com',
  headers = [],
  body = '',
  address = '192.0.2.7',
  context = { env: 'live', body: 'buffered' },
  maxRequestBytes = 65_536,
  packAsBytes = true,
  encodeRawHeaders = true,
  // What Envoy has received by then, not the whole body: a part that fills the buffer exactly is not called partial.
  isPartial = maxRequestBytes !== null && Buffer.byteLength(body) > maxRequestBytes + 1,
}: EnvoyRequest) {
  const pseudo = { ':authority': host, ':path': path, ':method': method, ':scheme': 'https' };
  const lines: HeaderLine[] = [...Object.entries(pseudo), ...headers.filter(([name]) => !removed.has(name))];
  const bytes = Buffer.from(body);
  // Envoy buffers no bodies of upgrades.
  const isUpgrade = headers.some(([name]) => name === 'upgrade');
  const buffered = maxRequestBytes === null || isUpgrade ? Buffer.alloc(0) : bytes.subarray(0, maxRequestBytes);
  if (buffered.length > 0) lines.push(['x-envoy-auth-partial-body', String(isPartial)]);
  const merged: Record<string, string> = {};
  for (const [name, value] of lines) merged[name] = name in merged ? `${merged[name]},${value}` : String(value);
  const headerMap = { headers: lines.map(([key, value]) => ({ key, raw_value: Buffer.from(value) })) };
  const http = {
    id: '1',
    method,
    path,
    host,
    scheme: 'https',
    size: 0,
    protocol: 'HTTP/1.1',
    ...(encodeRawHeaders ? { header_map: headerMap } : { headers: merged }),
    ...(buffered.length === 0 ? {} : packAsBytes ? { raw_body: buffered } : { body: buffered.toString() }),
  };
  const peer = (socketAddress: string) => ({
    address: { socket_address: { protocol: 'TCP', address: socketAddress, port_value: 40_000 } },
    labels: { app: 'api' },
    principal: 'spiffe://example/api',
  });
  return {
    attributes: {
      source: peer(address),
      destination: peer('192.0.2.1'),
      request: { time: { seconds: 1_790_000_000, nanos: 1 }, http },
      context_extensions: context,
    },
  };
}

const headerOption = z.object({
  header: z.object({ key: z.string(), value: z.string() }),
  append: z.object({ value: z.boolean() }),
  append_action: z.string(),
  keep_empty_value: z.boolean(),
});
const response = z.object({
  status: z.object({ code: z.int() }),
  http_response: z.enum(['denied_response', 'ok_response']).optional(),
  denied_response: z
    .object({ status: z.object({ code: z.int() }), headers: z.array(headerOption), body: z.string() })
    .nullish(),
  ok_response: z
    .object({
      headers: z.array(headerOption),
      headers_to_remove: z.array(z.string()),
      response_headers_to_add: z.array(headerOption),
    })
    .nullish(),
});

export type EnvoyAnswer = ReturnType<typeof answerOf>;

/** What Envoy makes of the answer. */
function answerOf(message: object) {
  const { status, ok_response: ok, denied_response: denied } = response.parse(message);
  if (status.code === 0) {
    if (ok === null || ok === undefined) throw new Error('an answer that allows has an ok_response');
    return {
      status: 200,
      allowed: true,
      told: overwriting(ok.headers),
      removed: ok.headers_to_remove,
      headers: overwriting(ok.response_headers_to_add),
      body: '',
    };
  }
  if (denied === null || denied === undefined) throw new Error('an answer that denies has a denied_response');
  return {
    status: denied.status.code,
    allowed: false,
    told: {},
    removed: [],
    headers: overwriting(denied.headers),
    body: denied.body,
  };
}

/** The headers, each of which replaces the client's in all versions of Envoy. */
function overwriting(options: readonly z.output<typeof headerOption>[]): Record<string, string> {
  for (const { append, append_action: action, keep_empty_value: keepEmpty } of options) {
    if (append.value || action !== 'OVERWRITE_IF_EXISTS_OR_ADD' || !keepEmpty) throw new Error('a header is appended');
  }
  return Object.fromEntries(options.map(({ header }) => [header.key, header.value]));
}

/** The headers that the API gets: Envoy first sets the headers of the answer, then removes others. */
export function passedOn({ headers = [] }: EnvoyRequest, { told, removed }: EnvoyAnswer): Record<string, string[]> {
  const passed: Record<string, string[]> = {};
  for (const [name, value] of headers) passed[name] = [...(passed[name] ?? []), String(value)];
  for (const [name, value] of Object.entries(told)) passed[name] = [value];
  for (const name of removed) delete passed[name];
  return passed;
}
