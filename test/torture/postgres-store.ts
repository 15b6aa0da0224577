/** A PostgreSQL of the run's own, and three instances on it: one with two verification processes, one with a tiny cache, one by a proxy. */
import { startPostgres, type TemporaryPostgres } from '../support/embedded-postgres.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { type Instances, startInstances } from './instances.ts';

export interface PostgresStore {
  readonly postgres: TemporaryPostgres;
  readonly url: string;
  readonly proxy: TcpProxy;
  /** By the proxy, and the name of the instance that goes that way. */
  readonly proxiedUrl: string;
  readonly proxied: string;
}

export interface PostgresInstances extends Instances {
  readonly store: PostgresStore;
}

export async function startPostgresInstances(environment: NodeJS.ProcessEnv = {}): Promise<PostgresInstances> {
  const postgres = await startPostgres();
  const proxy = await startTcpProxy(postgres.port);
  const stopStore = async () => {
    await proxy.stop();
    await postgres.stop();
  };
  const url = `${postgres.url}/postgres`;
  const proxiedUrl = url.replace(`:${postgres.port}/`, `:${proxy.port}/`);
  try {
    const instances = await startInstances([
      { name: 'A', databaseUrl: url, workers: 2, environment },
      { name: 'B', databaseUrl: url, environment: { ...environment, VERIFY_CACHE_KEYS: '16' } },
      { name: 'C', databaseUrl: proxiedUrl, environment },
    ]);
    return {
      all: instances.all,
      store: { postgres, url, proxy, proxiedUrl, proxied: 'C' },
      stop: async () => {
        await instances.stop();
        await stopStore();
      },
    };
  } catch (error) {
    await stopStore();
    throw error;
  }
}
