/** Constructs the data plane: the verification port over its own connections to the store. */
import type { Logger } from 'pino';
import type { Configuration } from '../../config/configuration.ts';
import { serviceSecrets } from '../../config/secrets-file.ts';
import { createGateway } from '../../gateway/server.ts';
import type { VerificationReadings } from '../../metrics/readings.ts';
import { RequestCounters } from '../../metrics/request-counters.ts';
import { openKeyFeed, openNonces } from '../../store/feed/verification-store.ts';
import { batchedReports } from '../../usage/batched-reports.ts';
import { openDataPlane } from '../../verify/data-plane.ts';
import type { ControlPlane } from '../../wire/control-plane.ts';
import { acceptedTokens, portRules } from '../port-rules.ts';
import { throttledReport } from '../processes/throttled-report.ts';
import { readinessCheck } from '../readiness.ts';
import { extAuthzPort } from './ext-authz.ts';
import { tracesOf } from './observability.ts';

/** Returns a function that calls until one call succeeds. */
function once(call: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return async () => {
    done ??= call();
    await done.catch((error) => {
      done = null;
      throw error;
    });
  };
}

/** Opens the data plane. Expects that management has migrated the database. */
export async function composeVerification(configuration: Configuration, log: Logger, controlPlane: ControlPlane) {
  const report = throttledReport(log);
  const requests = new RequestCounters('verification');
  const traces = await tracesOf(configuration, report);
  const { peppers, signingKeks } = serviceSecrets(configuration);
  const database = configuration.DATABASE_URL;
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
  const { readiness, startDraining } = readinessCheck(dataPlane.ping);
  const { addUsage, addSources, addRates, revokeOwnKey, reportLeaks, announceTokens } = controlPlane;
  const port = {
    ...portRules(configuration),
    verifier: dataPlane.verifier,
    readiness,
    requests,
    traces,
    report,
  };
  const gateway = createGateway({
    ...port,
    revokeOwnKey,
    reportLeaks,
    derivation: configuration.DERIVED_TOKENS
      ? { tag: configuration.KEY_TAG, ring: peppers, announce: once(announceTokens) }
      : null,
    feed: {
      edges: dataPlane.feed,
      controlPlane: { addUsage: batchedReports(addUsage), addSources: batchedReports(addSources), addRates },
      tokens: acceptedTokens(configuration, ['FEED_TOKENS']),
    },
  });
  return {
    gateway,
    extAuthz: await extAuthzPort(configuration, port),
    readings: (): VerificationReadings => ({ requests, ...dataPlane.readings() }),
    startDraining,
    /** Writes the remaining usage and closes the connections to the store. */
    close: async () => {
      await dataPlane.close();
      await traces?.close();
    },
  };
}
