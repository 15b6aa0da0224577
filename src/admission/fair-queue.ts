/** One turn in so many goes to a holder that was served lately, so that a stream of new holders can't block all others. */
const turnsOfNewHolders = 8;

/**
 * A queue that serves its holders (teams, callers, addresses) in turns, one item each (round robin), so that a holder with
 * many items does not delay the others. Holders that had no turn in the current round go first, as the sparse flows of
 * FQ-CoDel do (RFC 8290, section 4.2), so that a holder that adds an item now and then waits only for others of its kind.
 */
export class FairQueue<Item> {
  /** Holders that had no turn in the current round, in the order in which they came. */
  readonly #new = new Map<string, Item[]>();
  /** Holders that had a turn, in the order of the next ones. One without items is forgotten when its turn comes. */
  readonly #served = new Map<string, Item[]>();
  #newInARow = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(holder: string, item: Item): void {
    this.#itemsOf(holder).push(item);
  }

  /** Puts an item back before the others of its holder. */
  unshift(holder: string, item: Item): void {
    this.#itemsOf(holder).unshift(item);
  }

  /** Returns the items of a holder, of which there will be one more. */
  #itemsOf(holder: string): Item[] {
    this.#length += 1;
    const waiting = this.#new.get(holder) ?? this.#served.get(holder);
    if (waiting !== undefined) return waiting;
    const items: Item[] = [];
    this.#new.set(holder, items);
    return items;
  }

  /** Removes and returns the next item. Its holder then waits until all others have had a turn. */
  shift(): Item | undefined {
    if (this.#length === 0) return undefined;
    const isServedTurn = this.#newInARow >= turnsOfNewHolders - 1;
    const item = (isServedTurn ? this.#takeServed() : undefined) ?? this.#takeNew() ?? this.#takeServed();
    this.#length -= 1;
    this.#forgetIfEmpty();
    return item;
  }

  /** Removes an item that no longer waits, such as that of a client that has disconnected. Returns whether it waited. */
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
