import { badInput } from '../../domain/errors.ts';
import type { StoredKey } from '../../domain/key/api-key.ts';
import { dayMs, parseMoment } from '../../domain/moment.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { hasControlCharacters } from '../../domain/text.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { KeyListing, KeyOrderField, KeyPosition } from '../../store/rows/key-selection.ts';
import type { KeyCount, KeysOverview as KeyCounts, Keys } from '../../store/rows/keys.ts';
import { authorizeKey, authorizeTeam, type Caller, type Management } from '../management.ts';
import { readRulesOfTeam } from '../policy/team-rules.ts';
import { type KeyFilter, parseKeyFilter, rulesOfFilter } from './key-filter.ts';
import {
  type CursorValue,
  decodeCursor,
  encodeCursor,
  type Page,
  pageTextBytes,
  parsePageSize,
  readPage,
} from './page.ts';

export interface ListKeysInput {
  readonly teamId: string;
  readonly first: number;
  readonly after?: string | null | undefined;
  readonly filter?: KeyFilter | null | undefined;
  readonly orderBy?: KeyListing['orderBy'] | null | undefined;
}

export interface KeyPage extends Page<StoredKey> {
  /** Counts the keys of the whole list. Further calls return the same count. */
  readonly countAll: () => Promise<KeyCount>;
}

/**
 * Returns one key, in any state. Needs `view_team`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, UNAVAILABLE.
 */
export async function readKey({ store }: Management, caller: Caller, id: string): Promise<StoredKey> {
  return authorizeKey(caller, await store.keys.find(id), 'view_team');
}

/**
 * Returns a page of a team's keys, by default newest first and without revoked keys. With conditions, a page covers a
 * limited part of the list, so it can be empty although the next page has keys. Needs `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (first, after, and filter), UNAVAILABLE.
 */
export async function listKeys(management: Management, caller: Caller, input: ListKeysInput): Promise<KeyPage> {
  authorizeTeam(caller, input.teamId, 'view_team');
  const { store } = management;
  const rules = await rulesOfFilter(management, input.teamId, input.filter ?? {});
  const { after, orderBy, selection } = parse(input, rules, caller.now);
  let total: Promise<KeyCount> | undefined;
  return {
    ...(await readKeyPage(store.keys, { ...selection, orderBy, after, limit: input.first + 1 }, input)),
    countAll: () => {
      total ??= store.keys.count(selection);
      return total;
    },
  };
}

async function readKeyPage(keys: Keys, listing: KeyListing, input: ListKeysInput): Promise<Page<StoredKey>> {
  // Read before the page: a key whose name is converted meanwhile moves to another place in the list.
  const isMoving = listing.orderBy.field === 'NAME' && (await keys.hasOldNames(listing));
  if (isMoving && listing.after !== undefined) throw badInput([{ field: 'after', message: newOrder }]);
  const cursorAt = (position: KeyPosition) => cursorOf(listing.orderBy.field, position, isMoving);
  const { textBytes, read, end } = await keys.search(listing, pageTextBytes);
  const page = await readPage(input, textBytes, read, ({ key, position }) => ({
    node: key,
    // Few callers select the cursor of each key.
    get cursor() {
      return cursorAt(position);
    },
  }));
  // Repeats the search if all keys of the page were changed or deleted meanwhile.
  if (page.edges.length === 0 && textBytes.length > 0) return await readKeyPage(keys, listing, input);
  const isPartial = textBytes.length < listing.limit && end !== null;
  return page.hasNextPage || !isPartial ? page : { ...page, hasNextPage: true, endCursor: cursorAt(end) };
}

function parse(
  { teamId, first, after, filter, orderBy: order }: ListKeysInput,
  rules: Awaited<ReturnType<typeof rulesOfFilter>>,
  now: Date,
) {
  const orderBy = order ?? { field: 'CREATED_AT', direction: 'DESC' };
  const parsed = parseFields({
    first: parsePageSize(first),
    after: parseOptional(after, (cursor) => parsePosition(orderBy.field, cursor)),
    filter: parseKeyFilter(filter ?? {}, rules),
  });
  return { after: parsed.after ?? undefined, orderBy, selection: { teamId, now, ...parsed.filter } };
}

/** The first value of cursors. That of versions up to 0.1 for lists by name was NAME. */
const cursorKinds: Readonly<Record<KeyOrderField, string>> = {
  CREATED_AT: 'CREATED_AT',
  NAME: 'SORTED_NAME',
  EXPIRES_AT: 'EXPIRES_AT',
  LAST_USED_AT: 'LAST_USED_AT',
  CALLS: 'CALLS',
};

const newOrder =
  'is a cursor from before an upgrade or during one, which puts names into a new order: read the list again from its start';

/** @param isMoving whether names are being put into a new order, so that the cursor can't be continued with */
export function cursorOf(field: KeyOrderField, { value, id }: KeyPosition, isMoving = false): string {
  return encodeCursor([isMoving ? field : cursorKinds[field], value instanceof Date ? value.getTime() : value, id]);
}

/** Rejects a cursor that is malformed or from a list in another order. */
export function parsePosition(field: KeyOrderField, cursor: string): Parsed<KeyPosition> {
  const [kind, written, id, ...more] = decodeCursor(cursor) ?? [];
  if (kind === cursorKinds[field] && typeof id === 'string' && !hasControlCharacters(id) && more.length === 0) {
    const value = positionValue(field, written);
    if (value !== undefined) return accepted({ value, id });
  }
  return rejected(
    kind === field && field === 'NAME' ? newOrder : 'must be a cursor of this list, from the same orderBy',
  );
}

function positionValue(field: KeyOrderField, written: CursorValue | undefined): KeyPosition['value'] | undefined {
  if (field === 'NAME') return typeof written === 'string' && isStorable(written) ? written : undefined;
  if (field === 'EXPIRES_AT' && written === null) return null;
  if (field === 'LAST_USED_AT' || field === 'CALLS') return typeof written === 'number' ? written : undefined;
  const moment = typeof written === 'number' ? parseMoment(new Date(written)) : null;
  return moment?.ok === true ? moment.value : undefined;
}

/** Returns whether the databases accept the text: PostgreSQL has no NUL, and UTF-8 has no lone surrogates. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

export interface KeysOverview extends KeyCounts {
  readonly at: Date;
}

export interface KeysOverviewInput {
  readonly teamId: string;
  readonly filter?: KeyFilter | null | undefined;
}

/**
 * Counts a team's keys by state, and those that may need attention. Each number is the size of a key list. `expiringSoon`:
 * active keys with `expiresBefore` in 14 days. `unusedFor90Days`: active keys with `unusedSince` and `createdBefore` 90
 * days ago. `violating`: active keys with `violating`. Needs `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (filter), UNAVAILABLE.
 */
export async function readKeysOverview(
  management: Management,
  caller: Caller,
  { teamId, filter }: KeysOverviewInput,
): Promise<KeysOverview> {
  authorizeTeam(caller, teamId, 'view_team');
  const { now } = caller;
  const inDays = (days: number) => new Date(now.getTime() + days * dayMs);
  const rules = await readRulesOfTeam(management, teamId);
  const parsed = parseFields({ filter: parseKeyFilter({ ...filter, state: null }, rules) }).filter;
  const { states, ...conditions } = parsed;
  const bounds = { ...conditions, teamId, now, rules, soon: inDays(14), longAgo: inDays(-90) };
  return { ...(await management.store.keys.overview(bounds)), at: now };
}
