// SECURITY.md: Who may do what; Forged session tokens
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  readConfiguration,
  senderConfiguration,
  similarVariables,
} from '../../src/config/configuration.ts';

const secret = 'a secret of the tests, with more than 32 bytes';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicPem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
const privatePem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const base64 = (size: number) => randomBytes(size).toString('base64');

function failureOf(environment: NodeJS.ProcessEnv): ConfigurationError {
  try {
    readConfiguration(environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

const problemsOf = (environment: NodeJS.ProcessEnv) => failureOf(environment).problems;

/** An invalid value of each of these variables. */
const mistakes = {
  HOST: '',
  PORT: '65536',
  DATA_DIR: '',
  DATABASE_URL: 'mysql://localhost/latchkey',
  JWT_SECRET: 'short',
  JWT_PUBLIC_KEY: 'not PEM',
  JWT_JWKS_URL: 'ftp://example.com/jwks',
  JWT_ISSUER: '',
  JWT_AUDIENCE: '',
  JWT_TEAMS_CLAIM: '',
  JWT_TEAM_NAMES_CLAIM: '',
  JWT_MAX_LIFETIME: '1h',
  KEY_PEPPERS: 'p1',
  SIGNING_KEKS: 'k1',
  KEY_TAG: 'Acme',
  POLICY_BOUNDS: '{"maxLifetimeSeconds": 59}',
  MAX_KEYS_PER_TEAM: '-1',
  TEAM_CHANGES_PER_HOUR: '0',
  AUDIT_RETENTION_DAYS: '0',
  REVOKED_RETENTION_DAYS: '1 year',
  EXPIRY_NOTICE_DAYS: '30,0',
  UNUSED_NOTICE_DAYS: '0',
  WEBHOOK_ALLOWED_NETWORKS: '10.0.0.1/8',
  EVENTS_URL: 'http://siem.example.com',
  EVENTS_TOKEN: 'short',
  EVENTS_FORM: 'syslog',
  EVENTS_REJECTED_SESSIONS: 'yes',
  MANAGEMENT_RATE_LIMIT: '-1',
  FAILED_TOKEN_LIMIT: '0',
  UNKNOWN_KEY_LIMIT: '0',
  TRUST_PROXY: 'true',
  CORS_ORIGINS: '*',
  GRAPHIQL: 'yes',
  LOG_LEVEL: 'loud',
};
const names = Object.keys(mistakes);
const problem = (name: string) => expect.stringMatching(`^${name}: expected (?!only|another)[^;]+`);

function expectRejected(name: string, value: string): void {
  expect(problemsOf({ [name]: value })).toEqual([problem(name)]);
}

describe('the configuration', () => {
  it('shows GraphiQL outside of production, or as GRAPHIQL says', () => {
    const shown = (environment: NodeJS.ProcessEnv) => readConfiguration(environment).GRAPHIQL;
    expect([{}, { NODE_ENV: '' }, { NODE_ENV: 'development' }].map(shown)).toEqual([true, true, true]);
    expect(shown({ NODE_ENV: 'production' })).toBe(false);
    expect(shown({ NODE_ENV: 'production', GRAPHIQL: 'true' })).toBe(true);
    expect(shown({ GRAPHIQL: 'false' })).toBe(false);
  });

  it('lets a team make twice as many changes in an hour as it may have keys, and at least 20,000', () => {
    const budget = (environment: NodeJS.ProcessEnv) => readConfiguration(environment).TEAM_CHANGES_PER_HOUR;
    expect(budget({ MAX_KEYS_PER_TEAM: '10' })).toBe(20_000);
    expect(budget({ MAX_KEYS_PER_TEAM: '100000' })).toBe(200_000);
    expect(budget({ MAX_KEYS_PER_TEAM: '100000', TEAM_CHANGES_PER_HOUR: '5' })).toBe(5);
  });

  it('puts the database into DATA_DIR unless DATABASE_URL names another place', () => {
    expect(readConfiguration({ DATA_DIR: '/srv/latchkey' }).DATABASE_URL).toEqual({
      provider: 'sqlite',
      file: '/srv/latchkey/latchkey.db',
    });
    expect(readConfiguration({ DATA_DIR: '/srv/latchkey', DATABASE_URL: 'file:/db/a.db' }).DATABASE_URL).toEqual({
      provider: 'sqlite',
      file: '/db/a.db',
    });
  });

  it('takes what the environment gives', () => {
    const texts = {
      HOST: '::',
      JWT_SECRET: secret,
      JWT_ISSUER: 'https://login.example.com/',
      JWT_AUDIENCE: 'latchkey',
      JWT_TEAMS_CLAIM: 'https://example.com/teams',
      JWT_TEAM_NAMES_CLAIM: 'https://example.com/team-names',
      KEY_TAG: 'acme',
      LOG_LEVEL: 'debug',
    };
    const numbers = { PORT: '0', JWT_MAX_LIFETIME: '600', MAX_KEYS_PER_TEAM: '5' };
    const configuration = readConfiguration({ ...texts, ...numbers, UNRELATED: 'ignored' });
    expect(configuration).toMatchObject({ ...texts, PORT: 0, JWT_MAX_LIFETIME: 600, MAX_KEYS_PER_TEAM: 5 });
    expect(configuration).not.toHaveProperty('UNRELATED');
  });
});

describe('a mistake in the configuration', () => {
  it.each(names)('rejects %s when it is set, but empty', (name) => {
    expect(problemsOf({ [name]: '' })).toEqual([expect.stringMatching(`^${name}: expected .+; it is set, but empty$`)]);
  });

  it('reports all mistakes together, each with its variable and the expected value', () => {
    const { problems, message } = failureOf(mistakes);
    expect(problems).toEqual([
      ...names.map(problem),
      'JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL: expected only one of them, because each one defines the key that verifies session tokens',
    ]);
    expect(message).toBe(problems.join('\n'));
  });

  it('reports a list once, however many of its entries are wrong', () => {
    expectRejected('CORS_ORIGINS', 'a,b,c');
    expectRejected('TRUST_PROXY', 'a,b,c');
    expectRejected('KEY_PEPPERS', 'a,b,c');
  });

  it.each([
    '[]',
    'null',
    '{"surprise": true}',
    '{"requireExpiry": "true"}',
    '{"maxLifetimeSeconds": "60"}',
    '{"maxSecretAgeSeconds": 60.5}',
    '{"scopes": ["orders:read"]}',
    '{"scopes": [{"name": "two words"}]}',
    '{"maxRateLimit": {"limit": 0, "windowSeconds": 60}}',
  ])('rejects %s as the rules of the operator', (value) => {
    expectRejected('POLICY_BOUNDS', value);
  });

  it('never repeats a value: it may be a secret', () => {
    const canary = 'canary-5d1f';
    const failure = failureOf({
      ...Object.fromEntries(names.map((name) => [name, `!${canary}`])),
      HOST: '',
      JWT_SECRET: canary,
      JWT_PUBLIC_KEY: privatePem.replace('-----\n', `-----\n${canary}\n`),
      JWT_JWKS_URL: `ftp://user:${canary}@example.com/`,
      DATABASE_URL: `mysql://latchkey:${canary}@localhost/latchkey`,
      KEY_PEPPERS: `p1:${Buffer.from(canary).toString('base64')}`,
      SIGNING_KEKS: `k1:${base64(32)},${canary}`,
    });
    expect(failure.problems.length).toBeGreaterThan(10);
    for (const text of [failure.message, String(failure.stack), JSON.stringify(failure)]) {
      expect(text).not.toContain(canary);
      expect(text).not.toContain(Buffer.from(canary).toString('base64'));
      expect(text).not.toContain(privatePem.split('\n')[1]);
    }
  });
});

describe('the authority for session tokens', () => {
  const authorities = { JWT_SECRET: secret, JWT_PUBLIC_KEY: publicPem, JWT_JWKS_URL: 'https://login.example.com/jwks' };

  it.each([
    ['JWT_SECRET', 'JWT_PUBLIC_KEY'],
    ['JWT_SECRET', 'JWT_JWKS_URL'],
    ['JWT_PUBLIC_KEY', 'JWT_JWKS_URL'],
    ['JWT_SECRET', 'JWT_PUBLIC_KEY', 'JWT_JWKS_URL'],
  ] as const)('is one: %s and %s together are rejected, by name', (...set) => {
    const given = Object.fromEntries(set.map((name) => [name, authorities[name]]));
    expect(problemsOf({ ...given, JWT_ISSUER: 'https://login.example.com' })).toEqual([
      `${set.join(', ')}: expected only one of them, because each one defines the key that verifies session tokens`,
    ]);
  });

  it('may be any one of them', () => {
    expect(readConfiguration({ JWT_SECRET: secret }).JWT_SECRET).toBe(secret);
    const { JWT_JWKS_URL } = authorities;
    const named = { JWT_JWKS_URL, JWT_AUDIENCE: 'latchkey' };
    expect(readConfiguration(named).JWT_JWKS_URL).toBe(JWT_JWKS_URL);
    expect(readConfiguration({ JWT_PUBLIC_KEY: publicPem }).JWT_PUBLIC_KEY?.algorithm).toBe('ES256');
  });

  it('is fetched over https, or from the loopback interface', () => {
    const JWT_ISSUER = 'https://login.example.com';
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080']) {
      const JWT_JWKS_URL = `http://${host}/jwks`;
      expect(readConfiguration({ JWT_JWKS_URL, JWT_ISSUER }).JWT_JWKS_URL).toBe(JWT_JWKS_URL);
    }
    const hosts = ['login.example.com', '10.0.0.1', '[::2]', 'localhost.example.com', '127.0.0.1.example.com'];
    const others = ['login.example.com/jwks', '/jwks', 'file:///etc/jwks.json', 'data:application/json,{}'];
    for (const JWT_JWKS_URL of [...hosts.map((host) => `http://${host}/jwks`), ...others]) {
      expect(problemsOf({ JWT_JWKS_URL, JWT_ISSUER })).toEqual([problem('JWT_JWKS_URL')]);
    }
  });

  it('with a key set, which signs for others too, takes tokens of one issuer or for one audience only', () => {
    const { JWT_JWKS_URL } = authorities;
    expect(problemsOf({ JWT_JWKS_URL })).toEqual([
      'JWT_ISSUER or JWT_AUDIENCE: expected with JWT_JWKS_URL, because its keys may sign tokens for other services',
    ]);
    for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE']) {
      expect(readConfiguration({ JWT_JWKS_URL, [name]: 'x' }).JWT_JWKS_URL).toBe(JWT_JWKS_URL);
    }
  });

  it('may be a public key on one line, but no private and no weak key', () => {
    const { JWT_PUBLIC_KEY } = readConfiguration({ JWT_PUBLIC_KEY: publicPem.replaceAll('\n', '\\n') });
    expect(JWT_PUBLIC_KEY?.key.equals(publicKey)).toBe(true);
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
    const weakPem = weak.export({ format: 'pem', type: 'spki' }).toString();
    for (const text of [privatePem, weakPem]) expectRejected('JWT_PUBLIC_KEY', text);
  });

  it('has a secret of 32 bytes at least, counted in bytes', () => {
    expectRejected('JWT_SECRET', 'x'.repeat(31));
    for (const text of ['x'.repeat(32), 'ü'.repeat(16)]) {
      expect(readConfiguration({ JWT_SECRET: text }).JWT_SECRET).toBe(text);
    }
  });
});

describe.each([
  ['KEY_PEPPERS', 'have 32 bytes or more', 64],
  ['SIGNING_KEKS', 'have exactly 32 bytes', 32],
] as const)('the ring in %s', (name, rule, allowedSize) => {
  const first = base64(32);
  const second = base64(allowedSize);

  it('has its first key as the current one, and keeps the others', () => {
    const ring = readConfiguration({ [name]: `new-2:${first}, old_1:${second}` })[name];
    expect(ring?.current).toEqual({ id: 'new-2', bytes: Buffer.from(first, 'base64') });
    expect([...(ring?.byId ?? [])]).toEqual([
      ['new-2', { id: 'new-2', bytes: Buffer.from(first, 'base64') }],
      ['old_1', { id: 'old_1', bytes: Buffer.from(second, 'base64') }],
    ]);
  });

  it(`has keys that ${rule}`, () => {
    expectRejected(name, `a:${base64(31)}`);
    expectRejected(name, `a:${first},b:${base64(31)}`);
    const longer = { [name]: `a:${base64(33)}` };
    if (allowedSize === 32) expect(problemsOf(longer)).toEqual([problem(name)]);
    else expect(readConfiguration(longer)[name]?.current.bytes).toHaveLength(33);
  });

  it('has distinct ids, even for the same key', () => {
    expectRejected(name, `a:${first},a:${second}`);
    expectRejected(name, `a:${first},b:${second},a:${first}`);
  });

  it.each([
    ['an id is missing', `:${first}`],
    ['there are no ids', first],
    ['an id has other characters', `a.b:${first}`],
    ['an id is longer than 32 characters', `${'a'.repeat(33)}:${first}`],
    ['an entry is empty', `a:${first},`],
    ['a key is no base64', `a:${'!'.repeat(44)}`],
    ['entries are separated otherwise', `a:${first};b:${first}`],
  ])('is rejected when %s', (_, value) => {
    expectRejected(name, value);
  });
});

const sqlite = (file: string) => ({ provider: 'sqlite', file });
const postgresql = (url: string) => ({ provider: 'postgresql', url });
const addresses = ['loopback', 'linklocal', 'uniquelocal', '10.0.0.0/8', '192.0.2.1/32', '2001:db8::/32', '::1'];
const origins = ['https://app.example.com', 'http://localhost:3000', 'https://xn--bcher-kva.example'];
const schema = 'postgres://localhost/latchkey?schema=public';
const tls = 'postgresql://u:p@db.example.com:5432/latchkey?sslmode=require';

it.each<[string, string, unknown]>([
  ['DATABASE_URL', 'file:./data/latchkey.db', sqlite('./data/latchkey.db')],
  ['DATABASE_URL', 'file:/var/lib/latchkey/a b.db', sqlite('/var/lib/latchkey/a b.db')],
  ['DATABASE_URL', 'file:latchkey.db', sqlite('latchkey.db')],
  ['DATABASE_URL', tls, postgresql(tls)],
  ['DATABASE_URL', 'postgres://localhost/latchkey', postgresql('postgres://localhost/latchkey')],
  ['DATABASE_URL', schema, postgresql(schema)],
  ['TRUST_PROXY', '1', 1],
  ['TRUST_PROXY', '9', 9],
  ['TRUST_PROXY', addresses.join(', '), addresses],
  ['TRUST_PROXY', addresses.join(','), addresses],
  ['CORS_ORIGINS', origins.join(', '), origins],
  ['CORS_ORIGINS', origins.join(','), origins],
  ['PORT', '65535', 65535],
  ['JWT_MAX_LIFETIME', '1', 1],
  ['KEY_TAG', 'a'.repeat(16), 'a'.repeat(16)],
])('%s may be %s', (name, value, expected) => {
  expect(Reflect.get(readConfiguration({ [name]: value }), name)).toEqual(expected);
});

const noNumbers = ['0', '-5', '2.5', 'none', 'NaN'];
const noOrigins = ['/', '/dashboard', '?a=1', ':443', ',', ',https://b.example.com/'];
it.each([
  ['DATABASE_URL', ['latchkey.db', 'file:', './data/latchkey.db', 'mysql://localhost/a', 'sqlite:a.db']],
  ['DATABASE_URL', ['postgresql:a', 'postgresql://a:b:c/d', 'postgresql://localhost/latchkey?schema=keys']],
  // Every client would be trusted, and could claim any source.
  ['TRUST_PROXY', ['true', 'false', '*', 'all', '0.0.0.0/0', '::/0', 'loopback,0.0.0.0/0']],
  // Express would reject these later, or read them otherwise.
  ['TRUST_PROXY', ['0', '10', '-1', '1.5', 'abc', 'beef', '1.2.3', '256.0.0.1', '010.0.0.1', '10.0.0.0/33']],
  ['TRUST_PROXY', ['10.0.0.0/08', '::1/129', '10.0.0.0/255.0.0.0', 'proxy.example.com', 'fe80::1%eth0']],
  ['TRUST_PROXY', ['10.0.0.1,', '1,10.0.0.1', 'loopback 10.0.0.1']],
  // No browser sends these as an origin.
  ['CORS_ORIGINS', noOrigins.map((end) => `https://app.example.com${end}`)],
  ['CORS_ORIGINS', ['https://user@app.example.com', 'https://*.example.com/', 'app.example.com', '*', 'null']],
  ['CORS_ORIGINS', ['file:///srv/index.html']],
  ['PORT', ['-1', '65536', '99999', '4000.5', '0x10', '4e3', ' 4000', 'http', '100000']],
  ['JWT_MAX_LIFETIME', ['0', '-1', '1.5', '1e3', '1h', 'Infinity', '01', '9999999999']],
  ['MAX_KEYS_PER_TEAM', noNumbers],
  ['TEAM_CHANGES_PER_HOUR', noNumbers],
  ['MANAGEMENT_RATE_LIMIT', noNumbers],
  ['FAILED_TOKEN_LIMIT', noNumbers],
  ['UNKNOWN_KEY_LIMIT', noNumbers],
  ['KEY_TAG', ['LK', '1lk', 'l_k', 'l-k', 'a'.repeat(17), ' lk']],
  ['GRAPHIQL', ['1', 'yes', 'TRUE']],
  ['LOG_LEVEL', ['INFO', 'verbose', '30']],
])('%s may be none of %j', (name, values) => {
  for (const value of values) expectRejected(name, value);
});

describe('the ports', () => {
  it.each([
    [{ PORT: '4001' }, 'VERIFY_PORT', 'PORT'],
    [{ METRICS_PORT: '4000' }, 'METRICS_PORT', 'PORT'],
    [{ METRICS_PORT: '4001', HOST: '0.0.0.0' }, 'METRICS_PORT', 'VERIFY_PORT'],
    [{ EXT_AUTHZ_PORT: '4001' }, 'EXT_AUTHZ_PORT', 'VERIFY_PORT'],
    [{ EXT_AUTHZ_PORT: '9191', METRICS_PORT: '9191' }, 'METRICS_PORT', 'EXT_AUTHZ_PORT'],
    [{ PORT: '80', VERIFY_PORT: '80', HOST: '::' }, 'VERIFY_PORT', 'PORT'],
  ])('are different where one address would have two of them: %j', (environment, name, other) => {
    expect(problemsOf(environment)).toEqual([`${name}: expected another port than ${other}`]);
  });

  it('may be the same on different addresses, or chosen by the system', () => {
    expect(readConfiguration({ PORT: '80', VERIFY_PORT: '80', HOST: '127.0.0.2' }).PORT).toBe(80);
    expect(readConfiguration({ PORT: '0', VERIFY_PORT: '0', METRICS_PORT: '0' }).PORT).toBe(0);
  });
});

describe('the port for Envoy over gRPC', () => {
  const reachable = { EXT_AUTHZ_HOST: '0.0.0.0', EXT_AUTHZ_PORT: '9191' };

  it('beyond loopback needs a verifier token, or the statement that it needs none', () => {
    expect(problemsOf(reachable)).toEqual([
      'VERIFIER_TOKENS: expected at least one, because EXT_AUTHZ_HOST is not the loopback interface',
    ]);
    for (const more of [
      { VERIFIER_TOKENS: 'a-token-of-16-or-more' },
      { FEED_TOKENS: 'a-token-of-16-or-more' },
      { EXT_AUTHZ_WITHOUT_TOKEN: 'true' },
    ]) {
      expect(readConfiguration({ ...reachable, ...more }).EXT_AUTHZ_PORT).toBe(9191);
    }
  });

  it('without a token does not free the verification port from it', () => {
    expect(problemsOf({ ...reachable, EXT_AUTHZ_WITHOUT_TOKEN: 'true', VERIFY_HOST: '0.0.0.0' })).toEqual([
      'VERIFIER_TOKENS: expected at least one, because VERIFY_HOST is not the loopback interface',
    ]);
  });

  it('is off by default, and its host alone changes nothing', () => {
    expect(readConfiguration({ EXT_AUTHZ_HOST: '0.0.0.0' }).EXT_AUTHZ_PORT).toBeUndefined();
  });
});

it('the session of a browser lives for at most 30 days', () => {
  expect(readConfiguration({ SESSION_MAX_LIFETIME: '2592000' }).SESSION_MAX_LIFETIME).toBe(2_592_000);
  for (const value of ['2592001', '0', '1e3', '12h']) {
    expect(problemsOf({ SESSION_MAX_LIFETIME: value })).toEqual([
      'SESSION_MAX_LIFETIME: expected a number of seconds from 1 to 2592000',
    ]);
  }
});

it('a lease is at most a second, and for PostgreSQL only', () => {
  const DATABASE_URL = 'postgresql://localhost/latchkey';
  for (const value of ['0', '50', '1000']) {
    expect(readConfiguration({ DATABASE_URL, VERIFY_LEASE_MS: value }).VERIFY_LEASE_MS).toBe(Number(value));
  }
  const range = 'VERIFY_LEASE_MS: expected a number of milliseconds from 0 to 1000';
  for (const value of ['1001', '-1', '1.5', '50ms']) {
    expect(problemsOf({ DATABASE_URL, VERIFY_LEASE_MS: value })).toEqual([range]);
  }
  const onlyPostgresql = 'VERIFY_LEASE_MS: expected only with PostgreSQL; on SQLite a lease saves nothing';
  expect(problemsOf({ VERIFY_LEASE_MS: '50' })).toEqual([onlyPostgresql]);
  expect(readConfiguration({ VERIFY_LEASE_MS: '0' }).VERIFY_LEASE_MS).toBe(0);
});

/** Otherwise the service would run with the default unnoticed. */
describe('a misspelled variable', () => {
  it.each([
    ['WORKER', 'WORKERS'],
    ['KEY_PEPPER', 'KEY_PEPPERS'],
    ['VERIFYPORT', 'VERIFY_PORT'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['PORTS', 'PORT'],
    ['log_level', 'LOG_LEVEL'],
    ['LATCHKEY_TOKENS', 'LATCHKEY_TOKEN'],
  ])('reports %s as %s, without its value', (name, known) => {
    expect(similarVariables({ [name]: 'canary' })).toEqual([
      `${name} is not a variable of Latchkey: did you mean ${known}?`,
    ]);
  });

  it('reports neither its own variables nor what every environment has', () => {
    const own = { PORT: '1', WORKERS: '1', LATCHKEY_TOKEN: 'x', VERIFY_LEASE_MS: '0', METRICS_PORT: '1' };
    const usual =
      'HOME PATH PWD OLDPWD USER SHELL LANG TERM HOSTNAME LOGNAME EDITOR TZ CI NODE_ENV NODE_OPTIONS NODE SHLVL';
    const others =
      'npm_config_yes npm_package_name INIT_CWD COLOR KUBERNETES_PORT DB_HOST DB_PORT REDIS_URL http_proxy';
    const names = `${usual} ${others} OTEL_SERVICE_NAME OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TIMEOUT`.split(
      ' ',
    );
    expect(similarVariables({ ...own, ...Object.fromEntries(names.map((name) => [name, 'x'])) })).toEqual([]);
  });
});

it('the process that sends webhooks gets only what it needs, and no secret', () => {
  const kept = { DNS_SERVERS: '10.0.0.53', WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8', NODE_EXTRA_CA_CERTS: '/etc/ca.pem' };
  const removed = [
    'DATABASE_URL',
    'JWT_SECRET',
    'KEY_PEPPERS',
    'PGPASSWORD',
    'AWS_SECRET_ACCESS_KEY',
    'NODE_AUTH_TOKEN',
  ];
  const environment = { ...kept, ...Object.fromEntries(removed.map((name) => [name, 'a secret'])) };
  const changes = senderConfiguration(environment);
  expect({ ...environment, ...changes }).toEqual(kept);
  expect(Object.keys(changes)).toEqual(removed);
});
