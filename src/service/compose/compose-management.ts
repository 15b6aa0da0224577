/** Constructs the control plane: the management port over the store. */
import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { type Configuration, ConfigurationError } from '../../config/configuration.ts';
import { urlOf } from '../../config/url.ts';
import { startGraphQL } from '../../graphql/server.ts';
import { createApp } from '../../http/app.ts';
import type { Management } from '../../manage/management.ts';
import { startPurging } from '../../manage/upkeep/purge.ts';
import { OperationCounters } from '../../metrics/operation-counters.ts';
import type { ManagementReadings } from '../../metrics/readings.ts';
import { RequestCounters } from '../../metrics/request-counters.ts';
import type { Store } from '../../store/store.ts';
import type { ControlPlane } from '../../wire/control-plane.ts';
import { type Report, throttledReport } from '../processes/throttled-report.ts';
import { readinessCheck } from '../readiness.ts';
import { reportKeySet, tokenKeys, tokenRules } from '../token-rules.ts';
import { openStore, storeProblem } from './open-store.ts';
import { type ServiceSecrets, serviceSecrets } from './secrets.ts';
import { tracesOf } from './traces.ts';
import { openUseCases, retentionOf } from './use-cases.ts';

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
const maxCalls = 256;

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
  secrets: ServiceSecrets,
  { configuration, log, verifyPort }: ManagementOptions,
): Promise<ManagementPlane> {
  const report = throttledReport(log);
  const operations = new OperationCounters();
  const requests = new RequestCounters('management');
  const traces = await tracesOf(configuration, report);
  const graphql = await startGraphQL(log, operations);
  const { management, controlPlane, close } = await openUseCases(store, secrets, configuration);
  const purging = startPurging(store, retentionOf(configuration), (purged) => log.info(purged, 'purged'), report);
  const { readiness, startDraining } = readinessCheck(() => canManage(store, report));
  const tokens = tokenRules(configuration, await tokenKeys(configuration, secrets.generated));
  if (configuration.JWT_JWKS_URL !== undefined) void reportKeySet(configuration.JWT_JWKS_URL, log);
  const parts = { graphql, management, tokens, requests, traces, readiness, report, log };
  return {
    app: createApp({ ...appSettings(configuration, verifyPort), ...parts }),
    management,
    controlPlane,
    readings: () => ({
      requests,
      operations,
      changesWaiting: store.changes.length,
      storeErrors: { management: operations.count('UNAVAILABLE'), purge: purging.failures },
    }),
    firstRun: secrets.generated?.isNew ?? false,
    startDraining,
    close: async () => {
      purging.stop();
      await close();
      await graphql.stop();
      await store.close();
      await traces?.close();
    },
  };
}

/** Resolves when the store answers and changes can be written. */
async function canManage(store: Store, report: Report): Promise<void> {
  await store.ping();
  try {
    await store.checkWritable();
  } catch (error) {
    report(error, 'changes cannot be written');
    throw error;
  }
}

/** The options of the application that come from the configuration alone. */
function appSettings(configuration: Configuration, verifyPort: () => number) {
  return {
    rateLimits: {
      operationsPerMinute: configuration.MANAGEMENT_RATE_LIMIT,
      failedTokensPerMinute: configuration.FAILED_TOKEN_LIMIT,
    },
    maxCalls,
    corsOrigins: configuration.CORS_ORIGINS ?? [],
    dashboard: {
      verifyUrl: (hostname: string) => verifyUrl(configuration, verifyPort(), hostname),
      graphiql: configuration.GRAPHIQL,
    },
    trustProxy: configuration.TRUST_PROXY ?? null,
  };
}

/** Returns the URL of the verification port for a caller who reached the management port by `hostname`. */
function verifyUrl({ VERIFY_HOST }: Configuration, port: number, hostname: string): string {
  // A wildcard address can't be called.
  const everywhere = VERIFY_HOST === '0.0.0.0' || VERIFY_HOST === '::';
  return urlOf(everywhere ? hostname : VERIFY_HOST, port);
}
