/**
 * What verification reads and records. Uses drivers directly: Prisma would double the memory use and start time. Every
 * failure is UNAVAILABLE, whatever its reason: without the state of the keys, there is no verdict. The cause is for the log.
 */
import type { DatabaseAddress } from '../../lib/database-address.ts';
import { storeDoesNotAnswer } from '../store-does-not-answer.ts';
import type { KeyFeed } from './key-feed.ts';
import type { MonotonicClock, Nonces } from './nonces.ts';
import { openPostgresKeyFeed } from './postgres-key-feed.ts';
import { openPostgresNonces } from './postgres-nonces.ts';
import { openSqliteKeyFeed } from './sqlite-key-feed.ts';
import { openSqliteNonces } from './sqlite-nonces.ts';

export function openKeyFeed(address: DatabaseAddress): KeyFeed {
  const feed = address.provider === 'sqlite' ? openSqliteKeyFeed(address.file) : openPostgresKeyFeed(address.url);
  return { read: answered(feed.read), close: feed.close };
}

export function openNonces(address: DatabaseAddress, clock: MonotonicClock = () => performance.now()): Nonces {
  const { claim, has, purge, close } =
    address.provider === 'sqlite' ? openSqliteNonces(address.file, clock) : openPostgresNonces(address.url, clock);
  return { claim: answered(claim), has: answered(has), purge: answered(purge), close };
}

/** Fails in the same way as `call`, synchronously or not. */
function answered<Args extends readonly unknown[], Answer>(call: (...args: Args) => Answer): (...args: Args) => Answer {
  const fail = (cause: unknown): never => {
    throw storeDoesNotAnswer(cause);
  };
  return (...args) => {
    try {
      const answer = call(...args);
      return answer instanceof Promise ? (answer.catch(fail) as Answer) : answer;
    } catch (error) {
      return fail(error);
    }
  };
}
