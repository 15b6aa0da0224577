/** The metrics of `/metrics`, read on each scrape. Loaded only if METRICS_PORT is set. */
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client';
import type { DurationHistogram } from './duration-histogram.ts';
import type { EdgeReadings, ManagementReadings, PlaneReadings, Readings, VerificationReadings } from './readings.ts';

interface Value {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

type Durations = Pick<Value, 'labels'> & { readonly durations: DurationHistogram };

/** A metric and its values, in the format in which prom-client exchanges metrics between processes. */
export interface MetricValues {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly (Value & { readonly metricName?: string })[];
}

/** Reads a metric: a number, or several values with different labels. */
type Read<Plane> = (readings: Plane) => number | readonly (Value | Durations)[];
type Metrics<Plane> = Readonly<Record<string, readonly [help: string, read: Read<Plane>]>>;

/** Returns the type that the name implies by the conventions of Prometheus. */
function typeOf(name: string): 'counter' | 'gauge' | 'histogram' {
  if (name.endsWith('_total')) return 'counter';
  return /_(?:duration|age)_seconds$/.test(name) ? 'histogram' : 'gauge';
}

const by = (label: string, values: Readonly<Record<string, number>>): readonly Value[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));

const shared: Metrics<readonly PlaneReadings[]> = {
  latchkey_requests_turned_away_total: [
    'Requests answered with 503 because too many requests were in progress.',
    (planes) => planes.flatMap(({ requests: { port, turnedAway } }) => by('port', { [port]: turnedAway })),
  ],
  latchkey_requests_under_way: [
    'Requests in progress that count against the capacity of their port.',
    (planes) => planes.flatMap(({ requests: { port, underWay } }) => by('port', { [port]: underWay })),
  ],
  latchkey_store_errors_total: [
    'Reads and writes that the store (at an edge: its upstreams) did not answer, by caller.',
    (planes) => planes.flatMap(({ storeErrors }) => by('caller', storeErrors)),
  ],
  latchkey_http_request_duration_seconds: [
    'Time from the headers of a request to its response, by port, route and status class.',
    (planes) =>
      planes.flatMap(({ requests }) =>
        Array.from(requests, ({ route, status, durations }) => ({
          labels: { port: requests.port, route, status },
          durations,
        })),
      ),
  ],
};

const management: Metrics<ManagementReadings> = {
  latchkey_operations_total: [
    'Management operations over GraphQL and REST, by schema field, and by outcome: OK or the error code.',
    ({ operations }) =>
      Array.from(operations, ({ operation, outcome, count }) => ({ labels: { operation, outcome }, value: count })),
  ],
  latchkey_change_queue_changes: [
    'Changes of keys that wait for a transaction.',
    ({ changesWaiting }) => changesWaiting,
  ],
  latchkey_delivery_attempts_total: [
    'Requests with events to endpoints, by outcome: delivered; retried, if the event will be sent again; failed after the last one.',
    ({ deliveries: { attempts } }) =>
      by('outcome', { delivered: attempts.DELIVERED, retried: attempts.PENDING, failed: attempts.FAILED }),
  ],
  latchkey_endpoints_disabled_total: [
    'Endpoints that were disabled, because they answered 410 (gone) or the last attempt for an event failed (failing).',
    ({ deliveries: { disabled } }) => by('reason', { gone: disabled.GONE, failing: disabled.FAILING }),
  ],
  latchkey_oldest_undelivered_event_seconds: [
    'Age of the oldest event that waits for its delivery, as every instance finds it; 0 without one.',
    ({ deliveries: { oldestAgeMs } }) => oldestAgeMs / 1000,
  ],
};

