/** The only module that reads the environment. It reports all problems at once. */
import { isIP } from 'node:net';
import { join } from 'node:path';
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { parsePublicKey } from '../auth/token-keys.ts';
import type { TrustedIssuer } from '../auth/trusted-issuers.ts';
import { withHyphens } from '../domain/key-header.ts';
import {
  defaultKeyLocations,
  expectedKeyLocations,
  type KeyLocations,
  parseKeyLocations,
} from '../domain/key-location.ts';
import { parsedObject } from '../domain/parse-fields.ts';
import { type PolicyRule, type PolicyRules, parseRules } from '../domain/policy/key-policy.ts';
import { type KeyRing, keyRing, type RingKey } from '../domain/secret/key-ring.ts';
import { tagShape } from '../domain/secret/secret-shape.ts';
import type { AllowedNetwork } from '../domain/source/allowed-source.ts';
import { parseAllowedNetwork } from '../domain/webhook/delivery-address.ts';
import { type DatabaseAddress, parseDatabaseUrl } from '../lib/database-address.ts';
import { parseDnsServer } from '../lib/dns-server.ts';
import { isUuid } from '../lib/uuid.ts';
import { maxLeaseMs } from '../wire/feed-messages.ts';
import { resolveSecretFiles, secretFileVariables, settingVariable } from './file-variables.ts';
import { isEveryAddress } from './url.ts';

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** NIST SP 800-63B, section 4.1.3: users sign in again after at most 30 days. */
const maxSessionSeconds = 30 * 86_400;

const text = z.string().min(1);
const headerName = /^[A-Za-z][A-Za-z0-9-]*$/;
const jwtSecret = z.string().refine((value) => Buffer.byteLength(value) >= 32);
const digits = (pattern: RegExp, max = Number.POSITIVE_INFINITY) =>
  z
    .string()
    .regex(pattern)
    .transform(Number)
    .refine((value) => value <= max);
const port = digits(/^\d{1,5}$/, 65_535);
const positive = digits(/^[1-9]\d{0,8}$/);
const oneToNine = digits(/^[1-9]$/);
const boolean = z.enum(['true', 'false']).transform((value) => value === 'true');
const url = (...protocols: string[]) =>
  text.refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol));
const origin = text.refine((value) => URL.canParse(value) && new URL(value).origin === value);
const list = (item: z.ZodType<string, string>) =>
  text.transform((value) => value.split(',').map((part) => part.trim())).pipe(z.array(item));

/** A text that `parse` accepts. For invalid texts, `parse` returns null or throws. */
const parsedText = <T>(parse: (value: string) => T | null) =>
  text.transform((value, context): T => {
    try {
      const parsed = parse(value);
      if (parsed !== null) return parsed;
    } catch {
      // The error is reported without its message, which may contain the text.
    }
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  });

const ring = (isAllowedSize: (bytes: number) => boolean) => parsedText((value) => parseRing(value, isAllowedSize));

function parseRing(value: string, isAllowedSize: (bytes: number) => boolean): KeyRing | null {
  const keys = value.split(',').flatMap((entry): RingKey[] => {
    const [, id, base64 = ''] = /^\s*([\w-]{1,32}):([\w+/-]+={0,2})\s*$/.exec(entry) ?? [];
    const bytes = Buffer.from(base64, 'base64');
    return id !== undefined && isAllowedSize(bytes.length) ? [{ id, bytes }] : [];
  });
  const [first, ...rest] = keys;
  const isValid = keys.length === value.split(',').length && new Set(keys.map(({ id }) => id)).size === keys.length;
  return first !== undefined && isValid ? keyRing([first, ...rest]) : null;
}

function acceptedLocations(value: string): KeyLocations | null {
  const parsed = parseKeyLocations(value);
  return parsed.ok ? parsed.value : null;
}

/** Rejects short forms such as `10`, which Express reads as the address 0.0.0.10. */
const proxyNetwork = z.string().refine((value) => {
  if (/^(?:loopback|linklocal|uniquelocal)$/.test(value)) return true;
  const [, address = '', bits = '1'] = /^([\da-fA-F:.]+)(?:\/([1-9]\d{0,2}))?$/.exec(value) ?? [];
  return isIP(address) !== 0 && Number(bits) <= (isIP(address) === 4 ? 32 : 128);
});

