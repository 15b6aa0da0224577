/** The only module that reads the environment. It reports all problems at once. */
import { isIP } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { parsePublicKey, type TokenKey } from '../auth/token-keys.ts';
import { type KeyRing, keyRing, type RingKey } from '../domain/secret/key-ring.ts';
import { tagShape } from '../domain/secret/secret.ts';
import { type DatabaseAddress, parseDatabaseUrl } from '../lib/database-address.ts';
import { maxLeaseMs } from '../wire/feed-messages.ts';

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 65535);
const positive = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number);
const text = z.string().min(1);
const origin = text.refine((value) => URL.canParse(value) && new URL(value).origin === value);
const list = (item: z.ZodType<string, string>) =>
  text.transform((value) => value.split(',').map((part) => part.trim())).pipe(z.array(item));
const url = (...protocols: string[]) =>
  text.refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol));

const ring = (bytes: (length: number) => boolean) =>
  text.transform((value, context): KeyRing => {
    const keys = value.split(',').map((entry): RingKey | null => {
      const [, id = '', base64 = ''] = /^\s*([\w-]{1,32}):([\w+/-]+={0,2})\s*$/.exec(entry) ?? [];
      const key = { id, bytes: Buffer.from(base64, 'base64') };
      return id !== '' && bytes(key.bytes.length) ? key : null;
    });
    const [first, ...rest] = keys.filter((key) => key !== null);
    const distinct = new Set(keys.map((key) => key?.id)).size === keys.length;
    if (first === undefined || keys.includes(null) || !distinct) {
      context.addIssue({ code: 'custom' });
      return z.NEVER;
    }
    return keyRing([first, ...rest]);
  });

const publicKey = text.transform((value, context): TokenKey => {
  try {
    // Environment files often can't hold line breaks.
    return parsePublicKey(value.replaceAll('\\n', '\n'));
  } catch {
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  }
});

const databaseUrl = text.transform((value, context): DatabaseAddress => {
  const address = parseDatabaseUrl(value);
  if (address !== null) return address;
  context.addIssue({ code: 'custom' });
  return z.NEVER;
});

/** Checked here, because Express has unclear error messages and reads `10` as the address 0.0.0.10. */
const proxyNetwork = z.string().refine((value) => {
  if (/^(?:loopback|linklocal|uniquelocal)$/.test(value)) return true;
  const [, address = '', bits = '1'] = /^([\da-fA-F:.]+)(?:\/([1-9]\d{0,2}))?$/.exec(value) ?? [];
  return isIP(address) !== 0 && Number(bits) <= (isIP(address) === 4 ? 32 : 128);
});

const trustProxy = z.union([
  z
    .string()
    .regex(/^[1-9]$/)
    .transform(Number),
  list(proxyNetwork),
]);

