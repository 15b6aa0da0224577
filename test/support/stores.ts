import { readConfiguration } from '../../src/config/configuration.ts';
import { Store } from '../../src/store/store.ts';
import { type Provider, temporaryDatabase } from './databases.ts';
import type { TemporaryDatabase } from './temporary-database.ts';

export interface OpenStores {
  readonly database: TemporaryDatabase;
  readonly store: Store;
  /** A second instance. On SQLite the same one: two that write from one thread would wait for each other. */
  readonly other: Store;
  readonly stop: () => Promise<void>;
}

/** Opens stores on a database of their own, without a service. */
export async function openStores(provider: Provider): Promise<OpenStores> {
  const database = await temporaryDatabase(provider);
  const { DATABASE_URL } = readConfiguration({ DATABASE_URL: database.url });
  const store = await Store.open(DATABASE_URL);
  const other = provider === 'sqlite' ? store : await Store.open(DATABASE_URL);
  return {
    database,
    store,
    other,
    stop: async () => {
      if (other !== store) await other.close();
      await store.close();
      await database.remove();
    },
  };
}
