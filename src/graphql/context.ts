import DataLoader from 'dataloader';
import type { AdmittedCall } from '../admission/calls.ts';
import type { FieldError } from '../domain/errors.ts';
import type { StoredKey } from '../domain/key/api-key.ts';
import type { KeyLeak } from '../domain/leak.ts';
import type { TeamRules } from '../domain/policy/team-policies.ts';
import type { SourceDays } from '../domain/source/observed-source.ts';
import type { Delivery, DeliveryHealth } from '../domain/webhook/delivery.ts';
import type { Caller, Management } from '../manage/management.ts';
import { readTeamRules } from '../manage/policy/team-rules.ts';
import { readSourceDays } from '../manage/read/read-observed-sources.ts';
import { type KeyDays, readCallsByDay } from '../manage/read/read-usage.ts';

/** What the transport of an operation adds to its caller. */
export interface OperationSource {
  /** Counts operations towards the caller's rate limit. Throws RATE_LIMITED if this exceeds the limit. */
  readonly countOperations: (operations: number) => void;
  readonly call: Pick<AdmittedCall, 'startOperation'>;
  /** Errors of the call besides those of its variables. If there are any, the operation is rejected with all errors. */
  readonly inputErrors: readonly FieldError[];
  /** Whether one value stands for a list of it: in GraphQL, but not over REST, whose schema has lists. */
  readonly singleIsList: boolean;
}

export interface GraphQLContext extends OperationSource {
  readonly management: Management;
  readonly caller: Caller;
  /** Each loader below reads the values of all objects of a response in one query. */
  readonly lastUsed: DataLoader<string, Date | null>;
  /** The last uses of rotated keys, by version of the secret. */
  readonly lastUsedSecrets: DataLoader<StoredKey, ReadonlyMap<number, Date>>;
  readonly callsByDay: DataLoader<KeyDays, readonly number[]>;
  /** The days of the observed sources of keys, by address. */
  readonly sourceDays: DataLoader<string, ReadonlyMap<string, SourceDays> | null>;
  /** Who created or imported each key. */
  readonly creators: DataLoader<string, string | null>;
  readonly leaks: DataLoader<string, KeyLeak | null>;
  /** The rules for the keys of each team. */
  readonly teamRules: DataLoader<string, TeamRules | null>;
  readonly keyNames: DataLoader<string, string | null>;
  readonly teamNames: DataLoader<string, string | null>;
  /** The last attempted delivery of each webhook. */
  readonly lastDeliveries: DataLoader<string, Delivery | null>;
  readonly deliveryHealth: DataLoader<string, DeliveryHealth>;
}

export function graphqlContext(management: Management, caller: Caller, source: OperationSource): GraphQLContext {
  const { store } = management;
  return {
    management,
    caller,
    ...source,
    lastUsed: loader((ids) => store.usage.lastUsed(ids)),
    lastUsedSecrets: new DataLoader(async (keys) => {
      const times = await store.usage.lastUsedSecrets(keys);
      return keys.map(({ id }) => times.get(id) ?? new Map<number, Date>());
    }),
    callsByDay: new DataLoader((wanted) => readCallsByDay(store, caller.now, wanted)),
    sourceDays: loader((ids) => readSourceDays(store, caller.now, ids)),
    creators: loader((ids) => store.keys.creators(ids)),
    leaks: loader((ids) => store.exposures.leaks(caller.now, ids)),
    teamRules: loader((ids) => readTeamRules(management, ids)),
    keyNames: loader((ids) => store.keys.names(ids)),
    teamNames: loader((ids) => store.teamNames.find(ids)),
    lastDeliveries: loader((ids) => store.deliveries.latest(ids)),
    deliveryHealth: new DataLoader(async (ids) => {
      const found = await store.failedDeliveries.health(ids);
      return ids.map((id) => found.get(id) ?? new Error(`the deliveries of ${id} were not read`));
    }),
  };
}

function loader<Value>(read: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {
  return new DataLoader<string, Value | null>(async (ids) => {
    const values = await read(ids);
    return ids.map((id) => values.get(id) ?? null);
  });
}
