import type { AuditEntry } from '../domain/audit-entry.ts';
import { decodeCursor, encodeCursor } from '../domain/cursor.ts';
import { authoriseTeam, type Caller } from './caller.ts';
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
 * A page of a team's audit trail, newest first. Needs `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (first, after), UNAVAILABLE.
 */
export async function readAuditLog(
  { store }: Management,
  caller: Caller,
  input: AuditLogInput,
): Promise<Page<AuditEntry>> {
  authoriseTeam(caller, input.teamId, 'view_team');
  const fields = new Fields();
  checkPageSize(fields, input.first);
  const before = input.after == null ? undefined : revisionOf(input.after);
  if (before === null) fields.refuse('after', 'must be a cursor of this list');
  fields.done(undefined);
  const selection = { teamId: input.teamId, keyId: input.keyId ?? undefined, before: before ?? undefined };
  return await readPage(
    input,
    (limit) => store.auditLog.textBytes({ ...selection, limit }),
    (limit) => store.auditLog.list({ ...selection, limit }),
    (entry) => ({ node: entry, cursor: encodeCursor(['AUDIT', entry.revision.toString()]) }),
  );
}

function revisionOf(cursor: string): bigint | null {
  const [kind, revision, ...more] = decodeCursor(cursor) ?? [];
  if (kind !== 'AUDIT' || typeof revision !== 'string' || !/^\d{1,18}$/.test(revision) || more.length > 0) return null;
  return BigInt(revision);
}
