/** The configuration of `latchkey edge`: its options, and the variables of the verification port. */
import { type Configuration, ConfigurationError, readConfiguration, tokenShape } from './configuration.ts';
import { readSecretFile, resolveSecretFiles, settingVariable } from './file-variables.ts';

export interface EdgeOptions {
  readonly upstream: readonly string[];
  readonly host?: string;
  readonly port?: string;
  /** The token is never an option, because the process list shows options. */
  readonly tokenFile?: string;
}

export type EdgeConfiguration = ReturnType<typeof readEdgeConfiguration>;

export function readEdgeConfiguration(environment: NodeJS.ProcessEnv, options: EdgeOptions) {
  const problems: string[] = [];
  const [first, ...others] = options.upstream;
  if (first === undefined || !options.upstream.every(isUpstream)) {
    problems.push('--upstream: expected an http or https URL of a verification port, without user name and password');
  }
  const feedToken = readToken(environment, options.tokenFile, problems);
  const port = readPort(environment, options, problems);
  if (first === undefined || port === null || problems.length > 0) throw new ConfigurationError(problems);
  // In the order of preference.
  const upstreams = [first, ...others] as const;
  return { port, upstreams, feedToken };
}

function isUpstream(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

function readToken(environment: NodeJS.ProcessEnv, file: string | undefined, problems: string[]): string | undefined {
  const { LATCHKEY_FEED_TOKEN, LATCHKEY_FEED_TOKEN_FILE } = environment;
  const source = file === undefined ? settingVariable('LATCHKEY_FEED_TOKEN', environment) : '--token-file';
  const resolved = resolveSecretFiles(file === undefined ? { LATCHKEY_FEED_TOKEN, LATCHKEY_FEED_TOKEN_FILE } : {});
  problems.push(...resolved.problems);
  const token =
    file === undefined ? resolved.environment.LATCHKEY_FEED_TOKEN : readSecretFile(file, source, problems)?.trim();
  // A comma is in the list of an upstream, of which an edge presents one token.
  if (token === undefined || (tokenShape.test(token) && !token.includes(','))) return token;
  problems.push(`${source}: expected one of the FEED_TOKENS of the upstream, at least 16 characters`);
  return undefined;
}

/** The variables of the service that an edge reads. Ignores others, so that invalid ones do not stop the edge. */
const variables: readonly (keyof Configuration)[] = [
  'VERIFY_HOST',
  'VERIFY_PORT',
  'VERIFIER_TOKENS',
  'FEED_TOKENS',
  'VERIFY_CACHE_KEYS',
  'VERIFY_CACHE_MB',
  'KEY_LOCATIONS',
  'GATEWAY',
  'SOURCE_HEADER',
  'SOURCE_HOPS',
  'API_CHECKS_CONTENT_DIGEST',
  'INTROSPECTION_ISSUER',
  'UNKNOWN_KEY_LIMIT',
  'EXT_AUTHZ_HOST',
  'EXT_AUTHZ_PORT',
  'EXT_AUTHZ_WITHOUT_TOKEN',
  'LOG_LEVEL',
  'METRICS_HOST',
  'METRICS_PORT',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'VERIFY_TRACE_RATIO',
  'DRAIN_GRACE_MS',
];

/** Sets PORT to 0, because an edge has no management port that other ports could conflict with. */
function readPort(environment: NodeJS.ProcessEnv, { host, port }: EdgeOptions, problems: string[]) {
  try {
    const own = variables.flatMap((name) => [name, `${name}_FILE`]).filter((name) => environment[name] !== undefined);
    return readConfiguration({
      ...Object.fromEntries(own.map((name) => [name, environment[name]])),
      ...(host === undefined ? {} : { VERIFY_HOST: host }),
      ...(port === undefined ? {} : { VERIFY_PORT: port }),
      PORT: '0',
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    problems.push(...error.problems);
    return null;
  }
}