/** Requires https or loopback, because whoever can replace the downloaded keys can sign session tokens. */
function isHttpsOrLoopback(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function issuerUrl(value: string): URL | null {
  const parsed = URL.parse(value);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && isHttpsOrLoopback(value) ? parsed : null;
}

/** As schema.graphql says of `trustedIssuers`. */
const maxTrustedIssuers = 20;

/** An issuer is compared as it is written: a slash at its end makes it another one. */
function trustedIssuers(value: string): readonly TrustedIssuer[] | null {
  const entries = value.split(',').map((part) => part.trim());
  const issuers = entries.map((entry) => {
    const [issuer = '', keysUrl] = entry.split(/=(?=https?:)/, 2);
    return { issuer, keysUrl: keysUrl ?? null };
  });
  const isUsable = ({ issuer, keysUrl }: TrustedIssuer) =>
    [issuer, keysUrl ?? issuer].every((url) => issuerUrl(url) !== null && hasNoCredentials(url));
  return issuers.length <= maxTrustedIssuers && issuers.every(isUsable) ? issuers : null;
}

function publicUrl(value: string): URL | null {
  const parsed = issuerUrl(value);
  return parsed?.href === `${parsed?.origin}/` ? parsed : null;
}

function hasNoCredentials(value: string): boolean {
  const parsed = URL.parse(value);
  return parsed?.username === '' && parsed.password === '';
}

function noticeDays(value: string): readonly number[] | null {
  const days = value.split(',').map((part) => part.trim());
  const areDays = days.length <= 10 && days.every((day) => /^[1-9]\d{0,2}$/.test(day) && Number(day) <= 365);
  return areDays ? [...new Set(days.map(Number))].sort((a, b) => b - a) : null;
}

/** The types of the rules, which GraphQL checks in the policies of teams. */
const boundsShape = z.strictObject({
  maxLifetimeSeconds: z.number().nullish(),
  requireExpiry: z.boolean().nullish(),
  requireAllowedIps: z.boolean().nullish(),
  requireSigning: z.boolean().nullish(),
  maxSecretAgeSeconds: z.number().nullish(),
  scopes: z.array(z.strictObject({ name: z.string(), description: z.string().nullish() })).nullish(),
  maxRateLimit: z.strictObject({ limit: z.number(), windowSeconds: z.number() }).nullish(),
} satisfies Record<PolicyRule, z.ZodType>);

/** The rules that the policies of all teams have, in the form in which teams write theirs. */
function policyBounds(value: string): PolicyRules | null {
  const rules = boundsShape.safeParse(JSON.parse(value));
  const parsed = rules.success ? parsedObject(parseRules(rules.data)) : null;
  return parsed?.ok === true ? parsed.value : null;
}

function networks(value: string): readonly AllowedNetwork[] | null {
  const parsed = value.split(',').map((part) => parseAllowedNetwork(part.trim()));
  const found = parsed.flatMap((entry) => (entry.ok ? [entry.value] : []));
  return found.length === parsed.length ? found : null;
}

/** A token is sent in a header, so it must be visible ASCII. */
export const tokenShape = /^[\x21-\x7e]{16,}$/;

const anAddress = 'an address to listen on';
const aPort = 'a port number from 0 to 65535';
const token = z.string().regex(tokenShape);
const someTokens = 'tokens of at least 16 characters each, without spaces and line breaks, separated by commas';
const trueOrFalse = 'true or false';

/** Each variable with its schema and the text for messages. Messages never contain values: some values are secrets. */
const variables = {
  HOST: [text.default('127.0.0.1'), anAddress],
  PORT: [port.default(4000), aPort],
  VERIFY_HOST: [text.default('127.0.0.1'), anAddress],
  VERIFY_PORT: [port.default(4001), aPort],
  VERIFIER_TOKENS: [list(token).optional(), someTokens],
  FEED_TOKENS: [list(token).optional(), someTokens],
  VERIFY_CACHE_KEYS: [positive.default(200_000), 'a number of keys, at least 1'],
  VERIFY_CACHE_MB: [positive.default(130), 'a number of megabytes, at least 1'],
  KEY_LOCATIONS: [parsedText(acceptedLocations).default(defaultKeyLocations), expectedKeyLocations],
  GATEWAY: [z.enum(['nginx', 'traefik', 'envoy', 'generic']).default('nginx'), 'nginx, traefik, envoy or generic'],
  SOURCE_HEADER: [z.string().regex(headerName).toLowerCase().optional(), 'the name of a header, such as X-Real-IP'],
  SOURCE_HOPS: [oneToNine.default(1), 'a number from 1 to 9'],
  API_CHECKS_CONTENT_DIGEST: [boolean.default(false), trueOrFalse],
  INTROSPECTION_ISSUER: [url('https:', 'http:').optional(), 'an https or http URL'],
  DNS_SERVERS: [
    list(z.string().refine((text) => parseDnsServer(text) !== null)).optional(),
    'addresses of DNS servers, separated by commas, each with a port if it is not 53',
  ],
  EXT_AUTHZ_HOST: [text.default('127.0.0.1'), anAddress],
  EXT_AUTHZ_PORT: [port.optional(), aPort],
  EXT_AUTHZ_WITHOUT_TOKEN: [boolean.default(false), trueOrFalse],
  METRICS_HOST: [text.default('127.0.0.1'), anAddress],
  METRICS_PORT: [port.optional(), aPort],
  METRICS_TOKEN: [token.optional(), 'at least 16 characters, without spaces and line breaks'],
  OTEL_EXPORTER_OTLP_ENDPOINT: [url('https:', 'http:').optional(), 'an https or http URL'],
  VERIFY_TRACE_RATIO: [digits(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/).default(0.001), 'a share from 0 to 1'],
  USAGE_RETENTION_DAYS: [positive.default(90), 'a number of days, at least 1'],
  VERIFY_LEASE_MS: [
    digits(/^(?:0|[1-9]\d{0,3})$/, maxLeaseMs).default(0),
    `a number of milliseconds from 0 to ${maxLeaseMs}`,
  ],
  DRAIN_GRACE_MS: [digits(/^\d{1,6}$/, 300_000).default(0), 'a number of milliseconds from 0 to 300000'],
  WORKERS: [positive.default(1), 'a number of processes, at least 1'],
  DATA_DIR: [text.default('./data'), 'a directory'],
  DATABASE_URL: [
    parsedText(parseDatabaseUrl).optional(),
    'file:<path> or postgresql://…, there with ?options=-c%20search_path%3D<schema> for another schema than public',
  ],
  JWT_SECRET: [jwtSecret.optional(), 'at least 32 bytes (RFC 7518, section 3.2)'],
  JWT_PUBLIC_KEY: [
    // Environment files often can't hold line breaks.
    parsedText((value) => parsePublicKey(value.replaceAll('\\n', '\n'))).optional(),
    'a public key in PEM: RSA of at least 2048 bits, or elliptic on P-256',
  ],
  JWT_JWKS_URL: [
    url('https:', 'http:').refine(isHttpsOrLoopback).optional(),
    'an https URL; http is for the loopback interface only',
  ],
  JWT_ISSUER: [text.optional(), 'the issuer that tokens must name'],
  JWT_AUDIENCE: [text.optional(), 'the audience that tokens must name'],
  JWT_TEAMS_CLAIM: [text.default('teams'), 'the name of a claim'],
  JWT_TEAM_NAMES_CLAIM: [text.default('team_names'), 'the name of a claim'],
  JWT_MAX_LIFETIME: [positive.default(86_400), 'a number of seconds, at least 1'],
  TRUSTED_ISSUERS: [
    parsedText(trustedIssuers).optional(),
    'at most 20 https URLs of issuers, separated by commas, each with =<URL of its keys> if no discovery document names it; http is for the loopback interface only',
  ],
  OIDC_ISSUER: [
    parsedText(issuerUrl).optional(),
    'the https URL of the identity provider; http is for the loopback interface only',
  ],
  OIDC_CLIENT_ID: [text.optional(), 'the id of Latchkey at the identity provider'],
  OIDC_CLIENT_SECRET: [text.optional(), 'the secret of Latchkey at the identity provider'],
  OIDC_SCOPES: [
    z
      .string()
      .refine((value) => value.split(' ').includes('openid'))
      .default('openid offline_access'),
    'scopes separated by spaces, openid among them',
  ],
  SESSION_MAX_LIFETIME: [
    digits(/^[1-9]\d{0,6}$/, maxSessionSeconds).default(43_200),
    `a number of seconds from 1 to ${maxSessionSeconds}`,
  ],
  PUBLIC_URL: [
    parsedText(publicUrl).optional(),
    'the https URL of the dashboard, without a path; http is for the loopback interface only',
  ],
  KEY_PEPPERS: [ring((length) => length >= 32).optional(), 'id:base64,… with at least 32 bytes each and distinct ids'],
  SIGNING_KEKS: [ring((length) => length === 32).optional(), 'id:base64,… with exactly 32 bytes each and distinct ids'],
  KEY_TAG: [z.string().regex(tagShape).default('lk'), '1 to 16 lower-case letters and digits, a letter first'],
  POLICY_BOUNDS: [
    parsedText(policyBounds).optional(),
    'a JSON object with rules of a policy, such as {"maxLifetimeSeconds": 7776000}',
  ],
  MAX_KEYS_PER_TEAM: [positive.default(10_000), 'a number of keys, at least 1'],
  TEAM_CHANGES_PER_HOUR: [positive.optional(), 'a number of changes, at least 1'],
  AUDIT_RETENTION_DAYS: [positive.optional(), 'a number of days, at least 1'],
  REVOKED_RETENTION_DAYS: [positive.optional(), 'a number of days, at least 1'],
  EXPIRY_NOTICE_DAYS: [
    parsedText(noticeDays).prefault('30,7,1'),
    'numbers of days from 1 to 365, separated by commas, at most 10',
  ],
  UNUSED_NOTICE_DAYS: [digits(/^[1-9]\d{0,3}$/).default(90), 'a number of days from 1 to 9999'],
  WEBHOOK_ALLOWED_NETWORKS: [
    parsedText(networks).optional(),
    'addresses or networks such as 10.0.0.0/8, separated by commas',
  ],
  EVENTS_URL: [
    url('https:', 'http:').refine(isHttpsOrLoopback).refine(hasNoCredentials).optional(),
    'an https URL without credentials; http is for the loopback interface only',
  ],
  EVENTS_TOKEN: [token.optional(), 'at least 16 characters, without spaces and line breaks'],
  EVENTS_FORM: [z.enum(['standard', 'cloudevents', 'ocsf']).default('ocsf'), 'standard, cloudevents or ocsf'],
  EVENTS_REJECTED_SESSIONS: [boolean.default(false), trueOrFalse],
  MANAGEMENT_RATE_LIMIT: [positive.default(3000), 'a number of operations a minute, at least 1'],
  FAILED_TOKEN_LIMIT: [positive.default(60), 'a number of calls a minute, at least 1'],
  DERIVED_TOKENS: [boolean.default(true), trueOrFalse],
  UNKNOWN_KEY_LIMIT: [positive.default(120), 'a number of keys a minute, at least 1'],
  TRUST_PROXY: [
    z.union([oneToNine, list(proxyNetwork)]).optional(),
    'a number of proxies, 1 to 9, or their addresses or networks, separated by commas',
  ],
  GITHUB_SECRET_SCANNING_KEYS_URL: [
    url('https:', 'http:').refine(isHttpsOrLoopback).default('https://api.github.com/meta/public_keys/secret_scanning'),
    'an https URL; http is for the loopback interface only',
  ],
  CORS_ORIGINS: [list(origin).optional(), 'origins such as https://app.example.com, separated by commas'],
  GRAPHIQL: [boolean.optional(), trueOrFalse],
  LOG_LEVEL: [
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'trace, debug, info, warn, error, fatal or silent',
  ],
} as const satisfies Record<string, readonly [z.ZodType, string]>;

type Table = Readonly<Record<string, readonly [z.ZodType, string]>>;
type ValuesOf<T extends Table> = { readonly [Name in keyof T]: z.output<T[Name][0]> };
type Parsed = ValuesOf<typeof variables>;

export interface Configuration extends Omit<Parsed, 'DATABASE_URL' | 'GRAPHIQL' | 'TEAM_CHANGES_PER_HOUR'> {
  readonly DATABASE_URL: DatabaseAddress;
  readonly GRAPHIQL: boolean;
  readonly TEAM_CHANGES_PER_HOUR: number;
}

/** Returns the values, or null with the problems of all variables, and the environment with the contents of files. */
function parseVariables<T extends Table>(table: T, given: NodeJS.ProcessEnv) {
  const { environment, problems: fileProblems } = resolveSecretFiles(given);
  const shape = Object.fromEntries(Object.entries(table).map(([name, [schema]]) => [name, schema]));
  const result = z.object(shape).safeParse(environment);
  const valueProblems = (result.error?.issues ?? []).map(({ path }) => {
    const name = String(path[0]);
    const emptiness = environment[name] === '' ? '; it is set, but empty' : '';
    return `${settingVariable(name, given)}: expected ${table[name]?.[1]}${emptiness}`;
  });
  // The checks that follow would complain of what is missing because of a file.
  if (fileProblems.length > 0) throw new ConfigurationError([...fileProblems, ...new Set(valueProblems)]);
  // The cast is safe, because `shape` has the schemas of the table.
  const values = result.success ? (result.data as ValuesOf<T>) : null;
  return { values, environment, problems: [...new Set(valueProblems)] };
}

export function readConfiguration(given: NodeJS.ProcessEnv): Configuration {
  const { values, environment, problems } = parseVariables(variables, given);
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
  problems.push(...oidcProblems(environment));
  const {
    VERIFY_HOST = '127.0.0.1',
    EXT_AUTHZ_HOST = '127.0.0.1',
    EXT_AUTHZ_PORT,
    EXT_AUTHZ_WITHOUT_TOKEN,
  } = environment;
  const { VERIFIER_TOKENS, FEED_TOKENS } = environment;
  const needsToken = EXT_AUTHZ_PORT !== undefined && EXT_AUTHZ_WITHOUT_TOKEN !== 'true';
  const hosts = { VERIFY_HOST, ...(needsToken ? { EXT_AUTHZ_HOST } : {}) };
  const reachable = Object.entries(hosts).find(([, host]) => !isLoopback(host));
  if (reachable !== undefined && VERIFIER_TOKENS === undefined && FEED_TOKENS === undefined) {
    problems.push(`VERIFIER_TOKENS: expected at least one, because ${reachable[0]} is not the loopback interface`);
  }
  const { METRICS_HOST = '127.0.0.1', METRICS_PORT, METRICS_TOKEN } = environment;
  if (METRICS_PORT !== undefined && !isLoopback(METRICS_HOST) && METRICS_TOKEN === undefined) {
    problems.push('METRICS_TOKEN: expected, because METRICS_HOST is not the loopback interface');
  }
  if (values !== null) problems.push(...portProblems(values), ...headerProblems(values));
  if (!/^postgres/.test(environment.DATABASE_URL ?? '') && Number(environment.VERIFY_LEASE_MS ?? 0) > 0) {
    problems.push('VERIFY_LEASE_MS: expected only with PostgreSQL; on SQLite a lease saves nothing');
  }
  if (values === null || problems.length > 0) throw new ConfigurationError(problems);
  const DATABASE_URL = values.DATABASE_URL ?? { provider: 'sqlite', file: join(values.DATA_DIR, 'latchkey.db') };
  const GRAPHIQL = values.GRAPHIQL ?? environment.NODE_ENV !== 'production';
  // A team must be able to import its maximum number of keys, and to repeat the import once after a mistake.
  const TEAM_CHANGES_PER_HOUR = values.TEAM_CHANGES_PER_HOUR ?? Math.max(20_000, 2 * values.MAX_KEYS_PER_TEAM);
  return { ...values, DATABASE_URL, GRAPHIQL, TEAM_CHANGES_PER_HOUR };
}

/** Sign-in needs all of its variables, and each one without the issuer is a mistake. */
function oidcProblems({ OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, PUBLIC_URL }: NodeJS.ProcessEnv): string[] {
  if (OIDC_ISSUER !== undefined) {
    const needed = { OIDC_CLIENT_ID, PUBLIC_URL };
    const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []));
    return missing.map((name) => `${name}: expected with OIDC_ISSUER`);
  }
  const isAlone = OIDC_CLIENT_ID !== undefined || OIDC_CLIENT_SECRET !== undefined;
  return isAlone ? ['OIDC_ISSUER: expected with OIDC_CLIENT_ID and OIDC_CLIENT_SECRET'] : [];
}

