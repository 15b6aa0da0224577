/**
 * A queue that serves its holders (teams, callers, addresses) in turns, one item each (round robin). Under first come,
 * first served, a holder that queues many items would delay the items of all others.
 */
export class FairQueue<Item> {
  /** In the order of the turns. A holder without items has no entry, so memory follows the number of items. */
  readonly #byHolder = new Map<string, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(holder: string, item: Item): void {
    this.#length += 1;
    const items = this.#byHolder.get(holder);
    if (items === undefined) this.#byHolder.set(holder, [item]);
    else items.push(item);
  }

  /** Removes and returns the next item. Its holder then waits until all others have had a turn. */
  shift(): Item | undefined {
    const next = this.#byHolder.entries().next();
    if (next.done) return undefined;
    const [holder, items] = next.value;
    const item = items.shift();
    this.#length -= 1;
    this.#byHolder.delete(holder);
    if (items.length > 0) this.#byHolder.set(holder, items);
    return item;
  }

  /** Removes an item that no longer waits, such as that of a client that has disconnected. Returns whether it waited. */
  remove(holder: string, item: Item): boolean {
    const items = this.#byHolder.get(holder);
    const place = items?.indexOf(item) ?? -1;
    if (items === undefined || place < 0) return false;
    items.splice(place, 1);
    this.#length -= 1;
    if (items.length === 0) this.#byHolder.delete(holder);
    return true;
  }
}
