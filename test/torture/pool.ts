/** The keys of a run, with everything that was done to them. */
import { random } from '../load/random.ts';
import type { Change, Env, KeyHistory, KeyState, Verification } from './history.ts';

export class TortureKey implements KeyHistory {
  readonly id: string;
  /** All secrets that were issued, in order. */
  readonly secrets: string[];
  readonly prefix: string;
  readonly env: Env;
  readonly changes: Change[];
  readonly verifications: Verification[] = [];
  /** As `secrets`. */
  readonly signingSecrets: string[] = [];

  constructor(id: string, secret: string, prefix: string, creation: Change) {
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
  /** Every key there ever was, for the checker. */
  readonly all: TortureKey[] = [];
  readonly #idle: TortureKey[] = [];
  readonly #changing = new Set<TortureKey>();
  readonly #retired: TortureKey[] = [];

  /** Keys that can still be changed. */
  get size(): number {
    return this.#idle.length + this.#changing.size;
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