/** Anyone who can change the response with the keys can sign session tokens, so it must be encrypted or local. */
function isPrivateOnTheWay(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function isDnsServer(text: string): boolean {
  const [, v6, v4, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return isIP(v6 ?? v4 ?? text) !== 0 && Number(port) <= 65535;
}

/** Sent in a header, so it must be visible ASCII. */
export const tokenShape = /^[\x21-\x7e]{16,}$/;

/** Each variable with its schema and what is expected. Messages never repeat values, because some are secrets. */
const variables = {
  HOST: [text.default('127.0.0.1'), 'an address to listen on'],
  PORT: [port.default(4000), 'a port number from 0 to 65535'],
  VERIFY_HOST: [text.default('127.0.0.1'), 'an address to listen on'],
  VERIFY_PORT: [port.default(4001), 'a port number from 0 to 65535'],
  VERIFIER_TOKENS: [list(z.string().min(16)).optional(), 'tokens of at least 16 characters each, separated by commas'],
  FEED_TOKENS: [list(z.string().min(16)).optional(), 'tokens of at least 16 characters each, separated by commas'],
  VERIFY_CACHE_KEYS: [positive.default(200_000), 'a number of keys, at least 1'],
  VERIFY_CACHE_MB: [positive.default(130), 'a number of megabytes, at least 1'],
  GATEWAY: [z.enum(['nginx', 'traefik', 'envoy']).default('nginx'), 'nginx, traefik or envoy'],
  SOURCE_HEADER: [
    z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]*$/)
      .transform((name) => name.toLowerCase())
      .optional(),
    'the name of a header, such as X-Real-IP',
  ],
  SOURCE_HOPS: [
    z
      .string()
      .regex(/^[1-9]$/)
      .transform(Number)
      .default(1),
    'a number from 1 to 9',
  ],
  API_CHECKS_CONTENT_DIGEST: [
    z
      .enum(['true', 'false'])
      .default('false')
      .transform((value) => value === 'true'),
    'true or false',
  ],
  DNS_SERVERS: [
    list(z.string().refine(isDnsServer)).optional(),
    'addresses of DNS servers, separated by commas, each with a port if it is not 53',
  ],
  METRICS_HOST: [text.default('127.0.0.1'), 'an address to listen on'],
  METRICS_PORT: [port.optional(), 'a port number from 0 to 65535'],
  METRICS_TOKEN: [z.string().min(16).optional(), 'at least 16 characters'],
  OTEL_EXPORTER_OTLP_ENDPOINT: [url('https:', 'http:').optional(), 'an https or http URL'],
  VERIFY_TRACE_RATIO: [
    z
      .string()
      .regex(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/)
      .transform(Number)
      .default(0.001),
    'a share from 0 to 1',
  ],
  USAGE_RETENTION_DAYS: [positive.default(90), 'a number of days, at least 1'],
  VERIFY_LEASE_MS: [
    z
      .string()
      .regex(/^(?:0|[1-9]\d{0,3})$/)
      .transform(Number)
      .refine((leaseMs) => leaseMs <= maxLeaseMs)
      .default(0),
    `a number of milliseconds from 0 to ${maxLeaseMs}`,
  ],
  DRAIN_GRACE_MS: [
    z
      .string()
      .regex(/^\d{1,6}$/)
      .transform(Number)
      .refine((value) => value <= 300_000)
      .default(0),
    'a number of milliseconds from 0 to 300000',
  ],
  WORKERS: [positive.default(1), 'a number of processes, at least 1'],
  DATA_DIR: [text.default('./data'), 'a directory'],
  DATABASE_URL: [
    databaseUrl.optional(),
    'file:<path> or postgresql://…, there with ?options=-c%20search_path%3D<schema> for another schema than public',
  ],
  JWT_SECRET: [
    z
      .string()
      .refine((value) => Buffer.byteLength(value) >= 32)
      .optional(),
    'at least 32 bytes (RFC 7518, section 3.2)',
  ],
  JWT_PUBLIC_KEY: [publicKey.optional(), 'a public key in PEM: RSA of at least 2048 bits, or elliptic on P-256'],
  JWT_JWKS_URL: [
    url('https:', 'http:').refine(isPrivateOnTheWay).optional(),
    'an https URL; http is for the loopback interface only',
  ],
  JWT_ISSUER: [text.optional(), 'the issuer that tokens must name'],
  JWT_AUDIENCE: [text.optional(), 'the audience that tokens must name'],
  JWT_TEAMS_CLAIM: [text.default('teams'), 'the name of a claim'],
  JWT_TEAM_NAMES_CLAIM: [text.default('team_names'), 'the name of a claim'],
  JWT_MAX_LIFETIME: [positive.default(86_400), 'a number of seconds, at least 1'],
  KEY_PEPPERS: [ring((length) => length >= 32).optional(), 'id:base64,… with at least 32 bytes each and distinct ids'],
  SIGNING_KEKS: [ring((length) => length === 32).optional(), 'id:base64,… with exactly 32 bytes each and distinct ids'],
  KEY_TAG: [z.string().regex(tagShape).default('lk'), '1 to 16 lower-case letters and digits, a letter first'],
  MAX_KEYS_PER_TEAM: [positive.default(10_000), 'a number of keys, at least 1'],
  TEAM_CHANGES_PER_HOUR: [positive.optional(), 'a number of changes, at least 1'],
  AUDIT_RETENTION_DAYS: [positive.optional(), 'a number of days, at least 1'],
  REVOKED_RETENTION_DAYS: [positive.optional(), 'a number of days, at least 1'],
  MANAGEMENT_RATE_LIMIT: [positive.default(3000), 'a number of operations a minute, at least 1'],
  FAILED_TOKEN_LIMIT: [positive.default(60), 'a number of calls a minute, at least 1'],
  UNKNOWN_KEY_LIMIT: [positive.default(120), 'a number of keys a minute, at least 1'],
  TRUST_PROXY: [
    trustProxy.optional(),
    'a number of proxies, 1 to 9, or their addresses or networks, separated by commas',
  ],
  CORS_ORIGINS: [list(origin).optional(), 'origins such as https://app.example.com, separated by commas'],
  GRAPHIQL: [
    z
      .enum(['true', 'false'])
      .transform((value) => value === 'true')
      .optional(),
    'true or false',
  ],
  LOG_LEVEL: [
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'trace, debug, info, warn, error, fatal or silent',
  ],
} as const satisfies Record<string, readonly [z.ZodType, string]>;

