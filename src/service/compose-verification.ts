/** Constructs the data plane: the verification port over its own connections to the store. */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.ts';
import { AcceptedTokens } from '../domain/accepted-tokens.ts';
import type { ControlPlane } from '../domain/control-plane.ts';
import type { AuthorizeRules } from '../gateway/authorize-call.ts';
import { createGateway } from '../gateway/server.ts';
import type { VerificationReadings } from '../metrics/readings.ts';
import { RequestCounters } from '../metrics/request-counters.ts';
import { openKeyFeed, openNonces } from '../store/data-plane.ts';
import { type DataPlane, openDataPlane } from '../verify/data-plane.ts';
import { readinessCheck } from './readiness.ts';
import { serviceSecrets } from './secrets.ts';
import { type Report, throttledReport } from './throttled-report.ts';
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
  const report = throttledReport(log);
  const requests = new RequestCounters('verification');
  const traces = await tracesOf(configuration, report);
  const dataPlane = dataPlaneOf(configuration, controlPlane, report);
  const { readiness, startDraining } = readinessCheck(dataPlane.ping);
  const tokens = tokensOf(configuration);
  const gateway = createGateway({
    verifier: dataPlane.verifier,
    authorize: authorizeRules(configuration),
    revokeOwnKey: controlPlane.revokeOwnKey,
    capacity,
    tokens: tokens === null ? null : new AcceptedTokens([...tokens.verifiers, ...tokens.edges]),
    feed: {
      edges: dataPlane.feed,
      controlPlane,
      tokens: tokens === null ? null : new AcceptedTokens(tokens.edges),
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

/** Edges may also verify, but verifiers may not read the feed. Null if no token is required. */
function tokensOf({ VERIFIER_TOKENS, FEED_TOKENS }: Configuration) {
  if (VERIFIER_TOKENS === undefined && FEED_TOKENS === undefined) return null;
  return { verifiers: VERIFIER_TOKENS ?? [], edges: FEED_TOKENS ?? [] };
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

function authorizeRules(configuration: Configuration): AuthorizeRules {
  return {
    convention: configuration.GATEWAY,
    sourceHeader: configuration.SOURCE_HEADER ?? null,
    sourceHops: configuration.SOURCE_HOPS,
    apiChecksContentDigest: configuration.API_CHECKS_CONTENT_DIGEST,
  };
}
