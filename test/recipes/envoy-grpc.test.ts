/**
 * The examples for Envoy over gRPC and for the Gateway API in docs/tasks/gateways.md. Their fields are those of Envoy's and the
 * Gateway API's own descriptions; a gRPC client sends what Envoy's filter sends with them.
 */
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { signRequest } from '../../src/client/sign.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { type EnvoyAnswer, type EnvoyRequest, extAuthzClient, passedOn } from '../support/ext-authz.ts';
import { startGateway } from '../support/gateway.ts';
import { recipe } from './page.ts';
import { spoofedHeaders } from './spoofed-headers.ts';

const socketAddress = z.strictObject({
  socket_address: z.strictObject({ address: z.string(), port_value: z.int() }),
});
const type = <T extends string>(name: T) => z.literal(`type.googleapis.com/envoy.extensions.${name}`);
const filterName = 'envoy.filters.http.ext_authz';
const protocolOptions = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

const perRoute = z.strictObject({
  '@type': type('filters.http.ext_authz.v3.ExtAuthzPerRoute'),
  check_settings: z.strictObject({ context_extensions: z.record(z.string(), z.string()) }),
});
const route = z.strictObject({
  match: z.strictObject({ prefix: z.literal('/') }),
  route: z.strictObject({ cluster: z.string() }),
  typed_per_filter_config: z.strictObject({ [filterName]: perRoute }),
});
const authorization = z.strictObject({
  '@type': type('filters.http.ext_authz.v3.ExtAuthz'),
  transport_api_version: z.literal('V3'),
  status_on_error: z.strictObject({ code: z.literal('ServiceUnavailable') }),
  encode_raw_headers: z.boolean(),
  with_request_body: z.strictObject({
    max_request_bytes: z.int().positive(),
    allow_partial_message: z.literal(true),
    pack_as_bytes: z.boolean(),
  }),
  grpc_service: z.strictObject({
    envoy_grpc: z.strictObject({ cluster_name: z.string() }),
    timeout: z.string().regex(/^\d+s$/),
    initial_metadata: z.array(z.strictObject({ key: z.string(), value: z.string() })).optional(),
  }),
});
const connectionManager = z.strictObject({
  '@type': type('filters.network.http_connection_manager.v3.HttpConnectionManager'),
  stat_prefix: z.string(),
  use_remote_address: z.literal(true),
  common_http_protocol_options: z.strictObject({ headers_with_underscores_action: z.literal('DROP_HEADER') }),
  route_config: z.strictObject({
    virtual_hosts: z.tuple([
      z.strictObject({ name: z.string(), domains: z.array(z.string()), routes: z.tuple([route]) }),
    ]),
  }),
  http_filters: z.tuple([
    z.strictObject({ name: z.literal(filterName), typed_config: authorization }),
    z.strictObject({
      name: z.literal('envoy.filters.http.router'),
      typed_config: z.strictObject({ '@type': type('filters.http.router.v3.Router') }),
    }),
  ]),
});
const filter = z.strictObject({
  name: z.literal('envoy.filters.network.http_connection_manager'),
  typed_config: connectionManager,
});
const endpoints = z.tuple([
  z.strictObject({ lb_endpoints: z.tuple([z.strictObject({ endpoint: z.strictObject({ address: socketAddress }) })]) }),
]);
const cluster = z.strictObject({
  name: z.string(),
  typed_extension_protocol_options: z
    .strictObject({
      [protocolOptions]: z.strictObject({
        '@type': z.literal(`type.googleapis.com/${protocolOptions}`),
        explicit_http_config: z.strictObject({ http2_protocol_options: z.strictObject({}) }),
      }),
    })
    .optional(),
  load_assignment: z.strictObject({ cluster_name: z.string(), endpoints }),
});
const bootstrap = z.strictObject({
  static_resources: z.strictObject({
    listeners: z.tuple([
      z.strictObject({
        address: socketAddress,
        filter_chains: z.tuple([z.strictObject({ filters: z.tuple([filter]) })]),
      }),
    ]),
    clusters: z.array(cluster),
  }),
});

