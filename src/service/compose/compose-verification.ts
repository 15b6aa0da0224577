/** Constructs the data plane: the verification port over its own connections to the store. */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Configuration } from '../../config/configuration.ts';
import { createGateway } from '../../gateway/server.ts';
import type { VerificationReadings } from '../../metrics/readings.ts';
import { RequestCounters } from '../../metrics/request-counters.ts';
import { openKeyFeed, openNonces } from '../../store/feed/data-plane.ts';
import { batchedReports } from '../../usage/batched-reports.ts';
import { type DataPlane, openDataPlane } from '../../verify/data-plane.ts';
import type { ControlPlane } from '../../wire/control-plane.ts';
import { acceptedTokens, portRules } from '../port-rules.ts';
import { type Report, throttledReport } from '../processes/throttled-report.ts';
import { readinessCheck } from '../readiness.ts';
import { serviceSecrets } from './secrets.ts';
import { tracesOf } from './traces.ts';

export interface VerificationPlane {
  readonly gateway: Server;
  readonly readings: () => VerificationReadings;
  /** From now on `/readyz` answers 503 `draining`. */
  readonly startDraining: () => void;
  /** Writes the remaining usage and closes the connections to the store. */
  readonly close: () => Promise<void>;
}

/** Expects that management has migrated the database. */
export async function composeVerification(
  configuration: Configuration,
  log: Logger,
  controlPlane: ControlPlane,
): Promise<VerificationPlane> {
  const report = throttledReport(log);
  const requests = new RequestCounters('verification');
  const traces = await tracesOf(configuration, report);
  const dataPlane = dataPlaneOf(configuration, controlPlane, report);
  const { readiness, startDraining } = readinessCheck(dataPlane.ping);
  const gateway = createGateway({
    ...portRules(configuration),
    verifier: dataPlane.verifier,
    revokeOwnKey: controlPlane.revokeOwnKey,
    feed: {
      edges: dataPlane.feed,
      controlPlane: withGroupedWrites(controlPlane),
      tokens: acceptedTokens(configuration, ['FEED_TOKENS']),
    },
    readiness,
    requests,
    traces,
    report,
  });
  return {
    gateway,
    readings: () => ({ requests, ...dataPlane.readings() }),
    startDraining,
    close: async () => {
      await dataPlane.close();
      await traces?.close();
    },
  };
}

/** For the reports of edges. */
function withGroupedWrites({ addUsage, addSources, exchangeCounts }: ControlPlane) {
  return { addUsage: batchedReports(addUsage), addSources: batchedReports(addSources), exchangeCounts };
}

function dataPlaneOf(configuration: Configuration, controlPlane: ControlPlane, report: Report): DataPlane {
  const { peppers, signingKeks } = serviceSecrets(configuration);
  const database = configuration.DATABASE_URL;
  return openDataPlane({
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
}
