/**
 * The metrics of `/metrics`, with the names, units and help that the conventions of Prometheus require. Values are read
 * on each scrape and not stored here. Loaded only if METRICS_PORT is set.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { verdictCodes } from '../domain/verdict-code.ts';
import type { DurationHistogram } from './duration-histogram.ts';
import type { ManagementReadings, PlaneReadings, Readings, VerificationReadings } from './readings.ts';

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

/** What every plane measures. */
const shared: Metrics<readonly PlaneReadings[]> = {
  counters: [
    {
      name: 'latchkey_requests_turned_away_total',
      help: 'Requests answered with 503 because too many were under way.',
      labels: ['port'],
      read: (planes) => planes.map(({ requests: { port, turnedAway } }) => ({ labels: { port }, value: turnedAway })),
    },
    {
      name: 'latchkey_store_errors_total',
      help: 'Questions and writes that the store did not answer, by who asked.',
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
      help: 'Requests that hold one of the places of their port.',
      labels: ['port'],
      read: (planes) => planes.map(({ requests: { port, underWay } }) => ({ labels: { port }, value: underWay })),
    },
  ],
  histograms: [
    {
      name: 'latchkey_http_request_duration_seconds',
      help: 'From a request’s headers to its answer, by port, route and class of status.',
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
      help: 'Operations of the control plane over GraphQL and REST, by field of the schema and OK or the error code.',
      labels: ['operation', 'outcome'],
      read: ({ operations }) =>
        Array.from(operations, ({ operation, outcome, count }) => ({ labels: { operation, outcome }, value: count })),
    },
  ],
  gauges: [
    {
      name: 'latchkey_change_queue_changes',
      help: 'Changes of keys that wait for their transaction.',
      read: ({ changesWaiting }) => [{ value: changesWaiting }],
    },
  ],
  histograms: [],
};

const verification: Metrics<VerificationReadings> = {
  counters: [
    {
      name: 'latchkey_verdicts_total',
      help: 'Verdicts on presented keys, by their code.',
      labels: ['code'],
      read: ({ verdicts }) => verdictCodes.map((code) => ({ labels: { code }, value: verdicts[code] })),
    },
    {
      name: 'latchkey_key_conflicts_total',
      help: 'Verifications rejected because imported keys of several teams match the presented key.',
      read: ({ conflicts }) => [{ value: conflicts }],
    },
    {
      name: 'latchkey_confirmations_total',
      help: 'Rounds in which the store was asked whether cached keys are current, by whether it answered.',
      labels: ['outcome'],
      read: ({ confirmation: { answered, failed } }) => [
        { labels: { outcome: 'answered' }, value: answered },
        { labels: { outcome: 'failed' }, value: failed },
      ],
    },
    {
      name: 'latchkey_leased_verifications_total',
      help: 'Verifications decided within VERIFY_LEASE_MS of a confirmation, without asking the store again.',
      read: ({ confirmation }) => [{ value: confirmation.leased }],
    },
    {
      name: 'latchkey_cache_lookups_total',
      help: 'Presented keys looked for in the cache, by whether they were in it.',
      labels: ['result'],
      read: ({ confirmation: { hits, misses } }) => [
        { labels: { result: 'hit' }, value: hits },
        { labels: { result: 'miss' }, value: misses },
      ],
    },
    {
      name: 'latchkey_usage_dropped_total',
      help: 'Verifications that were not counted as use, because too much use was waiting to be written.',
      read: ({ usage }) => [{ value: usage.dropped }],
    },
  ],
  gauges: [
    {
      name: 'latchkey_last_confirmation_timestamp_seconds',
      help: 'When the last confirmation that the store answered began, in seconds since the epoch; 0 before any. It rests without traffic.',
      read: ({ confirmation }) => [{ value: confirmation.lastAt / 1000 }],
    },
    {
      name: 'latchkey_cache_keys',
      help: 'Keys in the cache.',
      read: ({ cache }) => [{ value: cache.size }],
    },
    {
      name: 'latchkey_cache_limit_keys',
      help: 'Keys that the cache has room for (VERIFY_CACHE_KEYS).',
      read: ({ cache }) => [{ value: cache.limit }],
    },
    {
      name: 'latchkey_cache_bytes',
      help: 'Memory that the keys in the cache take, as an estimate.',
      read: ({ cache }) => [{ value: cache.bytes }],
    },
    {
      name: 'latchkey_cache_limit_bytes',
      help: 'Memory that the keys in the cache may take (VERIFY_CACHE_MB).',
      read: ({ cache }) => [{ value: cache.maxBytes }],
    },
    {
      name: 'latchkey_usage_queue_tallies',
      help: 'Keys, by hour, whose use waits to be written.',
      read: ({ usage }) => [{ value: usage.waiting }],
    },
  ],
  histograms: [
    {
      name: 'latchkey_confirmation_duration_seconds',
      help: 'How long the store took to say whether cached keys are current.',
      read: ({ confirmation }) => [{ labels: {}, durations: confirmation.durations }],
    },
    {
      name: 'latchkey_confirmation_age_seconds',
      help: 'How old the confirmed state was that verifications were decided on; one observation for each of them.',
      read: ({ confirmation }) => [{ labels: {}, durations: confirmation.ages }],
    },
  ],
};

/** A histogram whose values come from a `DurationHistogram` instead of observations. */
class ReadingsHistogram extends Histogram {
  /** It knows how it is described, and is never observed. */
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

  /** What a registry prefers to ask. */
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

/** Our own metrics under `latchkey_`, and the process' under the names that every dashboard for Node knows. */
export function metricsRegistry(readings: Readings): Registry {
  const registry = new Registry();
  register(registry, shared, () =>
    [readings.management, readings.verification].flatMap((read) => (read === undefined ? [] : [read()])),
  );
  if (readings.management !== undefined) register(registry, management, readings.management);
  if (readings.verification !== undefined) register(registry, verification, readings.verification);
  collectDefaultMetrics({ register: registry });
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
