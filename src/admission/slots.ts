import { FairQueue } from './fair-queue.ts';

export interface Share {
  /** A team, a caller or an address. */
  readonly holder: string;
  readonly maxSlots: number;
}

export type Release = () => void;

export type SlotAnswer =
  | { readonly outcome: 'taken'; readonly release: Release }
  /** All slots are taken, or the holder has used its share. */
  | { readonly outcome: 'full' | 'share used' };

interface Waiting {
  readonly share: Share;
  readonly weight: number;
  readonly start: (release: Release) => void;
}

/**
 * Limits what runs at the same time to a number of slots, of which each holder gets a limited share. What runs takes one
 * slot, or as many as its weight, such as the cost of an operation. It takes them at once or not at all (`take`), or
 * waits: first for its holder's share, in the order in which its holder asked, then for free slots, for which holders
 * take turns. So a holder delays another one by at most its share. A weight above the share or above the free slots
 * starts too, the former if its holder has nothing else, the latter if a slot is free, so that nothing waits forever.
 */
export class Slots {
  readonly #maxSlots: number;
  /** The slots of each holder's share, those that wait for a free slot included. */
  readonly #byHolder = new Map<string, number>();
  readonly #behindShare = new Map<string, Waiting[]>();
  readonly #queue = new FairQueue<Waiting>();
  #taken = 0;
  #waiting = 0;

  /** Default: only the shares are limited. */
  constructor(maxSlots = Number.POSITIVE_INFINITY) {
    this.#maxSlots = maxSlots;
  }

  get isFull(): boolean {
    return this.#taken >= this.#maxSlots;
  }

  /** The number of calls of `wait` that have not started. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The number of them that wait for the holder's share. */
  waitingForShare(holder: string): number {
    return this.#behindShare.get(holder)?.length ?? 0;
  }

  /** Takes one slot, which counts against each of the shares. */
  take(shares: readonly Share[]): SlotAnswer {
    if (!shares.every((share) => this.#fits(share, 1))) return { outcome: 'share used' };
    if (this.isFull) return { outcome: 'full' };
    for (const { holder } of shares) this.#count(holder, 1);
    this.#taken += 1;
    let isTaken = true;
    const release = () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken -= 1;
      for (const { holder } of shares) this.#leaveShare(holder, 1);
      this.#startNext();
    };
    return { outcome: 'taken', release };
  }

  /**
   * Calls `start`, which must not throw, as soon as it may run, at once if it can. Returns a function that gives up, for
   * example when the client disconnects: if it has not started, it then never starts.
   */
  wait(share: Share, start: (release: Release) => void, weight = 1): () => void {
    // Whole, because sums of fractions do not return to exactly 0 when everything has ended.
    const waiting: Waiting = { share, weight: Math.ceil(weight), start };
    const behind = this.#behindShare.get(share.holder);
    this.#waiting += 1;
    if (behind !== undefined) behind.push(waiting);
    else if (this.#fits(share, weight)) this.#enterShare(waiting);
    else this.#behindShare.set(share.holder, [waiting]);
    this.#startNext();
    return () => this.#giveUp(waiting);
  }

  /** Runs work when it may run. `end` can release its slot later. */
  async run<Result>(
    share: Share,
    work: () => Promise<Result>,
    end = (release: Release): void => release(),
  ): Promise<Result> {
    const release = await new Promise<Release>((resolve) => this.wait(share, resolve));
    try {
      return await work();
    } finally {
      end(release);
    }
  }

  #fits({ holder, maxSlots }: Share, weight: number): boolean {
    const held = this.#byHolder.get(holder) ?? 0;
    return held === 0 || held + weight <= maxSlots;
  }

  #count(holder: string, change: number): void {
    const held = (this.#byHolder.get(holder) ?? 0) + change;
    if (held === 0) this.#byHolder.delete(holder);
    else this.#byHolder.set(holder, held);
  }

  #enterShare(waiting: Waiting): void {
    this.#count(waiting.share.holder, waiting.weight);
    this.#queue.push(waiting.share.holder, waiting);
  }

  #leaveShare(holder: string, weight: number): void {
    this.#count(holder, -weight);
    this.#enterNext(holder);
  }

  #enterNext(holder: string): void {
    const behind = this.#behindShare.get(holder);
    for (;;) {
      const [next] = behind ?? [];
      if (behind === undefined || next === undefined || !this.#fits(next.share, next.weight)) return;
      behind.shift();
      if (behind.length === 0) this.#behindShare.delete(holder);
      this.#enterShare(next);
    }
  }

  #startNext(): void {
    while (!this.isFull) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#start(next);
    }
  }

  #start({ share, weight, start }: Waiting): void {
    this.#waiting -= 1;
    this.#taken += weight;
    let isTaken = true;
    start(() => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken -= weight;
      this.#leaveShare(share.holder, weight);
      this.#startNext();
    });
  }

  #giveUp(waiting: Waiting): void {
    const { share, weight } = waiting;
    const behind = this.#behindShare.get(share.holder);
    const place = behind?.indexOf(waiting) ?? -1;
    if (place >= 0) {
      behind?.splice(place, 1);
      if (behind?.length === 0) this.#behindShare.delete(share.holder);
      this.#enterNext(share.holder);
    } else if (this.#queue.remove(share.holder, waiting)) this.#leaveShare(share.holder, weight);
    else return;
    this.#waiting -= 1;
    this.#startNext();
  }
}
