/** Constructs the control plane: the management port over the store. */
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { TokenRules } from '../auth/session-token.ts';
import { publicTokenKeys, secretTokenKeys, type TokenKeys } from '../auth/token-keys.ts';
import { type Configuration, ConfigurationError } from '../config/configuration.ts';
import type { GeneratedSecrets } from '../config/secrets-file.ts';
import { urlOf } from '../config/url.ts';
import type { ControlPlane } from '../domain/control-plane.ts';
import { OpaqueRevisions } from '../domain/opaque-revisions.ts';
import { startGraphQL } from '../graphql/server.ts';
import { createApp } from '../http/app.ts';
import { ChangeBudget } from '../manage/change-budget.ts';
import type { Management } from '../manage/management.ts';
import { startPurging } from '../manage/purge.ts';
import { revokeOwnKey } from '../manage/revoke-own-key.ts';
import { OperationCounters } from '../metrics/operation-counters.ts';
import type { ManagementReadings } from '../metrics/readings.ts';
import { RequestCounters } from '../metrics/request-counters.ts';
import { openNonces } from '../store/data-plane.ts';
import type { Store } from '../store/store.ts';
import { askStore } from '../store/unavailable.ts';
import { CallSpans } from '../traces/call-spans.ts';
import { HostResolver } from '../verify/host-resolver.ts';
import { openStore, storeProblem } from './open-store.ts';
import { readinessOf } from './readiness.ts';
import { serviceSecrets } from './secrets.ts';
import { throttledReport } from './throttled-report.ts';
import { tracesOf } from './traces.ts';

export interface ManagementPlane {
  readonly app: RequestListener;
  readonly management: Management;
  /** The calls that the verification processes can make. */
  readonly controlPlane: ControlPlane;
  readonly readings: () => ManagementReadings;
  /** Whether this start generated the secrets, because it is the first one in this directory. */
  readonly firstRun: boolean;
  /** From now on `/readyz` answers 503 `draining`. */
  readonly startDraining: () => void;
  /** Finishes pending changes and closes the store. */
  readonly close: () => Promise<void>;
}

export interface ManagementOptions {
  readonly configuration: Configuration;
  readonly log: Logger;
  /** The port that verification listens on. */
  readonly verifyPort: () => number;
  /** Called once the database is migrated and the secrets fit it: verification may start. */
  readonly onPrepared: () => void;
}

/** The maximum number of concurrent calls: about 170 ms of changes. More would only wait longer. */
const capacity = 256;

export async function composeManagement(options: ManagementOptions): Promise<ManagementPlane> {
  const { configuration } = options;
  const secrets = serviceSecrets(configuration);
  const store = await openStore(configuration, options.log);
  try {
    const problems = [
      ...(await store.startWithRing('pepper', secrets.peppers)).map((problem) => `KEY_PEPPERS: ${problem}`),
      ...(await store.startWithRing('signing-kek', secrets.signingKeks)).map((problem) => `SIGNING_KEKS: ${problem}`),
    ];
    if (problems.length > 0) throw new ConfigurationError(problems);
    if (configuration.VERIFY_LEASE_MS > 0) await store.raiseLease(configuration.VERIFY_LEASE_MS);
    options.onPrepared();
    return await composeOver(store, secrets, options);
  } catch (error) {
    await store.close();
    throw storeProblem(configuration, error);
  }
}

