/** Constructs the data plane: the verification port over its own connections to the store. */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.ts';
import { AcceptedTokens } from '../domain/accepted-tokens.ts';
import type { ControlPlane } from '../domain/control-plane.ts';
import { createGateway } from '../gateway/server.ts';
import type { VerificationReadings } from '../metrics/readings.ts';
import { RequestCounters } from '../metrics/request-counters.ts';
import { openKeyFeed, openNonces } from '../store/data-plane.ts';
import { openDataPlane } from '../verify/data-plane.ts';
import { readinessOf } from './readiness.ts';
import { serviceSecrets } from './secrets.ts';
import { throttledReport } from './throttled-report.ts';
import { tracesOf } from './traces.ts';

export interface VerificationPlane {
  readonly gateway: Server;
  readonly readings: () => VerificationReadings;
  /** From now on `/readyz` answers 503 `draining`. */
  readonly startDraining: () => void;
  /** Writes the remaining usage and closes the connections to the store. */
  readonly close: () => Promise<void>;
}

/** The maximum number of concurrent verifications: about what one process decides in 40 ms. */
const capacity = 1024;

/** Expects that management has migrated the database. */
export async function composeVerification(
  configuration: Configuration,
  log: Logger,
  controlPlane: ControlPlane,
): Promise<VerificationPlane> {
  const { peppers, signingKeks } = serviceSecrets(configuration);
  const database = configuration.DATABASE_URL;
  const report = throttledReport(log);
  const requests = new RequestCounters('verification');
  const traces = await tracesOf(configuration, report);
  const dataPlane = openDataPlane({
    feed: openKeyFeed(database),
    nonces: openNonces(database),
    controlPlane,
    peppers,
    signingKeks,
    cacheKeys: configuration.VERIFY_CACHE_KEYS,
    cacheBytes: configuration.VERIFY_CACHE_MB * 2 ** 20,
    leaseMs: configuration.VERIFY_LEASE_MS,
    remote: database.provider === 'postgresql',
    dnsServers: configuration.DNS_SERVERS ?? [],
    unknownKeysPerMinute: configuration.UNKNOWN_KEY_LIMIT,
    report,
  });
  let draining = false;
  const gateway = createGateway({
    verifier: dataPlane.verifier,
    authorize: {
      convention: configuration.GATEWAY,
      sourceHeader: configuration.SOURCE_HEADER ?? null,
      sourceHops: configuration.SOURCE_HOPS,
      apiChecksContentDigest: configuration.API_CHECKS_CONTENT_DIGEST,
    },
    revokeOwnKey: controlPlane.revokeOwnKey,
    capacity,
    tokens: configuration.VERIFIER_TOKENS === undefined ? null : new AcceptedTokens(configuration.VERIFIER_TOKENS),
    readiness: readinessOf({ ping: dataPlane.ping, draining: () => draining }),
    requests,
    traces,
    report,
  });
  return {
    gateway,
    readings: () => ({ requests, ...dataPlane.readings() }),
    startDraining: () => {
      draining = true;
    },
    close: async () => {
      await dataPlane.close();
      await traces?.close();
    },
  };
}
