/**
 * The keys that changed recently, from the confirmation rounds of this process. Edges get changes from this log instead
 * of the store, so that more edges do not add to the load of the store.
 */
import { hash } from 'node:crypto';
import type { StoreSnapshot } from '../store/feed/key-feed.ts';

const maxRemembered = 10_000;
/**
 * The maximum number of changed keys in an answer. With more changes, the answer tells the edge to
 * clear its cache. So answers stay below 64 kB, the limit of an edge (client/local/feed-source.ts).
 */
const maxListed = 1000;

interface Round {
  readonly revision: number;
  readonly keyIds: readonly string[];
}

export interface ChangesSince {
  readonly clear: boolean;
  /** The ids of the changed keys. */
  readonly changed: readonly string[];
}

const unknown: ChangesSince = { clear: true, changed: [] };
const none: ChangesSince = { clear: false, changed: [] };

export class RecentChanges {
  readonly #ring: string;
  #epoch: string | null = null;
  #epochName = '';
  /** How often the database was restored to an earlier state. */
  #returns = 0;
  /** The log has all changes after the revision `from`, up to the revision `to`. */
  #from = 0;
  #to = 0;
  #rounds: Round[] = [];
  #size = 0;

  /** @param ring names the keys of tokens: without one of them, edges must not keep what they have by it */
  constructor(ring = '') {
    this.#ring = ring;
  }

  /** The state of the last confirmation round, as text. */
  get cursor(): string {
    return `${this.#epochName}.${this.#to}`;
  }

  /** @param since the revision after which the snapshot has all changes; null for a snapshot without changes */
  add(since: number | null, { epoch, revision, overflow, fences, keys }: StoreSnapshot): void {
    // A fence can concern any number of keys, so edges drop all of them. They know no fences, but get what rows say.
    if (overflow || fences !== null || since === null || epoch !== this.#epoch || since !== this.#to) {
      this.#restart(epoch, revision);
      return;
    }
    if (revision === since) return;
    const changed = keys.filter((key) => key.revision > since);
    const keyIds = [...new Set(changed.map(({ id }) => id))];
    this.#rounds.push({ revision, keyIds });
    this.#size += keyIds.length;
    this.#to = revision;
    this.#trim();
  }

  /** Returns the revision of a cursor of this database; null for any other, also of a state that was not there yet. */
  revisionOf(cursor: string | null): number | null {
    const [, name, digits] = /^([\w-]{22})\.(\d{1,15})$/.exec(cursor ?? '') ?? [];
    return name === this.#epochName && Number(digits) <= this.#to ? Number(digits) : null;
  }

  since(cursor: string | null): ChangesSince {
    const revision = this.revisionOf(cursor);
    if (revision === null || revision < this.#from) return unknown;
    if (revision === this.#to) return none;
    // Includes all changes of a round that spans the revision.
    const rounds = this.#rounds.slice(this.#rounds.findLastIndex((round) => round.revision <= revision) + 1);
    const keyIds = [...new Set(rounds.flatMap((round) => round.keyIds))];
    return keyIds.length > maxListed ? unknown : { clear: false, changed: keyIds };
  }

  #restart(epoch: string, revision: number): void {
    // A lower revision means that the database was restored. Older cursors then refer to another state.
    if (epoch === this.#epoch && revision < this.#to) this.#returns += 1;
    const name = [epoch, this.#ring, this.#returns].join(' ');
    this.#epochName = hash('sha256', name, 'base64url').slice(0, 22);
    this.#epoch = epoch;
    this.#rounds = [];
    this.#size = 0;
    this.#from = revision;
    this.#to = revision;
  }

  #trim(): void {
    let dropped = 0;
    for (const round of this.#rounds) {
      if (this.#size <= maxRemembered && this.#rounds.length - dropped <= maxRemembered) break;
      this.#size -= round.keyIds.length;
      this.#from = round.revision;
      dropped += 1;
    }
    if (dropped > 0) this.#rounds = this.#rounds.slice(dropped);
  }
}
