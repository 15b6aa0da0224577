import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

const passing = new Set(['UNAVAILABLE', 'NETWORK']);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: (failures, error) => failures < 2 && error instanceof ApiError && passing.has(error.code),
      // A server on this machine can be reached without a network connection.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/**
 * Loads again what a change of keys can have changed. Not the keys of a dialog that waits for a confirmation, because
 * the user confirms what it shows.
 */
export async function reloadKeys(): Promise<void> {
  const others = ['viewer', 'session', 'change'];
  await queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => !others.includes(String(kind)) });
}
