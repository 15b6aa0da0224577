/** Who created a key and who caused its state, from the audit trail. */
import { useQuery } from '@tanstack/react-query';
import { execute } from '../api/execute.ts';
import { type AuditAction, type DeedFragment, KeyOriginDocument, type KeyState } from '../generated/graphql.ts';
import { actorName } from './history/action-names.ts';
import type { Key } from './key-change.ts';

const expiryChanges: readonly AuditAction[] = ['KEY_CREATED', 'KEY_IMPORTED', 'KEY_UPDATED'];

/** The actions that can be the cause of each state. */
const causesOf: Readonly<Record<KeyState, readonly AuditAction[]>> = {
  ACTIVE: expiryChanges,
  EXPIRED: expiryChanges,
  DISABLED: ['KEY_DISABLED'],
  REVOKED: ['KEY_REVOKED'],
};

/** Returns nothing until it is loaded, and for changes that are no longer in the audit trail. */
export function useOrigin({ id: keyId, teamId }: Key, state: KeyState) {
  const causes = causesOf[state];
  const { data } = useQuery({
    queryKey: ['origin', keyId, state],
    queryFn: ({ signal }) => execute(KeyOriginDocument, { teamId, keyId, causes: [...causes] }, signal),
  });
  return {
    created: data?.created.nodes[0],
    cause: data?.causes.nodes.find(
      ({ changes }) => causes !== expiryChanges || changes.some(({ field }) => field === 'expiresAt'),
    ),
  };
}

export function By({ deed }: { readonly deed: DeedFragment | undefined }) {
  if (deed === undefined) return null;
  if (deed.actorKind === 'KEY_HOLDER') return <> by the holder of the key</>;
  return (
    <>
      {' '}
      by <span className="breakable">{deed.actorKind === 'OPERATOR' ? 'the operator' : actorName(deed)}</span>
    </>
  );
}

export function reasonOf(deed: DeedFragment | undefined): string | null {
  const reason = deed?.changes.find(({ field }) => field === 'reason')?.after;
  return typeof reason === 'string' ? reason : null;
}
