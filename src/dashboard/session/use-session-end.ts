import { useQuery } from '@tanstack/react-query';
import { asSession, send } from '../api/post.ts';
import { useSession } from './session.ts';

/** Returns when the session ends; undefined until the server has said it. */
export function useSessionEnd(): string | undefined {
  const { id, end } = useSession();
  const { data } = useQuery({
    queryKey: ['session', id],
    queryFn: async () =>
      (await send<{ readonly endsAt: string }>('/session', { access: asSession(id), method: 'GET' })).body.endsAt,
    enabled: id !== null && end === null,
    // Only another session ends at another time.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
