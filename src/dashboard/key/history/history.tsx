import { execute } from '../../api/execute.ts';
import { keyHistory } from '../../api/operations.ts';
import type { Key } from '../key-change.ts';
import { AuditEntryShown } from './audit-entry.tsx';
import { Trail, useTrail } from './trail.tsx';

/** The audit trail of a key. */
export function History({ apiKey: { id: keyId, teamId } }: { readonly apiKey: Key }) {
  const trail = useTrail({
    queryKey: ['history', keyId],
    read: async (after, signal) => (await execute(keyHistory, { teamId, keyId, after }, signal)).auditLog,
  });
  const entries = trail.data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  return (
    <Trail trail={trail}>
      {entries.map((entry) => (
        <AuditEntryShown key={entry.id} entry={entry} />
      ))}
    </Trail>
  );
}
