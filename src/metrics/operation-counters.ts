import type { ErrorCode } from '../domain/errors.ts';

export type OperationOutcome = 'OK' | ErrorCode;

export interface CountedOperation {
  readonly operation: string;
  readonly outcome: OperationOutcome;
  readonly count: number;
}

/**
 * Counts the operations of the control plane over GraphQL and REST, by outcome. An operation is a field of the schema's
 * Query or Mutation, never a name that a caller chose.
 */
export class OperationCounters {
  readonly #counts = new Map<string, Map<OperationOutcome, number>>();

  add(operation: string, outcome: OperationOutcome): void {
    let counts = this.#counts.get(operation);
    if (counts === undefined) {
      counts = new Map();
      this.#counts.set(operation, counts);
    }
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  /** Of all operations together. */
  count(outcome: OperationOutcome): number {
    let sum = 0;
    for (const counts of this.#counts.values()) sum += counts.get(outcome) ?? 0;
    return sum;
  }

  *[Symbol.iterator](): Generator<CountedOperation> {
    for (const [operation, counts] of this.#counts) {
      for (const [outcome, count] of counts) yield { operation, outcome, count };
    }
  }
}
