import { badInput } from '../../domain/errors.ts';
import type { StoredKey } from '../../domain/key/api-key.ts';
import { limits } from '../../domain/limits.ts';
import { dayMs, parseMoment, startOfDay } from '../../domain/moment.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import type { UsageHour, VerdictCount } from '../../domain/verdict/verdict-code.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { Store } from '../../store/store.ts';
import { authorizeKey, authorizeTeam, type Caller, type Management } from '../management.ts';

interface Period {
  readonly from: Date;
  readonly to: Date;
}

export interface UsageInput extends Period {
  readonly keyId: string;
  /** Absent: all secrets of the key. */
  readonly secret?: 'CURRENT' | 'PREVIOUS' | null | undefined;
}

interface TeamUsageInput extends Period {
  readonly teamId: string;
}

/** The maximum length of a period. */
export const maxDays = 31;

/**
 * Returns how often a key, or one of its secrets, was verified, by hour and verdict, oldest first. Needs `view_team`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (from, to), UNAVAILABLE.
 */
export async function readUsage({ store }: Management, caller: Caller, input: UsageInput): Promise<UsageHour[]> {
  const { id, secretVersion } = authorizeKey(caller, await store.keys.find(input.keyId), 'view_team');
  const { from, to } = parsePeriod(input);
  if (input.secret == null) return checked(await store.usage.hourly(id, from, to));
  const version = input.secret === 'CURRENT' ? secretVersion : secretVersion - 1;
  // A key that was never rotated has no previous secret.
  return version === 0 ? [] : checked(await store.usage.hourlyOfSecret(id, version, from, to));
}

/**
 * Returns how often the keys of a team were verified, by hour and verdict, oldest first. Needs `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (from, to), UNAVAILABLE.
 */
export async function readTeamUsage(
  { store }: Management,
  caller: Caller,
  input: TeamUsageInput,
): Promise<UsageHour[]> {
  authorizeTeam(caller, input.teamId, 'view_team');
  const { from, to } = parsePeriod(input);
  return checked(await store.usage.teamHourly(input.teamId, from, to));
}

export interface KeyDays {
  readonly keyId: string;
  readonly days: number;
}

export function parseDays(days: number): Parsed<number> {
  return days >= 1 && days <= maxDays ? accepted(days) : rejected(`must be from 1 to ${maxDays}`);
}

/**
 * Returns how often each key was verified on each of the last `days` days in UTC, oldest first, today last. Reads all keys
 * with one query.
 * Throws UNAVAILABLE.
 */
export async function readCallsByDay({ usage }: Store, now: Date, wanted: readonly KeyDays[]): Promise<number[][]> {
  const today = startOfDay(now).getTime();
  const starts = (days: number) => Array.from({ length: days }, (_, i) => today - (days - 1 - i) * dayMs);
  const [earliest = today] = starts(Math.max(...wanted.map(({ days }) => days)));
  const counts = await usage.daily([...new Set(wanted.map(({ keyId }) => keyId))], new Date(earliest));
  return wanted.map(({ keyId, days }) => starts(days).map((day) => counts.get(keyId)?.get(day) ?? 0));
}

/** Checks the limit, which has room for a month with nine different verdicts in each hour. */
function checked(counts: UsageHour[]): UsageHour[] {
  if (counts.length <= limits.usageCounts) return counts;
  throw badInput([{ field: 'to', message: `must be earlier: the period has more than ${limits.usageCounts} counts` }]);
}

function parsePeriod({ from, to }: Period): Period {
  return parseFields({ from: parseMoment(from), to: parseEnd(from, to) });
}

function parseEnd(from: Date, to: Date): Parsed<Date> {
  if (to.getTime() < from.getTime()) return rejected('must not be before from');
  if (to.getTime() - from.getTime() > maxDays * dayMs) return rejected(`must be at most ${maxDays} days after from`);
  return parseMoment(to);
}

export interface RejectedKey {
  readonly apiKey: StoredKey;
  readonly count: number;
  readonly counts: readonly VerdictCount[];
}

/** The maximum number of keys in a response. */
export const maxRejectedKeys = 20;

/**
 * Returns the keys of a team that were rejected most often, with their verdicts. Needs `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (from, to), UNAVAILABLE.
 */
export async function readRejectedKeys(
  { store }: Management,
  caller: Caller,
  input: TeamUsageInput,
): Promise<RejectedKey[]> {
  authorizeTeam(caller, input.teamId, 'view_team');
  const { from, to } = parsePeriod(input);
  const byKey = new Map<string, VerdictCount[]>();
  for (const { keyId, ...count } of await store.usage.rejected(input.teamId, from, to)) {
    byKey.set(keyId, [...(byKey.get(keyId) ?? []), count]);
  }
  const rejected = [...byKey]
    .map(([keyId, counts]) => ({ keyId, counts, count: counts.reduce((sum, { count }) => sum + count, 0) }))
    .sort((a, b) => b.count - a.count)
    .slice(0, maxRejectedKeys);
  const ids = rejected.map(({ keyId }) => keyId);
  const keys = await store.keys.findInTeam(input.teamId, ids);
  return rejected.flatMap(({ keyId, ...counted }) => {
    // A key that was purged meanwhile has counts, but no row.
    const apiKey = keys.get(keyId);
    return apiKey === undefined ? [] : [{ apiKey, ...counted }];
  });
}

/**
 * Returns how often tokens that were derived from a key were accepted, by label. Needs `view_team`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, UNAVAILABLE.
 */
export async function readDerivedUse({ store }: Management, caller: Caller, keyId: string) {
  const { id } = authorizeKey(caller, await store.keys.find(keyId), 'view_team');
  const rows = await store.usage.derived(id);
  return rows.map(({ label, count, lastUsedAt }) => ({ label, count: Number(count), lastUsedAt }));
}
