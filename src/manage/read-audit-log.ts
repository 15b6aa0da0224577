import type { AuditEntry } from '../domain/audit-entry.ts';
import { decodeCursor, encodeCursor } from '../domain/cursor.ts';
import type { OpaqueRevisions } from '../domain/opaque-revisions.ts';
import { parseFields, parseOptional } from '../domain/parse-fields.ts';
import { accepted, type Parsed, rejected } from '../domain/parsed.ts';
import { authorizeTeam, type Caller } from './caller.ts';
import type { Management } from './management.ts';
import { type Page, parsePageSize, readPage } from './page.ts';

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
  const { after } = parseFields({
    first: parsePageSize(input.first),
    after: parseOptional(input.after, (cursor) => parseCursor(cursor, revisions)),
  });
  const selection = { teamId: input.teamId, keyId: input.keyId ?? undefined, before: after ?? undefined };
  return await readPage(
    input,
    (limit) => store.auditLog.textBytes({ ...selection, limit }),
    (limit) => store.auditLog.list({ ...selection, limit }),
    (entry) => ({ node: entry, cursor: encodeCursor(['AUDIT', revisions.encode(entry.revision)]) }),
  );
}

function parseCursor(cursor: string, revisions: OpaqueRevisions): Parsed<bigint> {
  const [kind, encoded, ...more] = decodeCursor(cursor) ?? [];
  const isOfThisList = kind === 'AUDIT' && typeof encoded === 'string' && more.length === 0;
  const revision = isOfThisList ? revisions.decode(encoded) : null;
  return revision === null ? rejected('must be a cursor of this list') : accepted(revision);
}
