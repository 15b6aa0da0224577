/** The verifications that wait for an answer. Each one is decided or fails within the timeout. */
import type { FeedMismatch } from '../../wire/feed-messages.ts';
import { VerifierUnavailableError } from '../verdict.ts';
import type { LocalKey } from './local-key.ts';

/** What a presented key matches. */
export type LocalMatch = LocalKey | FeedMismatch;

export interface Waiter {
  readonly secret: string;
  /** The SHA-256 of the secret, which is its name in the cache; null when no key is asked for. */
  readonly presented: string | null;
  /** Whether the secret has the format of the service. Others can only be imported keys. */
  readonly isOurs: boolean;
  /** When the verification arrived, on the clock of the waiters. */
  readonly arrivedAt: number;
  /** What it matches, if that needs no state: a text that can't be a key is malformed. */
  readonly match?: LocalMatch;
  readonly decide: (match: LocalMatch) => void;
  readonly fail: (error: unknown) => void;
}

export class Waiters {
  readonly #timeoutMs: number;
  readonly #now: () => number;
  /** Those that wait for the next question, and those that wait for the answer to the last one, as they arrived. */
  #waiting: Waiter[] = [];
  #asked: Waiter[] = [];
  #expiry: NodeJS.Timeout | null = null;

  constructor(timeoutMs: number, now: () => number) {
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** Whether a question must be sent. */
  get wait(): boolean {
    return this.#waiting.length > 0;
  }

  add(waiter: Waiter): void {
    this.#waiting.push(waiter);
    this.#expiry ??= this.#expireAt(waiter.arrivedAt);
  }

  /** Takes those that the next question is for. The others wait for the one after that. */
  ask(isServed: (waiter: Waiter) => boolean): void {
    const left: Waiter[] = [];
    for (const waiter of this.#waiting) (isServed(waiter) ? this.#asked : left).push(waiter);
    this.#waiting = left;
  }

  takeWaiting(): readonly Waiter[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** Returns those that the last question was for, except those that have failed since. */
  takeAsked(): readonly Waiter[] {
    const asked = this.#asked;
    this.#asked = [];
    return asked;
  }

  /** Lets those wait for the next question, before all others. */
  postpone(waiters: readonly Waiter[]): void {
    if (waiters.length > 0) this.#waiting = [...waiters, ...this.#waiting];
  }

  failAll(error: unknown): void {
    const all = [...this.takeAsked(), ...this.#waiting];
    this.#waiting = [];
    if (this.#expiry !== null) clearTimeout(this.#expiry);
    this.#expiry = null;
    for (const waiter of all) fail(waiter, error);
  }

  #expireAt(arrivedAt: number): NodeJS.Timeout {
    const rest = arrivedAt + this.#timeoutMs - this.#now();
    // It must not keep the process alive when nothing waits.
    return setTimeout(() => this.#expire(), Math.max(0, rest)).unref();
  }

  /** Fails those whose time is over. */
  #expire(): void {
    const deadline = this.#now() - this.#timeoutMs;
    const isOver = ({ arrivedAt }: Waiter) => arrivedAt <= deadline;
    const over = [...this.#asked.filter(isOver), ...this.#waiting.filter(isOver)];
    this.#asked = this.#asked.filter((waiter) => !isOver(waiter));
    this.#waiting = this.#waiting.filter((waiter) => !isOver(waiter));
    // Not the heads: those that were postponed, and those that did not fit into a question, are in no common order.
    const earliest = [...this.#asked, ...this.#waiting].reduce((time, one) => Math.min(time, one.arrivedAt), Infinity);
    this.#expiry = earliest === Infinity ? null : this.#expireAt(earliest);
    if (over.length === 0) return;
    const error = new VerifierUnavailableError(`There is no verdict: it took longer than ${this.#timeoutMs} ms`);
    for (const waiter of over) fail(waiter, error);
  }
}

/** An error in one verification must not affect the others. */
export function decide(waiter: Waiter, match: LocalMatch): void {
  try {
    waiter.decide(match);
  } catch (error) {
    fail(waiter, error);
  }
}

/** Calls back. What the callback throws has no other receiver, and must not disturb the order of the questions. */
export function fail(waiter: Waiter, error: unknown): void {
  try {
    waiter.fail(error);
  } catch {
    // Nobody else can be told.
  }
}
