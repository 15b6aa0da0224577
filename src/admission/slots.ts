/** Limits the number of concurrent calls to a number of slots, of which each holder gets a limited share. */

export interface Share {
  /** A caller or an address. */
  readonly holder: string;
  readonly maxSlots: number;
}

export type SlotAnswer =
  | { readonly outcome: 'taken'; readonly release: () => void }
  /** All slots are taken, or the holder has used its share. */
  | { readonly outcome: 'full' | 'share used' };

export class Slots {
  readonly #maxSlots: number;
  readonly #byHolder = new Map<string, number>();
  #taken = 0;

  constructor(maxSlots: number) {
    this.#maxSlots = maxSlots;
  }

  get isFull(): boolean {
    return this.#taken >= this.#maxSlots;
  }

  /** Takes one slot, which counts against each of the shares. */
  take(shares: readonly Share[]): SlotAnswer {
    if (shares.some(({ holder, maxSlots }) => this.#heldBy(holder) >= maxSlots)) return { outcome: 'share used' };
    if (this.isFull) return { outcome: 'full' };
    this.#count(shares, 1);
    let released = false;
    const release = () => {
      if (!released) this.#count(shares, -1);
      released = true;
    };
    return { outcome: 'taken', release };
  }

  #heldBy(holder: string): number {
    return this.#byHolder.get(holder) ?? 0;
  }

  #count(shares: readonly Share[], change: 1 | -1): void {
    this.#taken += change;
    for (const { holder } of shares) {
      const held = this.#heldBy(holder) + change;
      if (held === 0) this.#byHolder.delete(holder);
      else this.#byHolder.set(holder, held);
    }
  }
}
