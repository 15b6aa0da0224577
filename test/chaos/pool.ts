/** The keys of a run, as its clients know them. */
import type { PresentedKey } from '../harness/key-choices.ts';
import type { KeyState } from '../harness/key-model.ts';
import type { Random } from '../harness/random.ts';

export class Key implements PresentedKey {
  /** Its name in the history. */
  readonly label: string;
  readonly id: string;
  readonly env: string;
  readonly prefix: string;
  /** All secrets that were issued, in order. */
  readonly secrets: string[];
  readonly signingSecrets: string[] = [];
  /** Who is responsible for it: the actor of its creation. */
  readonly creator: string;
  /** The fence that covers it. */
  fenceId: string | null = null;
  /** After the last change, which may not have been made. */
  state: KeyState;

  constructor(label: string, id: string, secret: string, creator: string, state: KeyState) {
    this.label = label;
    this.id = id;
    this.env = state.env;
    this.prefix = state.prefix;
    this.secrets = [secret];
    this.creator = creator;
    this.state = state;
  }
}

/** The number of keys that are still verified after their last change: a VALID must not reappear. */
const rememberedKeys = 60;
/** This many of the newest keys are shared as often as all older ones together. */
const youngKeys = 30;

export class Pool {
  readonly #random: Random;
  readonly #idle: Key[] = [];
  readonly #changing = new Set<Key>();
  readonly #retired: Key[] = [];
  /** Also those that are no longer presented. */
  readonly every: Key[] = [];
  #labels = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Keys that can still be changed. */
  get size(): number {
    return this.#idle.length + this.#changing.size;
  }

  /** Returns a new name for a key in the history. */
  nextLabel(): string {
    this.#labels += 1;
    return `key ${this.#labels}`;
  }

  add(key: Key): void {
    this.every.push(key);
    this.#idle.push(key);
  }

  /** For one client alone, until it is put back or retired. */
  take(): Key | null {
    const [key] = this.#idle.splice(this.#random.whole(0, this.#idle.length - 1), 1);
    if (key === undefined) return null;
    this.#changing.add(key);
    return key;
  }

  putBack(key: Key): void {
    this.#changing.delete(key);
    this.#idle.push(key);
  }

  /** Never to be changed again. */
  retire(key: Key): void {
    this.#changing.delete(key);
    this.#retired.push(key);
    if (this.#retired.length > rememberedKeys) this.#retired.shift();
  }

  /** A key that several clients may change at the same time. */
  share(): Key | null {
    if (this.#idle.length === 0) return null;
    return this.#random.pick(this.#random.chance(0.5) ? this.#idle.slice(-youngKeys) : this.#idle);
  }

  /** Any key to verify, above all those that are being changed. */
  any(): Key {
    const random = this.#random;
    if (this.#changing.size > 0 && random.chance(0.5)) return random.pick([...this.#changing]);
    if (this.#retired.length > 0 && random.chance(0.2)) return random.pick(this.#retired);
    const changeable = this.#idle.length > 0 ? this.#idle : [...this.#changing];
    return random.pick(changeable.length > 0 ? changeable : this.#retired);
  }
}
