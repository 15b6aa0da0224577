import { parseOptional } from '../domain/parse-fields.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';
import { canonicalUuid } from '../lib/uuid.ts';
import type * as operations from './operations.ts';
import { parseLimit } from './parameters.ts';
import type { RequestOf, RestAnswer } from './route.ts';

const defaultLimit = 100;
const maxWaitSeconds = 30;
/** Each compares at most 5,000 events with the types (`maxScannedEntries`). A call that needs more has no events yet. */
const maxReads = 8;

/**
 * Returns the events after a position. With `wait`, a call that finds none waits for the first one, and reads again. While
 * it waits, it holds no slot of the management port.
 */
export async function listEvents({
  execute,
  check,
  query,
  waitForEvents,
}: RequestOf<typeof operations.listEvents>): Promise<RestAnswer> {
  const { teamId } = query;
  const { limit, types, wait } = check({
    limit: parseOptional(query.limit, parseLimit),
    types: parseOptional(query.types, (names) => accepted(names.split(','))),
    wait: parseOptional(query.wait, parseWait),
  });
  const names = new Map([['first', 'limit']]);
  const read = (after: string | null) =>
    execute({ teamId, after, types: types ?? null, first: limit ?? defaultLimit }, names);
  const deadline = performance.now() + 1000 * (wait ?? 0);
  let after = query.after ?? null;
  for (let reads = 1; ; reads += 1) {
    const page = await read(after);
    const isAtEnd = page.next === after;
    after = page.next;
    const leftMs = deadline - performance.now();
    if (page.events.length > 0 || leftMs <= 0 || reads === maxReads) return { body: page };
    if (!isAtEnd) continue;
    const awaited = { teamId: canonicalUuid(String(teamId)), after, types: types ?? null };
    if (!(await waitForEvents(awaited, leftMs))) return { body: page };
  }
}

function parseWait(text: string): Parsed<number> {
  return /^\d{1,2}$/.test(text) && Number(text) <= maxWaitSeconds
    ? accepted(Number(text))
    : rejected(`must be a whole number of seconds from 0 to ${maxWaitSeconds}`);
}
