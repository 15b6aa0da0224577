/** The result of a parser: the parsed value, or what was expected instead. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export function accepted<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

export function rejected(problem: string): Parsed<never> {
  return { ok: false, problem };
}
