/** The keys of a run, with their changes. */

import { random } from '../../load/random.ts';
import type { KeyState } from '../../proof/history/format.ts';
import type { Change, KeyChanges } from './records.ts';

export class TortureKey implements KeyChanges {
  /** Its name in the history. */
  readonly label: string;
  readonly id: string;
  /** All secrets that were issued, in order. */
  readonly secrets: string[];
  readonly prefix: string;
  readonly env: string;
  readonly changes: Change[];
  /** As `secrets`. */
  readonly signingSecrets: string[] = [];

  constructor(label: string, id: string, secret: string, prefix: string, creation: Change) {
    this.label = label;
    this.id = id;
    this.secrets = [secret];
    this.prefix = prefix;
    this.env = creation.after.env;
    this.changes = [creation];
  }

  /** The state after the last change, which may not have been made. */
  get state(): KeyState {
    const last = this.changes.at(-1);
    if (last === undefined) throw new Error('a key without its creation');
    return last.after;
  }
}

/** The number of keys that are still verified after their last change: a VALID must not reappear. */
const rememberedKeys = 60;

export class Pool {
  /** Every key there ever was. */
  readonly all: TortureKey[] = [];
  readonly #idle: TortureKey[] = [];
  readonly #changing = new Set<TortureKey>();
  readonly #retired: TortureKey[] = [];
  #labels = 0;

  /** Keys that can still be changed. */
  get size(): number {
    return this.#idle.length + this.#changing.size;
  }

  /** Returns a new name for a key in the history. */
  nextLabel(): string {
    this.#labels += 1;
    return `key ${this.#labels}`;
  }

  add(key: TortureKey): void {
    this.all.push(key);
    this.#idle.push(key);
  }

  /** For one changer alone, until it is put back or retired. */
  take(): TortureKey | null {
    const [key] = this.#idle.splice(random.whole(0, this.#idle.length - 1), 1);
    if (key === undefined) return null;
    this.#changing.add(key);
    return key;
  }

  putBack(key: TortureKey): void {
    this.#changing.delete(key);
    this.#idle.push(key);
  }

  /** Never to be changed again. */
  retire(key: TortureKey): void {
    this.#changing.delete(key);
    this.#retired.push(key);
    if (this.#retired.length > rememberedKeys) this.#retired.shift();
  }

  /** Any key to verify, above all those that are being changed. */
  any(): TortureKey {
    if (this.#changing.size > 0 && random.chance(0.5)) return random.pick([...this.#changing]);
    if (this.#retired.length > 0 && random.chance(0.2)) return random.pick(this.#retired);
    const changeable = this.#idle.length > 0 ? this.#idle : [...this.#changing];
    return random.pick(changeable.length > 0 ? changeable : this.#retired);
  }
}
