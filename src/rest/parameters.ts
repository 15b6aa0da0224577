/** The parameters of lists, which GraphQL names differently. */
import { badInput, LatchkeyError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

export function parseLimit(text: string): Parsed<number> {
  return /^\d{1,9}$/.test(text)
    ? accepted(Number(text))
    : rejected(`must be a whole number from 1 to ${limits.pageSize}`);
}

/** The parameters of a page by the names that GraphQL gives them. */
export const pageParameters: ReadonlyMap<string, string> = new Map([
  ['first', 'limit'],
  ['after', 'cursor'],
]);

/**
 * Runs an operation, in whose errors the arguments get the names of the parameters. `names` is a map, not an object: an
 * error can also name an unknown parameter of the caller, such as `__proto__`.
 */
export async function namingParameters<Result>(
  names: ReadonlyMap<string, string>,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof LatchkeyError) || error.code !== 'BAD_USER_INPUT') throw error;
    throw badInput(
      error.fields.map(({ field, message }) => {
        const [argument = '', index = ''] = field.split(/(?=\[)/, 2);
        return { field: `${names.get(argument) ?? argument}${index}`, message };
      }),
    );
  }
}
