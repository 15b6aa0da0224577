/** What verification reads and records. Uses drivers directly: Prisma would double the memory use and start time. */
import type { DatabaseAddress } from '../../lib/database-address.ts';
import type { KeyFeed } from './key-feed.ts';
import type { MonotonicClock, Nonces } from './nonces.ts';
import { openPostgresKeyFeed } from './postgres-key-feed.ts';
import { openPostgresNonces } from './postgres-nonces.ts';
import { openSqliteKeyFeed } from './sqlite-key-feed.ts';
import { openSqliteNonces } from './sqlite-nonces.ts';

export function openKeyFeed(address: DatabaseAddress): KeyFeed {
  return address.provider === 'sqlite' ? openSqliteKeyFeed(address.file) : openPostgresKeyFeed(address.url);
}

export function openNonces(address: DatabaseAddress, clock: MonotonicClock = () => performance.now()): Nonces {
  return address.provider === 'sqlite' ? openSqliteNonces(address.file, clock) : openPostgresNonces(address.url, clock);
}
