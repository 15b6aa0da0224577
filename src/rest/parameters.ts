/** The parameters of lists, which GraphQL names differently. */
import { limits } from '../domain/limits.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

export function parseLimit(text: string): Parsed<number> {
  return /^\d{1,9}$/.test(text)
    ? accepted(Number(text))
    : rejected(`must be a whole number from 1 to ${limits.pageSize}`);
}

/** The parameters of a page, and the `:id` of an endpoint, by the names that GraphQL gives them. */
export const pageParameters: ReadonlyMap<string, string> = new Map([
  ['first', 'limit'],
  ['after', 'cursor'],
  ['webhookId', 'id'],
]);
