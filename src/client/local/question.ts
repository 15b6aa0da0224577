import { maxFeedKeys } from '../../wire/feed-messages.ts';
import type { LocalCache } from './local-cache.ts';
import type { Waiters } from './waiters.ts';

/** What is asked for. */
export interface Question {
  readonly keys: readonly string[];
  /** The index of each presented key among them. */
  readonly indexes: ReadonlyMap<string, number>;
}

/** Asks for all verifications that wait, except those for whose keys there is no space in the question. */
export function nextQuestion(
  waiters: Waiters,
  cache: LocalCache,
  imports: boolean,
  lookedUp: (isCached: boolean) => void,
): Question {
  const indexes = new Map<string, number>();
  const keys: string[] = [];
  waiters.ask(({ presented, isOurs, secret }) => {
    if (presented === null || indexes.has(presented)) return true;
    // Without imports, a text in a foreign format is no key.
    const isKnown = cache.get(presented) !== undefined || (!isOurs && !imports);
    if (!isKnown && keys.length === maxFeedKeys) return false;
    lookedUp(isKnown);
    if (!isKnown) indexes.set(presented, keys.push(secret) - 1);
    return true;
  });
  return { keys, indexes };
}
