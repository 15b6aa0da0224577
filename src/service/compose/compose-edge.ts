/** Constructs an edge: the verification port on an engine that reads the feed of its upstreams. */
import type { Server } from 'node:http';
import { LocalEngine } from '../../client/local/local-engine.ts';
import type { EdgeConfiguration } from '../../config/edge-configuration.ts';
import { createEdgeGateway } from '../../gateway/server.ts';
import { ConfirmationCounters } from '../../metrics/confirmation-counters.ts';
import type { EdgeReadings } from '../../metrics/readings.ts';
import { RequestCounters } from '../../metrics/request-counters.ts';
import type { Readiness } from '../../wire/readiness.ts';
import { portRules } from '../port-rules.ts';
import type { Report } from '../processes/throttled-report.ts';
import { readinessCheck } from '../readiness.ts';
import { EdgeVerifier } from './edge-verifier.ts';
import { tracesOf } from './traces.ts';

export interface Edge {
  readonly gateway: Server;
  readonly readings: () => EdgeReadings;
  /** Asks the upstreams. Reports why none answers. */
  readonly readiness: () => Promise<Readiness>;
  /** From now on `/readyz` answers 503 `draining`. */
  readonly startDraining: () => void;
  /** Sends the remaining reports and closes the connections to the upstreams. */
  readonly close: () => Promise<void>;
}

/** A verification is decided or rejected within one second. The rest is for the answer. */
const timeoutMs = 950;

export async function composeEdge(
  { port: configuration, upstreams, feedToken }: EdgeConfiguration,
  report: Report,
): Promise<Edge> {
  const requests = new RequestCounters('verification');
  const traces = await tracesOf(configuration, report);
  const confirmation = new ConfirmationCounters();
  const engine = new LocalEngine({
    urls: upstreams,
    token: feedToken,
    timeoutMs,
    cacheKeys: configuration.VERIFY_CACHE_KEYS,
    cacheMegabytes: configuration.VERIFY_CACHE_MB,
    unknownKeyLimit: configuration.UNKNOWN_KEY_LIMIT,
    onReportError: (error) =>
      report(error, 'counts could not be reported to an upstream; they are kept, unless it rejects them'),
    observer: confirmation,
  });
  const verifier = new EdgeVerifier(engine);
  const ping = async () => {
    await engine.ping().catch((error) => {
      report(error, 'no upstream answers');
      throw error;
    });
  };
  const { readiness, startDraining } = readinessCheck(ping, 'upstreams unavailable');
  const rules = portRules(configuration);
  const gateway = createEdgeGateway({ ...rules, verifier, readiness, requests, traces, report });
  return {
    gateway,
    readings: () => ({
      requests,
      verdicts: verifier.verdicts,
      confirmation,
      cache: {
        size: engine.cache.size,
        limit: configuration.VERIFY_CACHE_KEYS,
        bytes: engine.cache.bytes,
        maxBytes: configuration.VERIFY_CACHE_MB * 2 ** 20,
      },
      ...reportReadings(engine, confirmation),
    }),
    readiness,
    startDraining,
    close: async () => {
      await engine.close();
      await traces?.close();
    },
  };
}

function reportReadings(
  { reports: { usage, sources, rateLimits, dropped } }: LocalEngine,
  { failed }: ConfirmationCounters,
) {
  return {
    usage: { waiting: usage.waiting, dropped: dropped.usage },
    sources: { dropped: dropped.sources },
    storeErrors: {
      confirmation: failed,
      usage: usage.failures + sources.failures,
      rateLimits: rateLimits.failures,
    },
  };
}
