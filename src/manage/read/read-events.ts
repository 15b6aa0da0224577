import type { AuditAction, AwaitedEntries } from '../../domain/audit-entry.ts';
import { eventIdOf, eventOf, type LatchkeyEvent, revisionOfEvent } from '../../domain/event/event.ts';
import { eventActions, eventTypeOf } from '../../domain/event/event-types.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { AuditSelection } from '../../store/rows/audit-log.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { parseTypes } from '../webhooks/webhook-fields.ts';
import { entriesWithin, parsePageSize } from './page.ts';

export interface EventsInput {
  readonly teamId: string;
  readonly first: number;
  /** The id of an event, a `next` of an earlier answer, or `latest`. */
  readonly after?: string | null | undefined;
  readonly types?: readonly string[] | null | undefined;
}

export interface EventPage {
  readonly events: readonly LatchkeyEvent[];
  /** The position after the events and after those that were compared. It never goes back. */
  readonly next: string;
}

/**
 * Returns the events of a team after a position, oldest first. A page has fewer events than `first` if events are long,
 * or if many others were compared with `types`. At the end of the log, a page is empty and `next` is `after`. Needs
 * `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (first, after, types), UNAVAILABLE.
 */
export async function readEvents(management: Management, caller: Caller, input: EventsInput): Promise<EventPage> {
  const { teamId } = input;
  authorizeTeam(caller, teamId, 'view_team');
  const { store, revisions } = management;
  const { first, after, actions } = parse(management, input);
  if (after === latest) {
    return { events: [], next: eventIdOf(await store.auditLog.lastRevisionOf(teamId), revisions) };
  }
  const range: AuditSelection = {
    teamId,
    oldestFirst: true,
    after,
    actions,
    last: actions === null ? null : await lastToCompare(management, teamId, after),
  };
  const sizes = await store.auditLog.textBytes({ ...range, limit: first });
  const count = entriesWithin(sizes);
  const entries = count === 0 ? [] : await store.auditLog.list({ ...range, limit: count });
  const keys = await store.keys.forEvents([...new Set(entries.map(({ keyId }) => keyId))]);
  const isWhole = count === sizes.length && sizes.length < first;
  const end = isWhole && range.last != null ? range.last : (entries.at(-1)?.revision ?? after);
  return {
    events: entries
      .filter(({ action }) => !isForOneEndpoint(action))
      .map((entry) => eventOf(entry, keys.get(entry.keyId) ?? null, revisions)),
    next: eventIdOf(end > after ? end : after, revisions),
  };
}

/**
 * Returns what a call waits for that has read up to `next`: entries that `readEvents` returns for the same types. The
 * arguments are those of a call of `readEvents`, and what it returned.
 */
export function awaitedEvents(
  { revisions }: Management,
  teamId: string,
  next: string,
  types: readonly string[] | null,
): AwaitedEntries {
  const actions = new Set(actionsOf(types).filter((action) => !isForOneEndpoint(action)));
  return { teamId, after: revisionOfEvent(next, revisions) ?? 0n, actions };
}

const latest = 'latest';

/** Returns the revision up to which entries are compared with the types, which is read before they are. */
async function lastToCompare({ store: { auditLog } }: Management, teamId: string, after: bigint): Promise<bigint> {
  const last = await auditLog.lastRevisionOf(teamId);
  return (await auditLog.lastToScan({ teamId, oldestFirst: true, after })) ?? last;
}

function isForOneEndpoint(action: AuditAction): boolean {
  return action === 'WEBHOOK_TESTED';
}

function parse({ revisions }: Management, { first, after, types }: EventsInput) {
  const parsed = parseFields({
    first: parsePageSize(first),
    after: parseOptional(after, (text): Parsed<bigint | typeof latest> => {
      if (text === latest) return accepted(latest);
      const revision = revisionOfEvent(text, revisions);
      return revision === null ? rejected('must be the id of an event, a `next`, or latest') : accepted(revision);
    }),
    types: parseOptional(types, (names) =>
      names.length === 0 ? rejected('must have at least one type, or be omitted') : parseTypes(names),
    ),
  });
  const wanted = parsed.types;
  return {
    first: parsed.first,
    after: parsed.after ?? 0n,
    actions: wanted === null ? null : actionsOf(wanted),
  };
}

function actionsOf(types: readonly string[] | null): readonly AuditAction[] {
  return types === null ? eventActions : eventActions.filter((action) => types.includes(eventTypeOf(action)));
}