function portProblems(values: Parsed): string[] {
  const server = (prefix: '' | 'VERIFY_' | 'EXT_AUTHZ_' | 'METRICS_') =>
    ({ variable: `${prefix}PORT`, host: values[`${prefix}HOST`], port: values[`${prefix}PORT`] ?? 0 }) as const;
  const servers = [server(''), server('VERIFY_'), server('EXT_AUTHZ_'), server('METRICS_')];
  return servers
    .flatMap((a, i) => servers.slice(i + 1).map((b) => [a, b] as const))
    .filter(([a, b]) => a.port !== 0 && a.port === b.port)
    .filter(([a, b]) => a.host === b.host || isEveryAddress(a.host) || isEveryAddress(b.host))
    .map(([a, b]) => `${b.variable}: expected another port than ${a.variable}`);
}

/** Some servers read a hyphen and an underscore in the name of a header alike. */
function headerProblems({ KEY_LOCATIONS, SOURCE_HEADER = '' }: Parsed): string[] {
  const isShared = KEY_LOCATIONS.allHeaders.some((name) => withHyphens(name) === SOURCE_HEADER);
  return isShared ? ['KEY_LOCATIONS: expected another header than SOURCE_HEADER'] : [];
}

/** The name of a profile is also the name of its file. It is too short for a key, which someone could paste. */
export const profileName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,29}$/;
export const profileNameExpected =
  '1 to 30 letters, digits, dots, hyphens and underscores, the first a letter or digit';

