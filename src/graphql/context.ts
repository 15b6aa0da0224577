import DataLoader from 'dataloader';
import type { Caller } from '../manage/caller.ts';
import type { Management } from '../manage/management.ts';

/** The context that the resolvers of one operation share. */
export interface GraphQLContext {
  readonly management: Management;
  readonly caller: Caller;
  /** Counts operations towards the caller's rate limit. Throws RATE_LIMITED if fewer are left. */
  readonly countOperations: (operations: number) => Promise<void>;
  /** Reads `lastUsedAt` of all keys of a response in one query. */
  readonly lastUsed: DataLoader<string, Date | null>;
}

export function graphqlContext(
  management: Management,
  caller: Caller,
  countOperations: GraphQLContext['countOperations'],
): GraphQLContext {
  return {
    management,
    caller,
    countOperations,
    lastUsed: new DataLoader(async (keyIds) => {
      const times = await management.store.usage.lastUsed(keyIds);
      return keyIds.map((id) => times.get(id) ?? null);
    }),
  };
}
