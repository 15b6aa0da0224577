import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

const passing = new Set(['UNAVAILABLE', 'NETWORK']);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // The server says what is final; only what passes by itself is worth a second question.
      retry: (failures, error) => failures < 2 && error instanceof ApiError && passing.has(error.code),
      // `navigator.onLine` says nothing of a server on this machine.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
