/** Constructs an edge: the verification port, and the engine that reads the feed of the upstreams. */
import { LocalEngine } from '../../client/local/local-engine.ts';
import type { EdgeConfiguration } from '../../config/edge-configuration.ts';
import { createEdgeGateway } from '../../gateway/server.ts';
import { ConfirmationCounters } from '../../metrics/confirmation-counters.ts';
import type { EdgeReadings } from '../../metrics/readings.ts';
import { RequestCounters } from '../../metrics/request-counters.ts';
import { portRules } from '../port-rules.ts';
import type { Report } from '../processes/throttled-report.ts';
import { readinessCheck } from '../readiness.ts';
import { edgeVerifier } from './edge-verifier.ts';
import { extAuthzPort } from './ext-authz.ts';
import { tracesOf } from './observability.ts';

export type Edge = Awaited<ReturnType<typeof composeEdge>>;

/** A verification is answered within one second: 950 ms to decide or reject it, and 50 ms to send the response. */
const timeoutMs = 950;

export async function composeEdge({ port: configuration, upstreams, feedToken }: EdgeConfiguration, report: Report) {
  const { VERIFY_CACHE_KEYS: cacheKeys, VERIFY_CACHE_MB: cacheMegabytes } = configuration;
  const requests = new RequestCounters('verification');
  const traces = await tracesOf(configuration, report);
  const confirmation = new ConfirmationCounters();
  const engine = new LocalEngine({
    urls: upstreams,
    token: feedToken,
    timeoutMs,
    cacheKeys,
    cacheMegabytes,
    unknownKeyLimit: configuration.UNKNOWN_KEY_LIMIT,
    onReportError: (error) =>
      report(error, 'counts could not be reported to an upstream; they are kept, unless it rejects them'),
    observer: confirmation,
  });
  const verifier = edgeVerifier(engine);
  const ping = async () => {
    await engine.ping().catch((error) => {
      report(error, 'no upstream answers');
      throw error;
    });
  };
  const { readiness, startDraining } = readinessCheck(ping, 'upstreams unavailable');
  const port = { ...portRules(configuration), verifier, readiness, requests, traces, report };
  return {
    gateway: createEdgeGateway(port),
    extAuthz: await extAuthzPort(configuration, port),
    readings: (): EdgeReadings => {
      const { usage, sources, rateLimits, dropped } = engine.reports;
      return {
        requests,
        verdicts: verifier.verdicts,
        confirmation,
        cache: {
          size: engine.cache.size,
          limit: cacheKeys,
          bytes: engine.cache.bytes,
          maxBytes: cacheMegabytes * 2 ** 20,
        },
        usage: { waiting: usage.waiting, dropped: dropped.usage },
        sources: { dropped: dropped.sources },
        storeErrors: {
          confirmation: confirmation.failed,
          usage: usage.failures + sources.failures,
          rateLimits: rateLimits.failures,
        },
      };
    },
    readiness,
    startDraining,
    /** Sends the remaining reports and closes the connections to the upstreams. */
    close: async () => {
      await engine.close();
      await traces?.close();
    },
  };
}
