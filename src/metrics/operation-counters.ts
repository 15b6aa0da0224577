import type { ErrorCode } from '../domain/errors.ts';

export type OperationOutcome = 'OK' | ErrorCode;

/** Counts GraphQL and REST operations by outcome and by schema field, never by a name that the caller chose. */
export class OperationCounters {
  readonly #counts = new Map<string, Map<OperationOutcome, number>>();

  add(operation: string, outcome: OperationOutcome): void {
    const counts = this.#counts.get(operation) ?? new Map<OperationOutcome, number>();
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    this.#counts.set(operation, counts);
  }

  count(outcome: OperationOutcome): number {
    return [...this.#counts.values()].reduce((sum, counts) => sum + (counts.get(outcome) ?? 0), 0);
  }

  *[Symbol.iterator]() {
    for (const [operation, counts] of this.#counts) {
      for (const [outcome, count] of counts) yield { operation, outcome, count };
    }
  }
}
