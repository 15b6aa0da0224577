/** The results of a run. Printed and written to a file whenever one is known, so that a run that is interrupted has them. */
import { writeFileSync } from 'node:fs';
import { median } from '../../statistics.ts';
import type { Operation } from './operations.ts';

export interface Pair<Value> {
  readonly base: Value;
  readonly large: Value;
}

export interface Measured {
  readonly name: string;
  readonly unit: Operation['unit'];
  readonly base: number;
  readonly large: number;
  /** The median of the ratios of the rounds. */
  readonly ratio: number;
  readonly target: string;
  readonly met: boolean;
}

export function measuredOf({ name, unit, atMost }: Operation, rounds: readonly Pair<number>[]): Measured {
  const ratio = median(rounds.map(({ base, large }) => large / base));
  return {
    name,
    unit,
    base: median(rounds.map(({ base }) => base)),
    large: median(rounds.map(({ large }) => large)),
    ratio,
    target: atMost === undefined ? '' : `at most ${atMost} times`,
    met: atMost === undefined || ratio <= atMost,
  };
}

export class Results {
  readonly #file: string;
  readonly #values: Record<string, unknown>;
  readonly #measured: Measured[] = [];
  readonly #failures: string[] = [];

  constructor(file: string, values: Readonly<Record<string, unknown>>) {
    this.#file = file;
    this.#values = { ...values };
    this.#save();
  }

  get measured(): readonly Measured[] {
    return this.#measured;
  }

  get failures(): readonly string[] {
    return this.#failures;
  }

  addMeasured(measured: Measured, rounds: readonly Pair<number>[]): void {
    const { name, unit, base, large, ratio } = measured;
    console.log(`${name}: ${shown(base)} and ${shown(large)} ${unit}, ${ratio.toFixed(2)} times`);
    this.#measured.push(measured);
    this.#set(name, { ...measured, rounds });
    if (!measured.met) this.#failures.push(`${name}: ${ratio.toFixed(2)} times, expected ${measured.target}`);
  }

  /** Other operations are measured nevertheless. */
  addFailure(name: string, error: unknown): void {
    const text = error instanceof Error ? `${error.message}${causeOf(error)}` : String(error);
    console.log(`${name}: FAILED: ${text}`);
    this.#failures.push(`${name}: ${text}`);
    this.#set(name, { failed: text });
  }

  /** Adds what is only for explanation. Without it, the run goes on. */
  async note(name: string, read: () => unknown): Promise<void> {
    try {
      this.#set(name, await read());
    } catch (error) {
      this.addFailure(name, error);
    }
  }

  #set(name: string, value: unknown): void {
    this.#values[name] = value;
    this.#save();
  }

  print(): void {
    console.table(
      this.#measured.map(({ name, unit, base, large, ratio, target, met }) => ({
        measured: name,
        unit,
        base: shown(base),
        large: shown(large),
        ratio: ratio.toFixed(2),
        target,
        met,
      })),
    );
  }

  #save(): void {
    writeFileSync(this.#file, `${JSON.stringify(this.#values, null, 2)}\n`);
  }
}

export function shown(figure: number): string {
  return figure >= 100 ? figure.toFixed(0) : figure.toPrecision(3);
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? `: ${cause.message}` : '';
}