const clientVariables = {
  LATCHKEY_URL: [url('http:', 'https:'), 'an http or https URL'],
  LATCHKEY_VERIFY_URL: [url('http:', 'https:').default('http://127.0.0.1:4001'), 'an http or https URL'],
  LATCHKEY_TOKEN: [text.optional(), 'a session token or a management key'],
  LATCHKEY_TEAM: [text.refine(isUuid).optional(), 'the UUID of a team'],
  LATCHKEY_PROFILE: [text.regex(profileName).optional(), profileNameExpected],
  XDG_CONFIG_HOME: [z.string().optional(), 'a directory'],
  LATCHKEY_VERIFIER_TOKEN: [text.optional(), 'one of the VERIFIER_TOKENS of the service'],
} as const;

/**
 * Replaces the names of files in the environment by their contents. So processes that inherit it have the same secrets,
 * also if a file changes and one of them is restarted later.
 */
export function inheritConfiguration(environment: NodeJS.ProcessEnv): void {
  const { environment: resolved, problems } = resolveSecretFiles(environment);
  if (problems.length > 0) throw new ConfigurationError(problems);
  for (const name of secretFileVariables) delete environment[name];
  Object.assign(environment, resolved);
}

/** All that the process gets that talks to hosts that teams choose: no secret, and no address of a database. */
const variablesOfSender =
  /^(?:DNS_SERVERS|LOG_LEVEL|METRICS_PORT|WEBHOOK_ALLOWED_NETWORKS|PATH|HOME|TMPDIR|TZ|LANG|LC_\w+|NODE_(?:ENV|OPTIONS|EXTRA_CA_CERTS|USE_SYSTEM_CA|V8_COVERAGE)|SSL_CERT_\w+|OPENSSL_CONF|LD_\w+|FAKETIME\w*)$/;

