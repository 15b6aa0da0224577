/**
 * The metrics of `/metrics`, with the names, units and help that the conventions of Prometheus require. Values are read
 * on each scrape and not stored here. Loaded only if METRICS_PORT is set.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { verdictCodes } from '../domain/verdict/verdict-code.ts';
import type { DurationHistogram } from './duration-histogram.ts';
import type { EdgeReadings, ManagementReadings, PlaneReadings, Readings, VerificationReadings } from './readings.ts';

interface Value {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Durations {
  readonly labels: Readonly<Record<string, string>>;
  readonly durations: DurationHistogram;
}

interface Metric<Read> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly read: Read;
}

interface Metrics<PlaneOf> {
  readonly counters: readonly Metric<(readings: PlaneOf) => readonly Value[]>[];
  readonly gauges: readonly Metric<(readings: PlaneOf) => readonly Value[]>[];
  readonly histograms: readonly Metric<(readings: PlaneOf) => readonly Durations[]>[];
}

/** The metrics of both planes. */
const shared: Metrics<readonly PlaneReadings[]> = {
  counters: [
    {
      name: 'latchkey_requests_turned_away_total',
      help: 'Requests answered with 503 because too many requests were in progress.',
      labels: ['port'],
      read: (planes) => planes.map(({ requests: { port, turnedAway } }) => ({ labels: { port }, value: turnedAway })),
    },
    {
      name: 'latchkey_store_errors_total',
      help: 'Reads and writes that the store (at an edge: its upstreams) did not answer, by caller.',
      labels: ['caller'],
      read: (planes) =>
        planes.flatMap(({ storeErrors }) =>
          Object.entries(storeErrors).map(([caller, value]) => ({ labels: { caller }, value })),
        ),
    },
  ],
  gauges: [
    {
      name: 'latchkey_requests_under_way',
      help: 'Requests in progress that count against the capacity of their port.',
      labels: ['port'],
      read: (planes) => planes.map(({ requests: { port, underWay } }) => ({ labels: { port }, value: underWay })),
    },
  ],
  histograms: [
    {
      name: 'latchkey_http_request_duration_seconds',
      help: 'Time from the headers of a request to its response, by port, route and status class.',
      labels: ['port', 'route', 'status'],
      read: (planes) =>
        planes.flatMap(({ requests }) =>
          Array.from(requests, ({ route, status, durations }) => ({
            labels: { port: requests.port, route, status },
            durations,
          })),
        ),
    },
  ],
};

const management: Metrics<ManagementReadings> = {
  counters: [
    {
      name: 'latchkey_operations_total',
      help: 'Management operations over GraphQL and REST, by schema field, and by outcome: OK or the error code.',
      labels: ['operation', 'outcome'],
      read: ({ operations }) =>
        Array.from(operations, ({ operation, outcome, count }) => ({ labels: { operation, outcome }, value: count })),
    },
  ],
  gauges: [
    {
      name: 'latchkey_change_queue_changes',
      help: 'Changes of keys that wait for a transaction.',
      read: ({ changesWaiting }) => [{ value: changesWaiting }],
    },
  ],
  histograms: [],
};

