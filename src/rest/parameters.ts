/** The parameters of lists, which GraphQL names differently. */
import { badInput, LatchkeyError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

export function parseLimit(text: string): Parsed<number> {
  return /^\d{1,9}$/.test(text)
    ? accepted(Number(text))
    : rejected(`must be a whole number from 1 to ${limits.pageSize}`);
}

/** Runs an operation, in whose errors the arguments get the names of the parameters. */
export async function namingParameters<Result>(
  names: Readonly<Partial<Record<string, string>>>,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof LatchkeyError) || error.code !== 'BAD_USER_INPUT') throw error;
    throw badInput(error.fields.map(({ field, message }) => ({ field: names[field] ?? field, message })));
  }
}
