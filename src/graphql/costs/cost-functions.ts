/** Costs that depend on arguments: the functions that `@cost(by)` and `@listSize(by)` name in schema.graphql. */
import { areAllUnrevokedOrNone } from '../../domain/key/api-key.ts';
import { limits } from '../../domain/limits.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { keyVerdictCount } from '../../domain/verdict/checks.ts';
import { parseDays } from '../../manage/read/read-usage.ts';
import type {
  ApiKeyCallsByDayArgs,
  KeyOrderField,
  MutationChangeKeysArgs,
  MutationCreateKeyArgs,
  MutationImportKeysArgs,
  MutationUpdateKeyArgs,
  QueryAuditLogArgs,
  QueryDeliveriesArgs,
  QueryEventsArgs,
  QueryFindKeysArgs,
  QueryKeysArgs,
  QueryKeysOverviewArgs,
  QueryKeyValuesArgs,
  QueryMembersArgs,
  QueryPreviewAllowedIpsArgs,
  QueryTeamUsageArgs,
  QueryUsageArgs,
} from '../generated/resolver-types.ts';

/** The maximum length of a request body. */
const maxBodyKilobytes = 64;
/** Comparing the maximum number of keys, audit entries or deliveries that one field reads. */
const scan = 170;
const hourMs = 3_600_000;

export function keysPage({ first, filter, orderBy }: QueryKeysArgs): number {
  return page(first) + costOfSearch({ filter, orderBy });
}

/** By indexes, and if there is a team, by a scan of its keys. */
export function keySearch({ teamId }: QueryFindKeysArgs): number {
  return 60 + (teamId == null ? 0 : scan);
}

export function auditPage({ first, action, actor, from, to }: QueryAuditLogArgs): number {
  return page(first) + ([action, actor, from, to].some((condition) => condition != null) ? scan : 0);
}

export function eventsPage({ first, types }: QueryEventsArgs): number {
  return page(first) + (types == null ? 0 : scan);
}

export function deliveriesPage({ first, outcome }: QueryDeliveriesArgs): number {
  return page(first) + (outcome == null ? 0 : scan);
}

/** The keys that each is responsible for are counted, if that is asked for. */
export function membersPage({ first }: QueryMembersArgs): number {
  return page(first) + 2 * scan;
}

export function overview({ filter }: QueryKeysOverviewArgs): number {
  return 300 + (filter == null ? 0 : 2 * costOfSearch({ filter }));
}

/** The values of each key are parsed, or the first entry of its audit trail is read. */
export function keyValues({ filter }: QueryKeyValuesArgs): number {
  return 2 * scan + costOfSearch({ filter });
}

/** The use case rejects values out of bounds before any work. */
function page(first: number = limits.pageSize): number {
  return 30 + Math.min(Math.max(first, 1), limits.pageSize) * 0.2;
}

/** Returns the cost of comparing keys with a filter: 0 if an index can give the page in the requested order. */
function costOfSearch({ filter, orderBy }: Pick<QueryKeysArgs, 'filter' | 'orderBy'>): number {
  const { state, ...conditions } = filter ?? {};
  const states = state ?? ['ACTIVE', 'EXPIRED', 'DISABLED'];
  const isScan = !areAllUnrevokedOrNone(states) || Object.values(conditions).some((condition) => condition != null);
  const field = orderBy?.field ?? 'CREATED_AT';
  const byUse = costsByUse[field] ?? 0;
  if (!isScan && byUse === 0) return 0;
  const { tags, scopes, createdBy } = conditions;
  // The tags of each key are parsed, and the first entry of its audit trail is read.
  const lists = [tags, scopes].filter((list) => list != null).length;
  const cost = scan + lists * (scan / 2) + (createdBy == null ? 0 : scan) + byUse;
  // Unrevoked and revoked keys are two lists, which are merged.
  if (byUse === 0 && field !== 'CREATED_AT' && states.includes('REVOKED') && states.length > 1) return cost + 2 * scan;
  // Rows that follow each other by expiry are far apart in the table, unlike rows that follow each other by name.
  return field === 'EXPIRES_AT' ? cost + scan : cost;
}

/** Reading the use of each key, and sorting all of them. */
const costsByUse: Readonly<Partial<Record<KeyOrderField, number>>> = { LAST_USED_AT: 1.5 * scan, CALLS: 2.5 * scan };

/** The counts of one secret may be one list minus another one. */
export function usage(args: QueryUsageArgs | QueryTeamUsageArgs): number {
  return 20 + usageCounts(args) * ('secret' in args && args.secret != null ? 0.045 : 0.03);
}

export function usageCounts({ from, to }: QueryUsageArgs | QueryTeamUsageArgs): number {
  const hours = Math.ceil((to.getTime() - from.getTime()) / hourMs);
  return Math.min(keyVerdictCount * Math.max(hours, 1), limits.usageCounts);
}

/** Throws BAD_USER_INPUT, because an error of this field must not cost the response of a change that succeeded. */
export function callsByDay({ days = 7 }: ApiKeyCallsByDayArgs): number {
  return 0.1 + parseFields({ days: parseDays(days) }).days * 0.013;
}

export function preview({ allowedIps }: QueryPreviewAllowedIpsArgs): number {
  return 120 + 2 * kilobytesOf(allowedIps);
}

export function settings({ input }: MutationCreateKeyArgs | MutationUpdateKeyArgs): number {
  return 95 + 2 * kilobytesOf(input);
}

export function imports({ keys }: MutationImportKeysArgs): number {
  return 20 + Math.min(keys.length, limits.importedKeys) * 4;
}

export function changes({ keys }: MutationChangeKeysArgs): number {
  return 20 + Math.min(keys.length, limits.changedKeys) * 1.7;
}

function kilobytesOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '') / 1000;
  } catch (error) {
    // The value is nested too deeply for the stack. The use case rejects such metadata.
    if (error instanceof RangeError) return maxBodyKilobytes;
    throw error;
  }
}