/** The metrics of verification, for edges and instances. */
const edge: Metrics<EdgeReadings> = {
  latchkey_verdicts_total: ['Verdicts on presented keys, by code.', ({ verdicts }) => by('code', verdicts)],
  latchkey_confirmations_total: [
    'Confirmation rounds, in which the store (at an edge: an upstream) confirms that the cached keys are current, by outcome.',
    ({ confirmation: { answered, failed } }) => by('outcome', { answered, failed }),
  ],
  latchkey_leased_verifications_total: [
    'Verifications decided within VERIFY_LEASE_MS of a confirmation, without another read of the store.',
    ({ confirmation }) => confirmation.leased,
  ],
  latchkey_cache_lookups_total: [
    'Cache lookups of presented keys, by result.',
    ({ confirmation: { hits, misses } }) => by('result', { hit: hits, miss: misses }),
  ],
  latchkey_usage_dropped_total: [
    'Verifications that were not counted as usage, because too much usage was waiting to be written.',
    ({ usage }) => usage.dropped,
  ],
  latchkey_observed_sources_dropped_total: [
    'Verifications that are missing in the observed sources of their key, because there were too many addresses.',
    ({ sources }) => sources.dropped,
  ],
  latchkey_last_confirmation_timestamp_seconds: [
    'Start time of the last successful confirmation, in seconds since the Unix epoch; 0 before the first one. Without traffic there are no confirmations.',
    ({ confirmation }) => confirmation.lastAt / 1000,
  ],
  latchkey_cache_keys: ['Keys in the cache.', ({ cache }) => cache.size],
  latchkey_cache_limit_keys: ['Maximum number of keys in the cache (VERIFY_CACHE_KEYS).', ({ cache }) => cache.limit],
  latchkey_cache_bytes: ['Estimated memory of the keys in the cache.', ({ cache }) => cache.bytes],
  latchkey_cache_limit_bytes: [
    'Maximum memory of the keys in the cache (VERIFY_CACHE_MB).',
    ({ cache }) => cache.maxBytes,
  ],
  latchkey_usage_queue_counters: [
    'Usage counters, one for each secret of a key and hour, that wait to be written.',
    ({ usage }) => usage.waiting,
  ],
  latchkey_confirmation_duration_seconds: [
    'Duration of a confirmation round.',
    ({ confirmation }) => [{ labels: {}, durations: confirmation.durations }],
  ],
  latchkey_confirmation_age_seconds: [
    'Age of the confirmed state when a verification was decided on it. One observation for each verification.',
    ({ confirmation }) => [{ labels: {}, durations: confirmation.ages }],
  ],
};

const verification: Metrics<VerificationReadings> = {
  latchkey_edges: ['Edges that sent a request in the last 10 to 20 seconds.', ({ edges }) => edges],
};

/** Gauges of prom-client that are named like counters. Each is the sum of the metric without `_total`. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export type ProcessMetrics = ReturnType<typeof metricsOf>;

/** Returns readers of our own metrics (`latchkey_…`), and of the process metrics that Node.js dashboards expect. */
export function metricsOf(readings: Readings) {
  const ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  for (const name of misnamed) ofProcess.removeSingleMetric(name);
  const read = async () => [...ownMetrics(readings), ...(await ofProcess.getMetricsAsJSON())] as MetricValues[];
  return { read, text: async () => await textOf([await read()]) };
}

export async function textOf(processes: readonly (readonly MetricValues[])[]): Promise<string> {
  return await AggregatorRegistry.aggregate([...processes]).metrics();
}

function ownMetrics(readings: Readings): MetricValues[] {
  const [managing, verifying] = [readings.management?.(), readings.verification?.()];
  const verifies = verifying ?? readings.edge?.();
  const planes = [managing, verifies].filter((plane) => plane !== undefined);
  return [
    ...valuesOf(shared, planes),
    ...(managing === undefined ? [] : valuesOf(management, managing)),
    ...(verifies === undefined ? [] : valuesOf(edge, verifies)),
    ...(verifying === undefined ? [] : valuesOf(verification, verifying)),
  ];
}

function valuesOf<Plane>(metrics: Metrics<Plane>, readings: Plane): MetricValues[] {
  return Object.entries(metrics).map(([name, [help, read]]) => {
    const found = read(readings);
    const values = (typeof found === 'number' ? [{ labels: {}, value: found }] : found).flatMap((one) =>
      'durations' in one ? bucketsOf(name, one) : one,
    );
    // Each process has its own label, so `sum` never adds values.
    return { name, help, type: typeOf(name), aggregator: 'sum', values };
  });
}

function bucketsOf(name: string, { labels, durations: { bounds, counts, sumMs } }: Durations) {
  let count = 0;
  const buckets = counts.map((inBucket, i) => {
    count += inBucket;
    const bound = bounds[i];
    const le = bound === undefined ? '+Inf' : String(bound / 1000);
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumMs / 1000 },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
