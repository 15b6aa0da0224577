/**
 * A stand-in for Envoy with one listener, one virtual host and the HTTP service of `ext_authz`, as its API's comments
 * (`ext_authz.proto`, `http_connection_manager.proto`) and source have them.
 */
import { parse } from 'yaml';
import { z } from 'zod';
import { exchange, type Headers, type RunningProxy, startStandIn } from './stand-in-proxy.ts';

const socketAddress = z.strictObject({
  socket_address: z.strictObject({ address: z.string(), port_value: z.int() }),
});
const patterns = z.strictObject({
  patterns: z.array(z.union([z.strictObject({ exact: z.string() }), z.strictObject({ prefix: z.string() })])),
});
const type = <T extends string>(name: T) => z.literal(`type.googleapis.com/envoy.extensions.filters.${name}`);
const header = z.strictObject({ key: z.string(), value: z.string() });
const authorization = z.strictObject({
  '@type': type('http.ext_authz.v3.ExtAuthz'),
  status_on_error: z.strictObject({ code: z.literal('ServiceUnavailable') }),
  with_request_body: z.strictObject({ max_request_bytes: z.int().positive(), allow_partial_message: z.literal(true) }),
  allowed_headers: patterns,
  http_service: z.strictObject({
    path_prefix: z.string(),
    server_uri: z.strictObject({ uri: z.url(), cluster: z.string(), timeout: z.string().regex(/^\d+s$/) }),
    authorization_request: z.strictObject({ headers_to_add: z.array(header) }).optional(),
    authorization_response: z.strictObject({
      allowed_upstream_headers: patterns,
      allowed_client_headers_on_success: patterns,
    }),
  }),
});
const route = z.strictObject({
  match: z.strictObject({ prefix: z.literal('/') }),
  route: z.strictObject({ cluster: z.string() }),
});
const connectionManager = z.strictObject({
  '@type': type('network.http_connection_manager.v3.HttpConnectionManager'),
  stat_prefix: z.string(),
  use_remote_address: z.literal(true),
  common_http_protocol_options: z.strictObject({ headers_with_underscores_action: z.literal('DROP_HEADER') }),
  route_config: z.strictObject({
    virtual_hosts: z.tuple([
      z.strictObject({ name: z.string(), domains: z.array(z.string()), routes: z.tuple([route]) }),
    ]),
  }),
  http_filters: z.tuple([
    z.strictObject({ name: z.literal('envoy.filters.http.ext_authz'), typed_config: authorization }),
    z.strictObject({
      name: z.literal('envoy.filters.http.router'),
      typed_config: z.strictObject({ '@type': type('http.router.v3.Router') }),
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
const bootstrap = z.strictObject({
  static_resources: z.strictObject({
    listeners: z.tuple([
      z.strictObject({
        address: socketAddress,
        filter_chains: z.tuple([z.strictObject({ filters: z.tuple([filter]) })]),
      }),
    ]),
    clusters: z.array(
      z.strictObject({ name: z.string(), load_assignment: z.strictObject({ cluster_name: z.string(), endpoints }) }),
    ),
  }),
});

/** The headers that an HTTP authorization service always gets, regardless of `allowed_headers`. */
const always = ['host', 'authorization'];

export async function startEnvoy(text: string): Promise<RunningProxy> {
  const { listeners, clusters } = bootstrap.parse(parse(text)).static_resources;
  const manager = listeners[0].filter_chains[0].filters[0].typed_config;
  const [host] = manager.route_config.virtual_hosts;
  const options = manager.http_filters[0].typed_config;
  const service = options.http_service;
  const addressOf = (cluster: string) => {
    const found = clusters.find(({ name }) => name === cluster)?.load_assignment;
    if (found?.cluster_name !== cluster) throw new Error(`there is no cluster ${cluster}`);
    const { address, port_value: port } = found.endpoints[0].lb_endpoints[0].endpoint.address.socket_address;
    return { hostname: address, port };
  };
  return await startStandIn(async (incoming) => {
    const { method, path, address, headers, body } = incoming;
    if (!host.domains.includes(headers.get('host')?.[0] ?? '')) return empty(404);
    for (const name of headers.keys()) if (name.includes('_') || name.startsWith('x-envoy-')) headers.delete(name);
    headers.set('x-forwarded-for', [[...(headers.get('x-forwarded-for') ?? []), address].join(',')]);
    headers.set('x-forwarded-proto', ['http']);

    const told: Headers = new Map();
    for (const [name, values] of headers) {
      // Lines of one header become one.
      if (always.includes(name) || matches(options.allowed_headers, name)) told.set(name, [values.join(',')]);
    }
    for (const { key, value } of service.authorization_request?.headers_to_add ?? []) told.set(key, [value]);
    const part = body.subarray(0, options.with_request_body.max_request_bytes);
    const question = { method, path: service.path_prefix + path, headers: told, body: part };
    const timeoutMs = 1000 * Number.parseInt(service.server_uri.timeout, 10);
    // Envoy's lengthZeroHeader(), in ext_authz_http_impl.cc: without a body, it says `content-length: 0`.
    const how = { timeoutMs, alwaysWithLength: true };
    const answer = await exchange(addressOf(service.server_uri.cluster), question, how).catch(() => null);
    if (answer === null || answer.status >= 500) return empty(503);
    if (answer.status !== 200) return answer;
    // In ext_authz_http_impl.cc, always, whatever `allowed_upstream_headers` has.
    const removed = String(answer.headers['x-envoy-auth-headers-to-remove'] ?? '');
    for (const name of removed.split(',')) headers.delete(name.trim().toLowerCase());
    const { allowed_upstream_headers: upstream, allowed_client_headers_on_success: client } =
      service.authorization_response;
    const fields = Object.entries(answer.headers);
    for (const [name, value] of fields) if (matches(upstream, name)) headers.set(name, [value].flat().map(String));
    const added = fields.filter(([name]) => matches(client, name));
    const answered = await exchange(addressOf(host.routes[0].route.cluster), incoming);
    return { ...answered, headers: { ...answered.headers, ...Object.fromEntries(added) } };
  });
}

const empty = (status: number) => ({ status, headers: {}, body: Buffer.alloc(0) });

function matches(list: z.output<typeof patterns>, name: string): boolean {
  return list.patterns.some((pattern) =>
    'exact' in pattern ? name === pattern.exact : name.startsWith(pattern.prefix),
  );
}
