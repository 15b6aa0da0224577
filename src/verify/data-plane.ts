import { randomUUID } from 'node:crypto';
import { HostResolver } from '../dns/host-resolver.ts';
import type { KeyRing } from '../domain/secret/key-ring.ts';
import { UnknownKeyLimit } from '../domain/verdict/unknown-key-limit.ts';
import { ConfirmationRounds } from '../engine/confirmation-rounds.ts';
import { KeyCache, shareOfKey } from '../engine/key-cache.ts';
import { KeySearch } from '../engine/key-search.ts';
import { systemScheduler as scheduler } from '../lib/scheduler.ts';
import { ConfirmationCounters } from '../metrics/confirmation-counters.ts';
import type { VerificationReadings } from '../metrics/readings.ts';
import type { KeyFeed } from '../store/feed/key-feed.ts';
import type { Nonces } from '../store/feed/nonces.ts';
import { KeyRateLimits } from '../usage/key-rate-limits.ts';
import { SourceRecorder } from '../usage/source-recorder.ts';
import { StateRecorder } from '../usage/state-recorder.ts';
import { TripRecorder } from '../usage/trip-recorder.ts';
import { UsageRecorder } from '../usage/usage-recorder.ts';
import type { ControlPlane, VerifierState } from '../wire/control-plane.ts';
import { type CachedKey, keysInCache } from './cached-key.ts';
import { EdgeFeed } from './edge-feed.ts';
import { NonceRecorder } from './nonce-recorder.ts';
import { RecentChanges } from './recent-changes.ts';
import { StoreSource } from './store-source.ts';
import { StoreVerifier } from './verifier.ts';

export interface DataPlaneOptions {
  readonly feed: KeyFeed;
  readonly nonces: Nonces;
  readonly controlPlane: Pick<ControlPlane, 'addUsage' | 'addSources' | 'addRates' | 'addTrips'>;
  readonly peppers: KeyRing;
  readonly signingKeks: KeyRing;
  readonly cacheKeys: number;
  readonly cacheBytes: number;
  /** Whether the store is reached over a network. If so, confirmation rounds are at least 1 ms apart. */
  readonly remote: boolean;
  /** 0 turns leases off. */
  readonly leaseMs: number;
  readonly dnsServers: readonly string[];
  /** The maximum number of unknown keys per source and minute. */
  readonly unknownKeysPerMinute: number;
  readonly report: (error: unknown, what: string) => void;
}

export type DataPlaneReadings = Omit<VerificationReadings, 'requests'>;

export interface DataPlane {
  readonly verifier: StoreVerifier;
  readonly feed: EdgeFeed;
  /** Resolves when the store answers a confirmation round. */
  readonly ping: () => Promise<void>;
  readonly readings: () => DataPlaneReadings;
  readonly close: () => Promise<void>;
}

/** The maximum for SQLite, where 16 look-ups take a fraction of a millisecond. */
const maxLookupsPerRound = 16;

export function openDataPlane(options: DataPlaneOptions): DataPlane {
  const { feed, nonces, controlPlane, peppers, signingKeks, dnsServers, report } = options;
  const id = randomUUID();
  const ownState = (): VerifierState => {
    const seenAt = new Date(scheduler.date());
    const confirmedAt = new Date(scheduler.date() - Math.max(0, scheduler.now() - rounds.confirmedAt));
    return { id, kind: 'INSTANCE', revision: source.confirmed, confirmedAt, seenAt };
  };
  const states = new StateRecorder(controlPlane, ownState, (error) =>
    report(error, 'what edges have confirmed could not be reported; it is kept'),
  );
  // A process that counts no use has decided nothing.
  const addUsage: ControlPlane['addUsage'] = (records) => controlPlane.addUsage(records, [ownState()]);
  const usage = new UsageRecorder({ addUsage }, (error) => report(error, 'usage could not be written; it is kept'));
  const sources = new SourceRecorder(controlPlane, (error) =>
    report(error, 'observed sources could not be written; they are kept'),
  );
  const rateLimits = new KeyRateLimits(controlPlane, (error) =>
    report(error, 'counts of rate limits could not be sent'),
  );
  const trips = new TripRecorder(controlPlane, (error) =>
    report(error, 'a presented tripwire could not be reported; it is kept'),
  );
  const hosts = new HostResolver(dnsServers.length === 0 ? {} : { servers: dnsServers });
  const cache = new KeyCache<CachedKey>({
    ...keysInCache,
    maxKeys: options.cacheKeys,
    ...shareOfKey(options.cacheKeys, options.cacheBytes),
    maxBytes: options.cacheBytes,
    onMatch: (match) => {
      if (!match.revoked) hosts.prefetch(match.teamId, match.hosts);
    },
  });
  // Limits PostgreSQL to 1,000 confirmation rounds per second, for any number of requests.
  const pauseMs = options.remote ? 1 : 0;
  const maxMissing = options.remote ? Infinity : maxLookupsPerRound;
  const changes = new RecentChanges([...peppers.byId.keys()].sort().join());
  const source = new StoreSource({ feed, peppers, pauseMs, leaseMs: options.leaseMs, changes });
  const confirmation = new ConfirmationCounters();
  const rounds = new ConfirmationRounds({
    source,
    cache,
    maxMissing,
    retryPauseMs: pauseMs,
    observer: confirmation,
    scheduler,
  });
  const search = new KeySearch({
    cache,
    rounds,
    state: source,
    unknownKeys: new UnknownKeyLimit(options.unknownKeysPerMinute),
    now: scheduler.now,
  });
  const recorder = new NonceRecorder(nonces, report);
  const counters = { usage, sources, rateLimits };
  const verifier = new StoreVerifier({
    search,
    state: source,
    nonces: recorder,
    ...counters,
    trips,
    hosts,
    signingKeks,
    scheduler,
  });
  const edgeFeed = new EdgeFeed({ rounds, state: source, search, changes, states, trips, scheduler });
  return {
    verifier,
    feed: edgeFeed,
    ping: () => rounds.ping(),
    readings: () => ({
      verdicts: verifier.verdicts,
      edges: edgeFeed.edges,
      confirmation,
      cache: { size: cache.size, limit: options.cacheKeys, bytes: cache.bytes, maxBytes: options.cacheBytes },
      usage: { waiting: usage.waiting, dropped: usage.dropped },
      sources: { dropped: sources.dropped },
      storeErrors: {
        confirmation: confirmation.failed,
        nonces: recorder.failures,
        usage: usage.failures + sources.failures,
        rateLimits: rateLimits.failures,
        purge: recorder.purgeFailures,
      },
    }),
    close: async () => {
      recorder.stopPurging();
      await Promise.all([usage, sources, rateLimits, states, trips].map((recorder) => recorder.close()));
      hosts.close();
      await Promise.all([feed.close(), nonces.close()]);
    },
  };
}
