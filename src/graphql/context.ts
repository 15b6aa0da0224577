import DataLoader from 'dataloader';
import type { FieldError, LatchkeyError } from '../domain/errors.ts';
import type { StoredKey } from '../domain/key/api-key.ts';
import type { Caller, Management } from '../manage/management.ts';

/** Waits until an operation of this cost may run. Returns the function to call when it has ended. */
export type TakeTurn = (cost: number) => Promise<() => void>;

export interface Admission {
  /** Counts operations towards the caller's rate limit. Throws RATE_LIMITED if fewer are left. */
  readonly countOperations: (operations: number) => Promise<void>;
  readonly takeTurn: TakeTurn;
  /** What is wrong with the call besides its variables. The operation is then rejected, with the errors of both. */
  readonly inputErrors: readonly FieldError[];
}

/** The context that the resolvers of one operation share. */
export interface GraphQLContext extends Admission {
  readonly management: Management;
  readonly caller: Caller;
  /** The errors of the operation, for a caller in the same process. Apollo copies the context, but not this list. */
  readonly errors: LatchkeyError[];
  /** Reads `lastUsedAt` of all keys of a response in one query. */
  readonly lastUsed: DataLoader<string, Date | null>;
  /** The same for the secrets of rotated keys, by version. */
  readonly lastUsedSecrets: DataLoader<StoredKey, ReadonlyMap<number, Date>>;
  /** Reads the names of all keys of a page of the audit trail in one query. */
  readonly keyNames: DataLoader<string, string | null>;
  /** Reads the names of all teams of a response in one query. */
  readonly teamNames: DataLoader<string, string | null>;
}

export function graphqlContext(management: Management, caller: Caller, admission: Admission): GraphQLContext {
  return {
    management,
    caller,
    ...admission,
    errors: [],
    lastUsed: new DataLoader(async (keyIds) => {
      const times = await management.store.usage.lastUsed(keyIds);
      return keyIds.map((id) => times.get(id) ?? null);
    }),
    lastUsedSecrets: new DataLoader(async (keys) => {
      const times = await management.store.usage.lastUsedSecrets(keys);
      return keys.map(({ id }) => times.get(id) ?? new Map<number, Date>());
    }),
    keyNames: new DataLoader(async (keyIds) => {
      const names = await management.store.keys.names(keyIds);
      return keyIds.map((id) => names.get(id) ?? null);
    }),
    teamNames: new DataLoader(async (teamIds) => {
      const names = await management.store.teamNames.find(teamIds);
      return teamIds.map((id) => names.get(id) ?? null);
    }),
  };
}
