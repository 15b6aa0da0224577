/** Served holders get at least one of this many turns, so that a stream of new holders can't block them. */
const turnsOfNewHolders = 8;

/**
 * A queue that serves its holders (teams, callers, addresses) in turns, one item each (round robin), so that a holder
 * with many items does not delay the others. Holders that had no turn in the current round go first, as sparse flows do
 * in FQ-CoDel (RFC 8290, section 4.2), so that a holder that rarely adds an item waits only for similar holders.
 */
export class FairQueue<Item> {
  /** Holders that had no turn in the current round, in the order in which they came. */
  readonly #new = new Map<string, Item[]>();
  /** Holders that had a turn, in the order of their next turns. At its turn, a holder without items is forgotten. */
  readonly #served = new Map<string, Item[]>();
  #newInARow = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** `isServed`: the holder had a turn a short time ago, also if the queue has forgotten it since. */
  push(holder: string, item: Item, isServed = false): void {
    this.#itemsOf(holder, isServed).push(item);
  }

  /** Puts an item back in front of its holder's other items. */
  unshift(holder: string, item: Item): void {
    this.#itemsOf(holder).unshift(item);
  }

  /** Returns the items of a holder. The caller must add one item. */
  #itemsOf(holder: string, isServed = false): Item[] {
    this.#length += 1;
    const waiting = this.#new.get(holder) ?? this.#served.get(holder);
    if (waiting !== undefined) return waiting;
    const items: Item[] = [];
    (isServed ? this.#served : this.#new).set(holder, items);
    return items;
  }

  /** Removes and returns the next item. The item's holder then waits until all other holders have had a turn. */
  shift(): Item | undefined {
    if (this.#length === 0) return undefined;
    const isServedTurn = this.#newInARow >= turnsOfNewHolders - 1;
    const item = (isServedTurn ? this.#takeServed() : undefined) ?? this.#takeNew() ?? this.#takeServed();
    this.#length -= 1;
    this.#forgetIfEmpty();
    return item;
  }

  /** Removes an item, for example because its client has disconnected. Returns whether the item was still waiting. */
  remove(holder: string, item: Item): boolean {
    const items = this.#new.get(holder) ?? this.#served.get(holder);
    const place = items?.indexOf(item) ?? -1;
    if (items === undefined || place < 0) return false;
    items.splice(place, 1);
    this.#length -= 1;
    if (items.length === 0) this.#new.delete(holder);
    this.#forgetIfEmpty();
    return true;
  }

  #forgetIfEmpty(): void {
    if (this.#length > 0) return;
    this.#served.clear();
    this.#newInARow = 0;
  }

  #takeNew(): Item | undefined {
    for (const [holder, items] of this.#new) {
      this.#new.delete(holder);
      this.#newInARow += 1;
      return this.#take(holder, items);
    }
    return undefined;
  }

  #takeServed(): Item | undefined {
    for (const [holder, items] of this.#served) {
      this.#served.delete(holder);
      if (items.length === 0) continue;
      this.#newInARow = 0;
      return this.#take(holder, items);
    }
    return undefined;
  }

  #take(holder: string, items: Item[]): Item | undefined {
    this.#served.set(holder, items);
    return items.shift();
  }
}
