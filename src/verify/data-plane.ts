/** Composes the data plane on top of a store. */
import type { ControlPlane } from '../domain/control-plane.ts';
import type { KeyRing } from '../domain/key-ring.ts';
import type { VerificationReadings } from '../metrics/readings.ts';
import type { KeyFeed } from '../store/key-feed.ts';
import type { Nonces } from '../store/nonces.ts';
import { Confirmation } from './confirmation.ts';
import { ConflictReports } from './conflict-reports.ts';
import { HostResolver } from './host-resolver.ts';
import { KeyCache } from './key-cache.ts';
import { KeySearch } from './key-search.ts';
import { NonceBatch } from './nonce-batch.ts';
import { UnknownKeyLimit } from './unknown-key-limit.ts';
import { UsageRecorder } from './usage-recorder.ts';
import { Verifier } from './verifier.ts';

export interface DataPlaneOptions {
  readonly feed: KeyFeed;
  readonly nonces: Nonces;
  readonly controlPlane: Pick<ControlPlane, 'addUsage' | 'recordConflict'>;
  readonly peppers: KeyRing;
  readonly signingKeks: KeyRing;
  readonly cacheKeys: number;
  readonly cacheBytes: number;
  /** Whether the store is reached over a network. Confirmation rounds are then at least 1 ms apart. */
  readonly remote: boolean;
  /** How long a confirmed state is used without asking the store again. 0 turns leases off. */
  readonly leaseMs: number;
  readonly dnsServers: readonly string[];
  /** How many unknown keys one source may present per minute. */
  readonly unknownKeysPerMinute: number;
  readonly report: (error: unknown, what: string) => void;
}

/** The metrics of the data plane. */
export type DataPlaneReadings = Omit<VerificationReadings, 'requests'>;

export interface DataPlane {
  readonly verifier: Verifier;
  readonly cache: KeyCache;
  /** Resolves when the store answers a confirmation round. */
  readonly ping: () => Promise<void>;
  readonly readings: () => DataPlaneReadings;
  readonly close: () => Promise<void>;
}

const purgeIntervalMs = 60_000;

export function openDataPlane(options: DataPlaneOptions): DataPlane {
  const { feed, nonces, controlPlane, peppers, signingKeks, cacheKeys, cacheBytes, remote, dnsServers, report } =
    options;
  const nonceBatch = new NonceBatch(nonces);
  const conflicts = new ConflictReports(controlPlane, report);
  const usage = new UsageRecorder(controlPlane, (error) => report(error, 'usage could not be written; it is kept'));
  const hosts = new HostResolver(dnsServers.length === 0 ? {} : { servers: dnsServers });
  const cache = new KeyCache({
    maxKeys: cacheKeys,
    maxBytes: cacheBytes,
    onKey: (key) => {
      if (!key.revoked) hosts.prefetch(key.teamId, key.hosts);
    },
  });
  // On PostgreSQL, at most 1,000 confirmation rounds per second, whatever the number of requests.
  const confirmation = new Confirmation({ feed, cache, peppers, pauseMs: remote ? 1 : 0, leaseMs: options.leaseMs });
  const search = new KeySearch(cache, confirmation, new UnknownKeyLimit(options.unknownKeysPerMinute));
  const verifier = new Verifier({ search, nonces: nonceBatch, usage, conflicts, hosts, signingKeks });

  let purgeFailures = 0;
  const purge = async () => {
    try {
      await nonces.purge(new Date());
    } catch (error) {
      purgeFailures += 1;
      report(error, 'expired nonces could not be removed; the next attempt is in a minute');
    }
  };
  const timer = setInterval(() => void purge(), purgeIntervalMs);
  timer.unref();

  return {
    verifier,
    cache,
    ping: () =>
      new Promise((resolve, reject) => {
        confirmation.ask({ secret: '', presented: null, decide: () => resolve(), fail: reject });
      }),
    readings: () => ({
      verdicts: verifier.verdicts,
      conflicts: conflicts.count,
      confirmation: confirmation.readings,
      cache: { size: cache.size, limit: cacheKeys, bytes: cache.bytes, maxBytes: cacheBytes },
      usage: { waiting: usage.waiting, dropped: usage.dropped },
      storeErrors: {
        confirmation: confirmation.readings.failed,
        nonces: nonceBatch.failures,
        usage: usage.failures,
        purge: purgeFailures,
      },
    }),
    close: async () => {
      clearInterval(timer);
      await usage.close();
      hosts.close();
      await Promise.all([feed.close(), nonces.close()]);
    },
  };
}
