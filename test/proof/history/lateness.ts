/** How late verdicts on old states of a key are. */
import { partsOf, textOf, verdictOf } from './rules.ts';
import { isBefore, type State } from './states.ts';
import type { AnsweredVerification } from './violation.ts';

/** Replaced states that give the same verdict, newest last. Only those are kept that a newer one does not make useless. */
interface Sources {
  /** By `mustExpireAt`, greatest first: a state gives the verdict to requests that start before. */
  readonly unexpired: State[];
  /** By `mayExpireAt`, least first: a state gives the verdict to requests that end then or later. */
  readonly expired: State[];
}

interface Kind {
  readonly byVerdict: Map<string, Sources>;
  /** The index of the first state that is not in the map. */
  next: number;
}

/** Bounds the time: each state is evaluated for each kind. */
const maxKinds = 20;

/**
 * Finds the newest old state that gives the verdict of a violation, in logarithmic time. A kind of violations is one of
 * requests, and the parts of the verdict that were observed. Only the first 20 kinds of each key are measured.
 */
export class Lateness {
  readonly #kinds = new Map<string, Kind>();

  /** How long before the start the state had been replaced; 0 without such a state. No other state may explain it. */
  lateMsOf({ request, verdict, started, ended }: AnsweredVerification, states: readonly State[]): number {
    const parts = partsOf(verdict);
    const kind = this.#kind(JSON.stringify([request, parts]));
    if (kind === null) return 0;
    for (let state = states[kind.next]; state !== undefined; state = states[kind.next]) {
      if (isBefore(started, state.replaced)) break;
      add(kind, textOf(verdictOf(state.after, request, false), parts), 'unexpired', state);
      if (state.after.expiresAt !== null) {
        add(kind, textOf(verdictOf(state.after, request, true), parts), 'expired', state);
      }
      kind.next += 1;
    }
    const sources = kind.byVerdict.get(textOf(verdict, parts));
    if (sources === undefined) return 0;
    const newest = [
      lastWhere(sources.unexpired, ({ mustExpireAt }) => started.at < mustExpireAt),
      lastWhere(sources.expired, ({ mayExpireAt }) => mayExpireAt <= ended),
    ];
    const late = newest.flatMap((state) => (state === undefined ? [] : [started.at - state.replaced.at]));
    return late.length === 0 ? 0 : Math.min(...late);
  }

  #kind(name: string): Kind | null {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    if (this.#kinds.size === maxKinds) return null;
    const kind: Kind = { byVerdict: new Map(), next: 0 };
    this.#kinds.set(name, kind);
    return kind;
  }
}

function add({ byVerdict }: Kind, verdict: string, which: keyof Sources, state: State): void {
  const sources = byVerdict.get(verdict) ?? { unexpired: [], expired: [] };
  byVerdict.set(verdict, sources);
  const isUseless =
    which === 'unexpired'
      ? (older: State) => older.mustExpireAt <= state.mustExpireAt
      : (older: State) => older.mayExpireAt >= state.mayExpireAt;
  const list = sources[which];
  for (let last = list.at(-1); last !== undefined && isUseless(last); last = list.at(-1)) list.pop();
  list.push(state);
}

/** The last one that passes. Those that pass are at the beginning of the list. */
function lastWhere(list: readonly State[], passes: (state: State) => boolean): State | undefined {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const state = list[middle];
    if (state !== undefined && passes(state)) low = middle + 1;
    else high = middle;
  }
  return list[low - 1];
}