/** Returns the changes to the environment for the process that sends webhooks: `undefined` removes a variable. */
export function senderConfiguration(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const removed = Object.keys(environment).filter((name) => !variablesOfSender.test(name));
  return Object.fromEntries(removed.map((name) => [name, undefined]));
}

/** Every variable that the service, the command line or an edge reads, without those that name files. */
export const variableNames = [...Object.keys(variables), ...Object.keys(clientVariables), 'LATCHKEY_FEED_TOKEN'];

/** Returns a message for each misspelled variable, without its value. */
export function similarVariables(environment: NodeJS.ProcessEnv): string[] {
  const names = [...variableNames, ...secretFileVariables];
  return Object.keys(environment)
    .filter((name) => !names.includes(name))
    .flatMap((name) => {
      const known = names.find((candidate) => isClose(name.toUpperCase(), candidate));
      return known === undefined ? [] : [`${name} is not a variable of Latchkey: did you mean ${known}?`];
    });
}

/** Allows an edit distance of 2, but only 1 for short names such as PORT, which resemble too many other names. */
function isClose(name: string, known: string): boolean {
  return distance(name, known) <= (known.length < 6 ? 1 : 2);
}

export type ClientConfiguration = ValuesOf<typeof clientVariables>;

/** Reads the variables of commands that call a running service. `defaults` are those that are not in the environment. */
export function readClientConfiguration(
  environment: NodeJS.ProcessEnv,
  defaults: NodeJS.ProcessEnv = {},
): ClientConfiguration {
  const LATCHKEY_URL = 'http://127.0.0.1:4000';
  const { values, problems } = parseVariables(clientVariables, { LATCHKEY_URL, ...defaults, ...environment });
  if (values === null) throw new ConfigurationError(problems);
  return values;
}

/** Returns whether the environment has the variable, so that neither a profile nor a default applies. */
export function isSet(variable: keyof typeof clientVariables, environment: NodeJS.ProcessEnv): boolean {
  return environment[variable] !== undefined;
}

/** Returns whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
