/** Counters of verdicts in a plain array, which is fast to count in. */
import type { VerdictCount } from '../domain/verdict/verdict-code.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict/verdict-code.ts';

const indexes = Object.fromEntries(verdictCodes.map((code, i) => [code, i])) as Readonly<Record<VerdictCode, number>>;

export class VerdictCounts {
  readonly #counts = new Array<number>(verdictCodes.length).fill(0);

  add(code: VerdictCode, count = 1): void {
    const i = indexes[code];
    this.#counts[i] = (this.#counts[i] ?? 0) + count;
  }

  get total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** Returns the verdicts that were counted. */
  list(): VerdictCount[] {
    return verdictCodes.flatMap((code, i) => {
      const count = this.#counts[i] ?? 0;
      return count === 0 ? [] : [{ code, count }];
    });
  }
}