/** The metrics of edges, which instances have too. */
const edge: Metrics<EdgeReadings> = {
  counters: [
    {
      name: 'latchkey_verdicts_total',
      help: 'Verdicts on presented keys, by code.',
      labels: ['code'],
      read: ({ verdicts }) => verdictCodes.map((code) => ({ labels: { code }, value: verdicts[code] })),
    },
    {
      name: 'latchkey_confirmations_total',
      help: 'Confirmation rounds, in which the store (at an edge: an upstream) is asked whether the cached keys are current, by outcome.',
      labels: ['outcome'],
      read: ({ confirmation: { answered, failed } }) => [
        { labels: { outcome: 'answered' }, value: answered },
        { labels: { outcome: 'failed' }, value: failed },
      ],
    },
    {
      name: 'latchkey_leased_verifications_total',
      help: 'Verifications decided within VERIFY_LEASE_MS of a confirmation, without another read of the store.',
      read: ({ confirmation }) => [{ value: confirmation.leased }],
    },
    {
      name: 'latchkey_cache_lookups_total',
      help: 'Cache lookups of presented keys, by result.',
      labels: ['result'],
      read: ({ confirmation: { hits, misses } }) => [
        { labels: { result: 'hit' }, value: hits },
        { labels: { result: 'miss' }, value: misses },
      ],
    },
    {
      name: 'latchkey_usage_dropped_total',
      help: 'Verifications that were not counted as usage, because too much usage was waiting to be written.',
      read: ({ usage }) => [{ value: usage.dropped }],
    },
    {
      name: 'latchkey_observed_sources_dropped_total',
      help: 'Verifications that are missing in the observed sources of their key, because there were too many addresses.',
      read: ({ sources }) => [{ value: sources.dropped }],
    },
  ],
  gauges: [
    {
      name: 'latchkey_last_confirmation_timestamp_seconds',
      help: 'Start time of the last successful confirmation, in seconds since the Unix epoch; 0 before the first one. Without traffic there are no confirmations.',
      read: ({ confirmation }) => [{ value: confirmation.lastAt / 1000 }],
    },
    {
      name: 'latchkey_cache_keys',
      help: 'Keys in the cache.',
      read: ({ cache }) => [{ value: cache.size }],
    },
    {
      name: 'latchkey_cache_limit_keys',
      help: 'Maximum number of keys in the cache (VERIFY_CACHE_KEYS).',
      read: ({ cache }) => [{ value: cache.limit }],
    },
    {
      name: 'latchkey_cache_bytes',
      help: 'Estimated memory of the keys in the cache.',
      read: ({ cache }) => [{ value: cache.bytes }],
    },
    {
      name: 'latchkey_cache_limit_bytes',
      help: 'Maximum memory of the keys in the cache (VERIFY_CACHE_MB).',
      read: ({ cache }) => [{ value: cache.maxBytes }],
    },
    {
      name: 'latchkey_usage_queue_counters',
      help: 'Usage counters, one for each secret of a key and hour, that wait to be written.',
      read: ({ usage }) => [{ value: usage.waiting }],
    },
  ],
  histograms: [
    {
      name: 'latchkey_confirmation_duration_seconds',
      help: 'Duration of a confirmation round.',
      read: ({ confirmation }) => [{ labels: {}, durations: confirmation.durations }],
    },
    {
      name: 'latchkey_confirmation_age_seconds',
      help: 'Age of the confirmed state when a verification was decided on it. One observation for each verification.',
      read: ({ confirmation }) => [{ labels: {}, durations: confirmation.ages }],
    },
  ],
};

const verification: Metrics<VerificationReadings> = {
  counters: [
    {
      name: 'latchkey_key_conflicts_total',
      help: 'Verifications rejected because imported keys of several teams match the presented key.',
      read: ({ conflicts }) => [{ value: conflicts }],
    },
  ],
  gauges: [
    {
      name: 'latchkey_edges',
      help: 'Edges that asked in the last 10 to 20 seconds.',
      read: ({ edges }) => [{ value: edges }],
    },
  ],
  histograms: [],
};

/** A histogram whose values come from a `DurationHistogram` instead of observations. */
class ReadingsHistogram extends Histogram {
  /** Has the description of the metric, and no observations. */
  readonly #blank: Histogram;
  readonly #name: string;
  readonly #read: () => readonly Durations[];

  constructor({ name, help, labels = [] }: Metric<unknown>, registry: Registry, read: () => readonly Durations[]) {
    super({ name, help, labelNames: labels, registers: [registry] });
    this.#blank = new Histogram({ name, help, registers: [] });
    this.#name = name;
    this.#read = read;
  }

  override async get() {
    const values = this.#read().flatMap((durations) => valuesOf(this.#name, durations));
    return { ...(await this.#blank.get()), values };
  }

  /** Registries call this one if it exists. */
  async getForPromString() {
    return await this.get();
  }
}

function valuesOf(name: string, { labels, durations: { bounds, counts, sumMs } }: Durations) {
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

/**
 * Gauges of prom-client with the names of counters, which `promtool check metrics` reports. Each is the sum of the metric
 * without `_total`.
 */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Our own metrics under `latchkey_`, and those of the process under the names that dashboards for Node.js expect. */
export function metricsRegistry(readings: Readings): Registry {
  const registry = new Registry();
  register(registry, shared, () =>
    [readings.management, readings.verification, readings.edge].flatMap((read) => (read === undefined ? [] : [read()])),
  );
  if (readings.management !== undefined) register(registry, management, readings.management);
  const verifies = readings.verification ?? readings.edge;
  if (verifies !== undefined) register(registry, edge, verifies);
  if (readings.verification !== undefined) register(registry, verification, readings.verification);
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  return registry;
}

function register<PlaneOf>(
  registry: Registry,
  { counters, gauges, histograms }: Metrics<PlaneOf>,
  readings: () => PlaneOf,
): void {
  for (const { name, help, labels = [], read } of counters) {
    new Counter({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels = {}, value } of read(readings())) this.inc(labels, value);
      },
    });
  }
  for (const { name, help, labels = [], read } of gauges) {
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels = {}, value } of read(readings())) this.set(labels, value);
      },
    });
  }
  for (const metric of histograms) new ReadingsHistogram(metric, registry, () => metric.read(readings()));
}
