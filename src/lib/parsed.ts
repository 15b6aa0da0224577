/** The result of a parser: the parsed value, or what was expected instead. */
export type Parsed<T> = Accepted<T> | { readonly ok: false; readonly problem: string };

export interface Accepted<T> {
  readonly ok: true;
  readonly value: T;
}

export function accepted<T>(value: T): Accepted<T> {
  return { ok: true, value };
}

export function rejected(problem: string): Parsed<never> {
  return { ok: false, problem };
}
