/** Puts the data plane's parts together over a store. */
import type { IpAddress } from '../domain/ip-address.ts';
import type { KeyRing } from '../domain/key-ring.ts';
import type { Readings } from '../metrics/readings.ts';
import type { Store } from '../store/store.ts';
import { Confirmation } from './confirmation.ts';
import { HostResolver } from './host-resolver.ts';
import { KeyCache } from './key-cache.ts';
import { NonceBatch } from './nonce-batch.ts';
import { UsageRecorder } from './usage-recorder.ts';
import { Verifier } from './verifier.ts';

export interface DataPlaneOptions {
  readonly store: Store;
  readonly peppers: KeyRing;
  readonly signingKeks: KeyRing;
  readonly cacheKeys: number;
  readonly cacheBytes: number;
  /** Whether asking the store goes over a network, where rounds are spaced out. */
  readonly remote: boolean;
  /** How long what was confirmed is relied on without asking again; 0: not at all. */
  readonly leaseMs: number;
  readonly dnsServers: readonly string[];
  readonly report: (error: unknown, what: string) => void;
}

/** The data plane's part of what is measured. */
export interface DataPlaneReadings extends Pick<Readings, 'verdicts' | 'confirmation' | 'cache' | 'usage'> {
  readonly storeErrors: Omit<Readings['storeErrors'], 'management'>;
}

export interface DataPlane {
  readonly verifier: Verifier;
  readonly cache: KeyCache;
  /** The addresses of a host name, as verifications see them. */
  readonly addressesOf: (host: string) => Promise<readonly IpAddress[]>;
  readonly readings: () => DataPlaneReadings;
  readonly close: () => Promise<void>;
}

const purgeMs = 60_000;

export function openDataPlane(options: DataPlaneOptions): DataPlane {
  const { store, peppers, signingKeks, cacheKeys, cacheBytes, remote, dnsServers, report } = options;
  const feed = store.openKeyFeed();
  const nonces = store.openNonces();
  const nonceBatch = new NonceBatch(nonces);
  const cache = new KeyCache(cacheKeys, cacheBytes);
  const usage = new UsageRecorder(store.usage, (error) => report(error, 'usage could not be written; it is kept'));
  const hosts = new HostResolver(dnsServers.length === 0 ? {} : { servers: dnsServers });
  // On PostgreSQL at most a thousand confirmations a second, whatever the number of requests.
  const confirmation = new Confirmation({ feed, cache, peppers, pauseMs: remote ? 1 : 0, leaseMs: options.leaseMs });
  const verifier = new Verifier({ cache, confirmation, nonces: nonceBatch, usage, hosts, signingKeks });

  let purgeFailures = 0;
  const purge = async () => {
    try {
      await nonces.purge(new Date());
    } catch (error) {
      purgeFailures += 1;
      report(error, 'what has expired could not be removed; it will be tried again');
    }
  };
  const timer = setInterval(() => void purge(), purgeMs);
  timer.unref();

  return {
    verifier,
    cache,
    addressesOf: (host) => hosts.addresses(host),
    readings: () => ({
      verdicts: verifier.verdicts,
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
