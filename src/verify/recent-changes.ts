/**
 * The keys that changed recently, from the confirmation rounds of this process. Edges learn changes from this log and
 * not from the store, so that their number does not add to the load of the store.
 */
import { hash } from 'node:crypto';
import type { Snapshot } from '../store/feed/key-feed.ts';
import { feedName } from './feed-row.ts';

/** How many changes are remembered. */
const maxRemembered = 10_000;
/**
 * An edge with more changed keys than this, or more names of imported ones, clears its cache. With fewer, an answer is
 * shorter than 64 kB, the limit of an edge (client/local/feed-source.ts).
 */
const maxListed = 1000;

interface Round {
  readonly revision: number;
  readonly keyIds: readonly string[];
  /** What the imported ones match, by the names that edges know. */
  readonly importNames: readonly string[];
}

export interface ChangesSince {
  readonly clear: boolean;
  /** The ids of the changed keys, and the names of what imported ones match. */
  readonly changed: readonly string[];
  /** Whether an imported key has changed. */
  readonly imports: boolean;
}

const unknown: ChangesSince = { clear: true, changed: [], imports: false };
const none: ChangesSince = { clear: false, changed: [], imports: false };

export class RecentChanges {
  #epoch: string | null = null;
  #epochName = '';
  /** How often the database has returned to an earlier state. */
  #returns = 0;
  /** All changes after the first revision, up to the second one, are in the log. */
  #from = 0;
  #to = 0;
  #rounds: Round[] = [];
  #size = 0;

  /** The state of the last confirmation round, as text. */
  get cursor(): string {
    return `${this.#epochName}.${this.#to}`;
  }

  /** Adds a snapshot that was read for the changes since this revision; null when it was read for none. */
  add(since: number | null, { epoch, revision, overflow, keys }: Snapshot): void {
    if (overflow || since === null || epoch !== this.#epoch || since !== this.#to) {
      this.#restart(epoch, revision);
      return;
    }
    if (revision === since) return;
    const changed = keys.filter((key) => key.revision > since);
    const imported = changed.filter(({ importRevision }) => importRevision !== null);
    const importNames = imported.map(({ digest }) => feedName(digest));
    const keyIds = [...new Set(changed.map(({ id }) => id))];
    this.#rounds.push({ revision, keyIds, importNames });
    this.#size += keyIds.length;
    this.#to = revision;
    this.#trim();
  }

  since(cursor: string | null): ChangesSince {
    const [, name, digits] = /^([\w-]{22})\.(\d{1,15})$/.exec(cursor ?? '') ?? [];
    const revision = Number(digits);
    if (name !== this.#epochName || !(revision >= this.#from && revision <= this.#to)) return unknown;
    if (revision === this.#to) return none;
    // A round that spans the revision counts as a whole.
    const rounds = this.#rounds.slice(this.#rounds.findLastIndex((round) => round.revision <= revision) + 1);
    const keyIds = [...new Set(rounds.flatMap((round) => round.keyIds))];
    const importNames = [...new Set(rounds.flatMap((round) => round.importNames))];
    if (keyIds.length > maxListed || importNames.length > maxListed) return unknown;
    return { clear: false, changed: [...keyIds, ...importNames], imports: importNames.length > 0 };
  }

  #restart(epoch: string, revision: number): void {
    // The revision goes back only when the database returns to an earlier state. Cursors from before mean another state.
    if (epoch === this.#epoch && revision < this.#to) this.#returns += 1;
    const name = this.#returns === 0 ? epoch : `${epoch} ${this.#returns}`;
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
