import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLContext } from './context.ts';

/** Sets `Retry-After` for RATE_LIMITED errors, to the largest of their values. */
export const setRetryAfter: ApolloServerPlugin<GraphQLContext> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ response }) => {
      if (response.body.kind !== 'single') return;
      const seconds = (response.body.singleResult.errors ?? []).flatMap(({ extensions }) =>
        typeof extensions?.retryAfterSeconds === 'number' ? extensions.retryAfterSeconds : [],
      );
      if (seconds.length > 0) response.http.headers.set('retry-after', String(Math.max(...seconds)));
    },
  }),
};
