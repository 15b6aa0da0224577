import type { AuditEntry } from '../domain/audit-entry.ts';
import { decodeCursor, encodeCursor } from '../domain/cursor.ts';
import type { OpaqueRevisions } from '../domain/opaque-revisions.ts';
import { authorizeTeam, type Caller } from './caller.ts';
import { Fields } from './fields.ts';
import type { Management } from './management.ts';
import { checkPageSize, type Page, readPage } from './page.ts';

export interface AuditLogInput {
  readonly teamId: string;
  readonly keyId?: string | null | undefined;
  readonly first: number;
  readonly after?: string | null | undefined;
}

/**
 * Returns a page of a team's audit trail, newest first. Needs `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (first, after), UNAVAILABLE.
 */
export async function readAuditLog(
  { store, revisions }: Management,
  caller: Caller,
  input: AuditLogInput,
): Promise<Page<AuditEntry>> {
  authorizeTeam(caller, input.teamId, 'view_team');
  const fields = new Fields();
  checkPageSize(fields, input.first);
  const before = input.after == null ? undefined : revisionOf(input.after, revisions);
  if (before === null) fields.reject('after', 'must be a cursor of this list');
  fields.done(undefined);
  const selection = { teamId: input.teamId, keyId: input.keyId ?? undefined, before: before ?? undefined };
  return await readPage(
    input,
    (limit) => store.auditLog.textBytes({ ...selection, limit }),
    (limit) => store.auditLog.list({ ...selection, limit }),
    (entry) => ({ node: entry, cursor: encodeCursor(['AUDIT', revisions.encode(entry.revision)]) }),
  );
}

function revisionOf(cursor: string, revisions: OpaqueRevisions): bigint | null {
  const [kind, revision, ...more] = decodeCursor(cursor) ?? [];
  return kind === 'AUDIT' && typeof revision === 'string' && more.length === 0 ? revisions.decode(revision) : null;
}