/** Reads the example, and returns what Envoy sends with it. */
function envoy(text: string) {
  const { listeners, clusters } = bootstrap.parse(parse(text)).static_resources;
  const manager = listeners[0].filter_chains[0].filters[0].typed_config;
  const [host] = manager.route_config.virtual_hosts;
  const { grpc_service: service, with_request_body: buffer, encode_raw_headers } = manager.http_filters[0].typed_config;
  const found = clusters.find(({ name }) => name === service.envoy_grpc.cluster_name);
  const described = (request: EnvoyRequest): EnvoyRequest => ({
    host: host.domains[0] ?? '',
    context: host.routes[0].typed_per_filter_config[filterName].check_settings.context_extensions,
    maxRequestBytes: buffer.max_request_bytes,
    packAsBytes: buffer.pack_as_bytes,
    encodeRawHeaders: encode_raw_headers,
    ...request,
  });
  return {
    described,
    upstream: clusters.map(({ name }) => name).includes(host.routes[0].route.cluster),
    overHttp2: found?.typed_extension_protocol_options !== undefined,
    port: found?.load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address.port_value,
    metadata: service.initial_metadata,
  };
}

const { text, environment, prose } = recipe('Envoy over gRPC');
const verdictOf = ({ allowed, headers }: EnvoyAnswer) => (allowed ? 'VALID' : headers['x-latchkey-code']);

it('the example protects an API as docs/tasks/gateways.md says, with signed bodies and without trusting headers', async () => {
  const { described, port, upstream, overHttp2 } = envoy(text);
  expect([port, upstream, overHttp2]).toEqual([Number(environment.EXT_AUTHZ_PORT), true, true]);
  const gateway = await startGateway('sqlite', { ...environment, EXT_AUTHZ_PORT: '0' });
  const client = extAuthzClient(gateway.extAuthz);
  try {
    const key = await gateway.issue({ scopes: ['orders:read'], allowedIps: ['192.0.2.7'] });
    const bearer = ['authorization', `Bearer ${key.secret}`] as const;
    const spoofed = Object.entries(spoofedHeaders).flatMap(([name, values]) =>
      values.map((value) => [name, value] as const),
    );
    const request = described({
      headers: [bearer, ...spoofed, ['x-forwarded-for', '192.0.2.9']],
    });
    const answer = await client.check(request);
    expect(verdictOf(answer)).toBe('VALID');
    expect(passedOn(request, answer)).toMatchObject({ 'x-latchkey-key-id': [key.id] });
    expect(passedOn(request, answer)).not.toHaveProperty('authorization');
    expect(JSON.stringify(passedOn(request, answer))).not.toContain('forged');
    expect(verdictOf(await client.check({ ...request, address: '192.0.2.8' }))).toBe('SOURCE_NOT_ALLOWED');
    const test = await gateway.issue({ env: 'test' });
    expect(verdictOf(await client.check(described({ headers: [['authorization', `Bearer ${test.secret}`]] })))).toBe(
      'WRONG_ENVIRONMENT',
    );
    expect((await client.check(described({ headers: [bearer, bearer] }))).status).toBe(400);

    const { id: keyId, secret, signingSecret } = await gateway.issueSigning();
    const signed = (method: string, body: string, length = true) => {
      const url = 'https://api.example.com/';
      const signature = signRequest({ method, url, ...(body === '' ? {} : { body }) }, { keyId, signingSecret });
      const headers = Object.entries({ ...signature, ...(length ? { 'content-length': String(body.length) } : {}) });
      return described({ method, body, headers: [['authorization', `Bearer ${secret}`], ...lowerCase(headers)] });
    };
    expect(verdictOf(await client.check(signed('POST', '{"a": 1}')))).toBe('VALID');
    expect(verdictOf(await client.check({ ...signed('POST', '{"a": 1}'), body: '{"a": 2}' }))).toBe(
      'SIGNATURE_INVALID',
    );
    expect(verdictOf(await client.check(signed('POST', 'x'.repeat(65_536))))).toBe('VALID');
    expect(verdictOf(await client.check(signed('POST', 'x'.repeat(65_538))))).toBe('SIGNATURE_INVALID');
    expect(verdictOf(await client.check(signed('GET', '', false)))).toBe('VALID');
  } finally {
    client.close();
    await gateway.stop();
  }
});