type Name = keyof typeof variables;
type Parsed = { readonly [N in Name]: z.output<(typeof variables)[N][0]> };

/** The configuration without generated secrets. */
export interface Configuration extends Omit<Parsed, 'DATABASE_URL' | 'GRAPHIQL' | 'TEAM_CHANGES_PER_HOUR'> {
  readonly DATABASE_URL: DatabaseAddress;
  readonly GRAPHIQL: boolean;
  readonly TEAM_CHANGES_PER_HOUR: number;
}

export function readConfiguration(environment: NodeJS.ProcessEnv): Configuration {
  const shape = Object.fromEntries(Object.entries(variables).map(([name, [schema]]) => [name, schema]));
  const result = z.object(shape).safeParse(environment);
  const problems = (result.error?.issues ?? []).map(({ path }) => {
    const name = String(path[0]) as Name;
    return `${name}: expected ${variables[name][1]}${environment[name] === '' ? '; it is set, but empty' : ''}`;
  });
  const authorities = (['JWT_SECRET', 'JWT_PUBLIC_KEY', 'JWT_JWKS_URL'] as const).filter(
    (name) => environment[name] !== undefined,
  );
  if (authorities.length > 1)
    problems.push(
      `${authorities.join(', ')}: expected only one of them, because each one defines the key that verifies session tokens`,
    );
  const { JWT_JWKS_URL, JWT_ISSUER, JWT_AUDIENCE } = environment;
  if ((JWT_JWKS_URL ?? '') !== '' && JWT_ISSUER === undefined && JWT_AUDIENCE === undefined) {
    problems.push(
      'JWT_ISSUER or JWT_AUDIENCE: expected with JWT_JWKS_URL, because its keys may sign tokens for other services',
    );
  }
  const verifyHost = environment.VERIFY_HOST;
  const { VERIFIER_TOKENS, FEED_TOKENS } = environment;
  const hasToken = VERIFIER_TOKENS !== undefined || FEED_TOKENS !== undefined;
  if (verifyHost !== undefined && !isLoopback(verifyHost) && !hasToken) {
    problems.push('VERIFIER_TOKENS: expected at least one, because VERIFY_HOST is not the loopback interface');
  }
  const { METRICS_HOST, METRICS_PORT, METRICS_TOKEN } = environment;
  if (METRICS_PORT !== undefined && !isLoopback(METRICS_HOST ?? '127.0.0.1') && METRICS_TOKEN === undefined) {
    problems.push('METRICS_TOKEN: expected, because METRICS_HOST is not the loopback interface');
  }
  problems.push(...portProblems(result.data as Parsed | undefined));
  if (!/^postgres/.test(environment.DATABASE_URL ?? '') && Number(environment.VERIFY_LEASE_MS ?? 0) > 0) {
    problems.push('VERIFY_LEASE_MS: expected only with PostgreSQL; on SQLite a lease saves nothing');
  }
  if (problems.length > 0) throw new ConfigurationError([...new Set(problems)]);
  // `shape` consists of the same schemas as `Parsed`.
  const parsed = result.data as Parsed;
  const DATABASE_URL = parsed.DATABASE_URL ?? { provider: 'sqlite', file: join(parsed.DATA_DIR, 'latchkey.db') };
  const GRAPHIQL = parsed.GRAPHIQL ?? environment.NODE_ENV !== 'production';
  // A team must be able to import its maximum number of keys, and to repeat that once after a mistake.
  const TEAM_CHANGES_PER_HOUR = parsed.TEAM_CHANGES_PER_HOUR ?? Math.max(20_000, 2 * parsed.MAX_KEYS_PER_TEAM);
  return { ...parsed, DATABASE_URL, GRAPHIQL, TEAM_CHANGES_PER_HOUR };
}

