import { readConfiguration } from '../../src/config/configuration.ts';
import type { DatabaseProvider } from '../../src/lib/database-address.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryDatabase } from './databases.ts';

/** Opens stores on a database of their own, without a service. */
export async function openStores(provider: DatabaseProvider) {
  const database = await temporaryDatabase(provider);
  const { DATABASE_URL } = readConfiguration({ DATABASE_URL: database.url });
  const store = await Store.open(DATABASE_URL);
  // On SQLite the same one: two instances that write from one thread would wait for each other.
  const other = provider === 'sqlite' ? store : await Store.open(DATABASE_URL);
  return {
    database,
    store,
    /** A second instance. */
    other,
    stop: async () => {
      if (other !== store) await other.close();
      await store.close();
      await database.remove();
    },
  };
}
