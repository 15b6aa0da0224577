/** The parameters of lists, which GraphQL names differently. */
import { limits } from '../domain/limits.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

/** Checks the upper bound only if it is another one than that of GraphQL, which names the field too. */
export function parseLimit(text: string, max: number = limits.pageSize): Parsed<number> {
  return /^\d{1,9}$/.test(text) && (max === limits.pageSize || Number(text) <= max)
    ? accepted(Number(text))
    : rejected(`must be a whole number from 1 to ${max}`);
}

/** The parameters of a page, and the `:id` of an endpoint, by the names that GraphQL gives them. */
export const pageParameters: ReadonlyMap<string, string> = new Map([
  ['first', 'limit'],
  ['after', 'cursor'],
  ['webhookId', 'id'],
]);
