import type { AuditAction, AuditEntry } from '../../domain/audit-entry.ts';
import { parseMoment } from '../../domain/moment.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { accepted, rejected } from '../../lib/parsed.ts';
import type { AuditSelection } from '../../store/rows/audit-log.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { parseActor } from './key-filter.ts';
import { type Page, parsePageSize, readPage, revisionCursors } from './page.ts';

export type AuditPage = Page<AuditEntry>;

export interface AuditLogInput {
  readonly teamId: string;
  readonly keyId?: string | null | undefined;
  readonly action?: readonly AuditAction[] | null | undefined;
  readonly actor?: string | null | undefined;
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
  readonly first: number;
  readonly after?: string | null | undefined;
}

/**
 * Returns a page of a team's audit trail, newest first. With conditions, a page covers a limited part of the trail, so it
 * can be empty although the next page has entries. Needs `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (action, actor, from, to, first, after), UNAVAILABLE.
 */
export async function readAuditLog(
  { store: { auditLog }, revisions }: Management,
  caller: Caller,
  input: AuditLogInput,
): Promise<AuditPage> {
  authorizeTeam(caller, input.teamId, 'view_team');
  const cursors = revisionCursors('AUDIT', revisions);
  const selection = parse(input, cursors);
  const { actions, actor, from, to } = selection;
  const hasConditions = [actions, actor, from, to].some((condition) => condition !== null);
  const last = hasConditions ? await auditLog.lastToScan(selection) : null;
  const page = await readPage(
    input,
    await auditLog.textBytes({ ...selection, last, limit: input.first + 1 }),
    (limit) => auditLog.list({ ...selection, last, limit }),
    (entry) => ({ node: entry, cursor: cursors.encode(entry.revision) }),
  );
  return page.hasNextPage || last === null ? page : { ...page, hasNextPage: true, endCursor: cursors.encode(last) };
}

function parse(input: AuditLogInput, cursors: ReturnType<typeof revisionCursors>): AuditSelection {
  const {
    action: actions,
    after,
    actor,
    from,
    to,
  } = parseFields({
    action: parseOptional(input.action, (actions) =>
      actions.length === 0 ? rejected('must have at least one action, or be omitted') : accepted([...new Set(actions)]),
    ),
    actor: parseOptional(input.actor, parseActor),
    from: parseOptional(input.from, parseMoment),
    to: parseOptional(input.to, parseMoment),
    first: parsePageSize(input.first),
    after: parseOptional(input.after, cursors.parse),
  });
  return { teamId: input.teamId, keyId: input.keyId, actions, after, actor, from, to };
}