/** Reports two servers on the same address and port. */
function portProblems(parsed: Parsed | undefined): string[] {
  if (parsed === undefined) return [];
  const { HOST, PORT, VERIFY_HOST, VERIFY_PORT, METRICS_HOST, METRICS_PORT } = parsed;
  const management = { variable: 'PORT', host: HOST, port: PORT };
  const verification = { variable: 'VERIFY_PORT', host: VERIFY_HOST, port: VERIFY_PORT };
  const metrics = { variable: 'METRICS_PORT', host: METRICS_HOST, port: METRICS_PORT ?? 0 };
  const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::';
  const pairs = [[management, verification] as const, [management, metrics] as const, [verification, metrics] as const];
  return pairs
    .filter(([a, b]) => a.port !== 0 && a.port === b.port)
    .filter(([a, b]) => a.host === b.host || isEverywhere(a.host) || isEverywhere(b.host))
    .map(([a, b]) => `${b.variable}: expected another port than ${a.variable}`);
}

const clientVariables = {
  LATCHKEY_URL: [url('http:', 'https:'), 'an http or https URL'],
  LATCHKEY_VERIFY_URL: [url('http:', 'https:').default('http://127.0.0.1:4001'), 'an http or https URL'],
  LATCHKEY_TOKEN: [text.optional(), 'a session token'],
  LATCHKEY_VERIFIER_TOKEN: [text.optional(), 'one of the VERIFIER_TOKENS of the service'],
} as const;

/** What `latchkey edge` reads besides the variables of the verification port. */
const edgeVariables = ['LATCHKEY_FEED_TOKEN'];

/** Every variable that the service or the command line reads. */
export const variableNames: readonly string[] = [
  ...Object.keys(variables),
  ...Object.keys(clientVariables),
  ...edgeVariables,
];

/** The environment of the command line, which is a client of a running service. */
export interface ClientConfiguration {
  readonly LATCHKEY_URL: string;
  readonly LATCHKEY_VERIFY_URL: string;
  readonly LATCHKEY_TOKEN?: string | undefined;
  readonly LATCHKEY_VERIFIER_TOKEN?: string | undefined;
}

/** `managementUrl`: where the service is unless LATCHKEY_URL says otherwise. */
export function readClientConfiguration(
  environment: NodeJS.ProcessEnv,
  managementUrl = 'http://127.0.0.1:4000',
): ClientConfiguration {
  const shape = Object.fromEntries(Object.entries(clientVariables).map(([name, [schema]]) => [name, schema]));
  const result = z.object(shape).safeParse({ LATCHKEY_URL: managementUrl, ...environment });
  if (result.success) return result.data as unknown as ClientConfiguration;
  const names = result.error.issues.map(({ path }) => String(path[0]) as keyof typeof clientVariables);
  throw new ConfigurationError(names.map((name) => `${name}: expected ${clientVariables[name][1]}`));
}

/** Returns whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