it('the words about scopes and another machine are settings that work', async () => {
  const [, scopes = ''] = /# and scopes: (.+)$/m.exec(text) ?? [];
  const [, metadata = ''] = /`(initial_metadata: [^`]*)`/.exec(prose) ?? [];
  const token = 'a-verifier-token-of-this-test';
  const changed = text
    .replace('env: live,', `env: live, scopes: "${scopes}",`)
    .replace(/( +)timeout: 5s\n/, `$&$1${metadata.replace('<token>', token)}\n`);
  const { described, metadata: sent = [] } = envoy(changed);
  expect(sent.map(({ key, value }) => [key, value])).toEqual([['authorization', `Bearer ${token}`]]);
  const gateway = await startGateway('sqlite', { EXT_AUTHZ_PORT: '0', VERIFIER_TOKENS: token });
  const client = extAuthzClient(gateway.extAuthz, token);
  try {
    for (const [granted, verdict] of [
      [scopes.split(' '), 'VALID'],
      [scopes.split(' ').slice(1), 'INSUFFICIENT_SCOPE'],
    ] as const) {
      const { secret } = await gateway.issue({ scopes: granted });
      expect(verdictOf(await client.check(described({ headers: [['authorization', `Bearer ${secret}`]] })))).toBe(
        verdict,
      );
    }
  } finally {
    client.close();
    await gateway.stop();
  }
});

/** The fields of gateway.networking.k8s.io/v1 that a route with this filter has. */
const backend = z.strictObject({
  name: z.string(),
  namespace: z.string().optional(),
  port: z.int().min(1).max(65_535),
});
const httpRoute = z.strictObject({
  apiVersion: z.literal('gateway.networking.k8s.io/v1'),
  kind: z.literal('HTTPRoute'),
  metadata: z.strictObject({ name: z.string(), namespace: z.string() }),
  spec: z.strictObject({
    parentRefs: z.array(z.strictObject({ name: z.string() })),
    hostnames: z.array(z.string()),
    rules: z.tuple([
      z.strictObject({
        filters: z.tuple([
          z.strictObject({
            type: z.literal('ExternalAuth'),
            externalAuth: z.strictObject({
              protocol: z.enum(['GRPC', 'HTTP']),
              backendRef: backend,
              forwardBody: z.strictObject({ maxSize: z.int().positive() }),
            }),
          }),
        ]),
        backendRefs: z.array(backend),
      }),
    ]),
  }),
});

it('the example for the Gateway API calls the port over gRPC, and the service starts as it says', async () => {
  const example = recipe('Kubernetes Gateway API');
  const [{ filters }] = httpRoute.parse(parse(example.text)).spec.rules;
  const { protocol, backendRef, forwardBody } = filters[0].externalAuth;
  const { EXT_AUTHZ_PORT, EXT_AUTHZ_HOST, EXT_AUTHZ_WITHOUT_TOKEN } = readConfiguration(example.environment);
  expect([protocol, backendRef.port]).toEqual(['GRPC', EXT_AUTHZ_PORT]);
  expect([EXT_AUTHZ_HOST, EXT_AUTHZ_WITHOUT_TOKEN]).toEqual(['0.0.0.0', true]);
  const gateway = await startGateway('sqlite', { ...example.environment, EXT_AUTHZ_PORT: '0' });
  const client = extAuthzClient(gateway.extAuthz);
  try {
    const { secret } = await gateway.issue();
    const headers = [['authorization', `Bearer ${secret}`]] as const;
    const request = { headers, context: {}, maxRequestBytes: forwardBody.maxSize, encodeRawHeaders: false };
    expect(verdictOf(await client.check(request))).toBe('VALID');
  } finally {
    client.close();
    await gateway.stop();
  }
});

const lowerCase = (headers: readonly (readonly [string, string])[]) =>
  headers.map(([name, value]) => [name.toLowerCase(), value] as const);
