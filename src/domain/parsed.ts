/** What a parser at the door answers: a value of the narrow type, or what was expected instead. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export function accepted<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

export function rejected(problem: string): Parsed<never> {
  return { ok: false, problem };
}
