// SECURITY.md: Who may do what
import { expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';

it.each<[NodeJS.ProcessEnv, string]>([
  [{ VERIFY_PORT: 'x' }, 'VERIFY_PORT: expected a port number from 0 to 65535'],
  ...[
    '',
    ' ',
    ',',
    'short',
    'a-token-of-16-or-more,',
    'a-token-of-each\nline-of-its-file',
    'a-tokén-of-16-or-more',
  ].map((text): [NodeJS.ProcessEnv, string] => [
    { VERIFIER_TOKENS: text },
    'VERIFIER_TOKENS: expected tokens of at least 16 characters each, without spaces and line breaks, separated by commas',
  ]),
  [{ VERIFY_CACHE_KEYS: '0' }, 'VERIFY_CACHE_KEYS: expected a number of keys, at least 1'],
  [{ VERIFY_CACHE_MB: '0' }, 'VERIFY_CACHE_MB: expected a number of megabytes, at least 1'],
  [{ GATEWAY: 'apache' }, 'GATEWAY: expected nginx, traefik, envoy or generic'],
  [{ SOURCE_HEADER: 'X Real IP' }, 'SOURCE_HEADER: expected the name of a header, such as X-Real-IP'],
  ...['', 'bearer', 'header:host', 'query:key', 'basic,basic:username'].map((text): [NodeJS.ProcessEnv, string] => [
    { KEY_LOCATIONS: text },
    'KEY_LOCATIONS: expected places separated by commas, each once: authorization, header:<name> for a header without another meaning, and basic, basic:username or basic:password',
  ]),
  [{ SOURCE_HEADER: 'Authorization' }, 'KEY_LOCATIONS: expected another header than SOURCE_HEADER'],
  [
    { KEY_LOCATIONS: 'header:client_ip', SOURCE_HEADER: 'Client-IP' },
    'KEY_LOCATIONS: expected another header than SOURCE_HEADER',
  ],
  [{ SOURCE_HOPS: '0' }, 'SOURCE_HOPS: expected a number from 1 to 9'],
  [
    { DNS_SERVERS: 'dns.example' },
    'DNS_SERVERS: expected addresses of DNS servers, separated by commas, each with a port if it is not 53',
  ],
  [
    { DNS_SERVERS: '127.0.0.1:65536' },
    'DNS_SERVERS: expected addresses of DNS servers, separated by commas, each with a port if it is not 53',
  ],
  [
    { DNS_SERVERS: '127.0.0.1:0' },
    'DNS_SERVERS: expected addresses of DNS servers, separated by commas, each with a port if it is not 53',
  ],
  [{ DRAIN_GRACE_MS: '300001' }, 'DRAIN_GRACE_MS: expected a number of milliseconds from 0 to 300000'],
  [{ DRAIN_GRACE_MS: '-1' }, 'DRAIN_GRACE_MS: expected a number of milliseconds from 0 to 300000'],
  [{ WORKERS: '0' }, 'WORKERS: expected a number of processes, at least 1'],
  [{ METRICS_PORT: '65536' }, 'METRICS_PORT: expected a port number from 0 to 65535'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT: expected an https or http URL'],
  [{ VERIFY_TRACE_RATIO: '1.5' }, 'VERIFY_TRACE_RATIO: expected a share from 0 to 1'],
  [{ METRICS_TOKEN: 'short' }, 'METRICS_TOKEN: expected at least 16 characters, without spaces and line breaks'],

  [
    { METRICS_PORT: '9400', METRICS_HOST: '0.0.0.0' },
    'METRICS_TOKEN: expected, because METRICS_HOST is not the loopback interface',
  ],
])('%j is rejected with what is expected', (environment, problem) => {
  expect(() => readConfiguration(environment)).toThrow(problem);
});

it('the variables of the data plane are read', () => {
  const environment = {
    VERIFY_HOST: '0.0.0.0',
    VERIFIER_TOKENS: 'one-verifier-token, two-verifier-token',
    SOURCE_HEADER: 'X-Real-IP',
    DNS_SERVERS: '127.0.0.1:5353,192.0.2.1,[2001:db8::1]:53',
  };
  expect(readConfiguration(environment)).toMatchObject({
    VERIFIER_TOKENS: ['one-verifier-token', 'two-verifier-token'],
    SOURCE_HEADER: 'x-real-ip',
    DNS_SERVERS: ['127.0.0.1:5353', '192.0.2.1', '[2001:db8::1]:53'],
  });
});