async function composeOver(
  store: Store,
  { peppers, signingKeks, generated }: ReturnType<typeof serviceSecrets>,
  { configuration, log, verifyPort }: ManagementOptions,
): Promise<ManagementPlane> {
  const report = throttledReport(log);
  const operations = new OperationCounters();
  const requests = new RequestCounters('management');
  const traces = await tracesOf(configuration, report);
  const spans = traces === null ? null : new CallSpans(traces);
  const graphql = await startGraphQL(log, operations, spans);
  const hosts = new HostResolver(configuration.DNS_SERVERS === undefined ? {} : { servers: configuration.DNS_SERVERS });
  const nonces = openNonces(configuration.DATABASE_URL);
  const management: Management = {
    store,
    keyTag: configuration.KEY_TAG,
    peppers,
    signingKeks,
    revisions: new OpaqueRevisions(await store.readIdSecret()),
    maxKeysPerTeam: configuration.MAX_KEYS_PER_TEAM,
    budget: new ChangeBudget(configuration.TEAM_CHANGES_PER_HOUR),
    randomBytes,
    isNonceUsed: (keyId, nonce) => askStore(() => nonces.has(keyId, nonce)),
    addressesOf: (host, teamId) => hosts.addresses(host, teamId),
  };
  const retention = {
    usageDays: configuration.USAGE_RETENTION_DAYS,
    auditDays: configuration.AUDIT_RETENTION_DAYS,
    revokedDays: configuration.REVOKED_RETENTION_DAYS,
  };
  const purging = startPurging(store, retention, (purged) => log.info(purged, 'purged'), report);
  let draining = false;
  const app = createApp({
    graphql,
    management,
    tokens: await tokenRules(configuration, generated),
    rateLimits: {
      operationsPerMinute: configuration.MANAGEMENT_RATE_LIMIT,
      failedTokensPerMinute: configuration.FAILED_TOKEN_LIMIT,
    },
    capacity,
    requests,
    spans,
    report,
    readiness: readinessOf({ ping: () => store.ping(), draining: () => draining }),
    log,
    corsOrigins: configuration.CORS_ORIGINS ?? [],
    dashboard: { verifyUrl: (hostname) => verifyUrl(configuration, verifyPort(), hostname) },
    graphiql: configuration.GRAPHIQL,
    trustProxy: configuration.TRUST_PROXY ?? null,
  });
  if (configuration.JWT_JWKS_URL !== undefined) void reportKeySet(configuration.JWT_JWKS_URL, log);
  return {
    app,
    management,
    controlPlane: {
      addUsage: (records) => store.usage.add(records),
      revokeOwnKey: (keyId, call) => revokeOwnKey(management, keyId, call),
      recordConflict: (keyIds, seenAt) => store.conflicts.record(keyIds, seenAt),
    },
    readings: () => ({
      requests,
      operations,
      changesWaiting: store.changes.length,
      storeErrors: { management: operations.count('UNAVAILABLE'), purge: purging.failures },
    }),
    firstRun: generated?.isNew ?? false,
    startDraining: () => {
      draining = true;
    },
    close: async () => {
      purging.stop();
      hosts.close();
      await nonces.close();
      await graphql.stop();
      await store.close();
      await traces?.close();
    },
  };
}

/** Returns the URL of the verification port for a caller who reached the management port by `hostname`. */
function verifyUrl({ VERIFY_HOST }: Configuration, port: number, hostname: string): string {
  // A wildcard address can't be called.
  const everywhere = VERIFY_HOST === '0.0.0.0' || VERIFY_HOST === '::';
  return urlOf(everywhere ? hostname : VERIFY_HOST, port);
}

async function tokenRules(configuration: Configuration, generated: GeneratedSecrets | null): Promise<TokenRules> {
  return {
    keys: await tokenKeys(configuration, generated),
    teamsClaim: configuration.JWT_TEAMS_CLAIM,
    issuer: configuration.JWT_ISSUER,
    audience: configuration.JWT_AUDIENCE,
    maxLifetimeSeconds: configuration.JWT_MAX_LIFETIME,
  };
}

/** Logs at startup whether the key set can be used. The start does not wait for it, because the problem may be temporary. */
async function reportKeySet(url: string, log: Logger): Promise<void> {
  const { problemOfKeySet } = await import('../auth/key-set.ts');
  const problem = await problemOfKeySet(url);
  if (problem !== null) log.error({ problem }, 'JWT_JWKS_URL cannot be used: session tokens are rejected until it can');
}

async function tokenKeys(
  { JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL }: Configuration,
  generated: GeneratedSecrets | null,
): Promise<TokenKeys> {
  if (JWT_PUBLIC_KEY !== undefined) return publicTokenKeys(JWT_PUBLIC_KEY);
  if (JWT_JWKS_URL !== undefined) return (await import('../auth/key-set.ts')).jwksTokenKeys(JWT_JWKS_URL);
  const secret = JWT_SECRET ?? generated?.jwtSecret;
  if (secret === undefined) throw new Error('a missing secret is always generated');
  return secretTokenKeys(secret);
}
