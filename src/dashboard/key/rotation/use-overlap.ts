import { useQuery, useQueryClient } from '@tanstack/react-query';
import { execute } from '../../api/execute.ts';
import { useAtNow } from '../../components/clock.ts';
import { KeyRotationDocument, type KeyRotationQuery } from '../../generated/graphql.ts';
import type { Key } from '../key-change.ts';

/** Short, because the user watches here until the last client uses the new secret. */
export const pollMs = 5000;

/** Reads the use of the previous secret while it is shown, and updates the key of the whole page with the response. */
export function useOverlap({ id, previousPrefix }: Key, shown: boolean) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: ['rotation', id],
    queryFn: async ({ signal }) => {
      const rotation = await execute(KeyRotationDocument, { keyId: id }, signal);
      const { secrets: _, ...apiKey } = rotation.key;
      queries.setQueryData(['key', id], apiKey);
      return rotation;
    },
    enabled: shown && previousPrefix !== null,
    refetchInterval: pollMs,
  });
}

export function lastUseOf(rotation: KeyRotationQuery | undefined): string | null {
  return rotation?.key.secrets.find(({ current }) => !current)?.lastUsedAt ?? null;
}

/** Returns whether a time has passed, and renders again when it does. Null never passes. */
export function useIsPast(at: string | null): boolean {
  return useAtNow((now) => at !== null && new Date(at).getTime() <= now);
}
