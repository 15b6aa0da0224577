/**
 * A deployment on six hosts: PostgreSQL, two instances and three edges, as test/chaos/torture has them on loopback. This
 * program makes all changes and verifications, so that one clock measures them. It reaches the hosts without delay and
 * loss; only the links between the hosts have those.
 */
import { Server } from '../../harness/server.ts';
import type { Host } from '../../support/hosts.ts';
import { serverUser, startPostgres } from '../../support/postgres.ts';
import { postgresDatabase } from '../../support/temporary-database.ts';
import { startTogether } from '../torture/instances.ts';
import { Link } from './links.ts';
import { Network, type Quality } from './network.ts';

interface HostsOptions {
  readonly leaseMs: number;
  /** Decides which packets are lost. */
  readonly seed: number;
}

export interface Hosts {
  readonly instances: readonly Server[];
  readonly edges: readonly Server[];
  readonly links: readonly Link[];
  /** Sets the quality of all links between the hosts. */
  readonly use: (quality: Quality) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const feedToken = 'feed-token-of-test-network';

/** The upstreams of each edge, in the order of preference. */
const upstreams = { E1: ['A'], E2: ['B', 'A'], E3: ['B', 'A'] } as const;

const environments = {
  A: {},
  B: { VERIFY_CACHE_KEYS: '16' },
  E1: {},
  E2: {},
  E3: { VERIFY_CACHE_KEYS: '16' },
} as const;

/** Until `use` is called, all links are fast, so that migrations take no time. */
export async function startHosts({ leaseMs, seed }: HostsOptions): Promise<Hosts> {
  return await startTogether(async (closing) => {
    const network = await Network.start(['PostgreSQL', 'A', 'B', 'E1', 'E2', 'E3'], seed);
    closing(() => network.stop());
    const postgres = await startPostgres([], postgresHost(network));
    closing(() => postgres.stop());
    const { url, directory } = await postgresDatabase(postgres.url);
    const instances: Server[] = [];
    for (const name of ['A', 'B'] as const) {
      const { host, listening } = serverHost(network, name);
      const environment = { DATABASE_URL: url, VERIFY_LEASE_MS: String(leaseMs), ...listening, ...environments[name] };
      const instance = await Server.service({ name, directory, host, environment });
      closing(() => instance.stop());
      instances.push(await instance.start());
    }
    const edges: Server[] = [];
    for (const name of ['E1', 'E2', 'E3'] as const) {
      const { host, listening } = serverHost(network, name);
      const urls = upstreams[name].flatMap((upstream) => instances.filter((one) => one.name === upstream));
      const environment = { LATCHKEY_FEED_TOKEN: feedToken, ...listening, ...environments[name] };
      const edge = await Server.startEdge(
        urls.map(({ verifyUrl }) => verifyUrl),
        environment,
        name,
        host,
      );
      closing(() => edge.stop());
      edges.push(edge);
    }
    const links = [
      ...instances.map(({ name }) => new Link(network, name, 'PostgreSQL')),
      ...Object.entries(upstreams).flatMap(([edge, names]) => names.map((name) => new Link(network, edge, name))),
    ];
    const use = async (quality: Quality) => {
      for (const link of links) await link.use(quality);
    };
    return { instances, edges, links, use };
  });
}

function postgresHost(network: Network): Host {
  const { address, launcher } = network.place('PostgreSQL');
  const { uid, gid } = serverUser;
  return { address, launcher: [...launcher, `--setuid=${uid}`, `--setgid=${gid}`] };
}

function serverHost(network: Network, name: string) {
  const { address, launcher } = network.place(name);
  const host: Host = { address, launcher, token: feedToken };
  return { host, listening: { HOST: address, VERIFY_HOST: address, FEED_TOKENS: feedToken } };
}
