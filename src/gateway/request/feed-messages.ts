/** Parses the bodies of `POST /v1/feed` and `POST /v1/feed/reports`. Errors never repeat values, which may be keys. */
import { z } from 'zod';
import { labelShape } from '../../domain/derived/derived-token.ts';
import { badInput, type FieldError, isFull } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { formatIpAddress, parseIpAddress } from '../../domain/source/ip-address.ts';
import { verdictCodes } from '../../domain/verdict/verdict-code.ts';
import {
  type FeedReport,
  type FeedRequest,
  maxFeedKeys,
  maxReportAgeMs,
  maxReportCount,
  maxReportRecords,
} from '../../wire/feed-messages.ts';

const [hourMs, clockToleranceMs] = [3_600_000, 3_600_000];

/** Checks the length of a list before its entries, because a body can have 200,000 entries. */
function listOf<Entry extends z.ZodType>(entry: Entry, max: number) {
  return listUpTo(max).pipe(z.array(entry));
}

function listUpTo(max: number) {
  return z.custom<readonly unknown[]>((value) => Array.isArray(value) && value.length <= max);
}

const request = z.object({
  edge: z.uuid(),
  cursor: z.string().max(64).nullable(),
  keys: listOf(z.string(), maxFeedKeys),
  sources: listOf(z.string().max(64).nullable(), maxFeedKeys).optional(),
});

const id = z.guid();
const version = z.int().min(1).max(1_000_000_000);
const label = z.string().regex(labelShape);
const counts = listOf(
  z.object({ code: z.enum(verdictCodes), count: z.int().min(1).max(maxReportCount) }),
  verdictCodes.length,
);
const date = z.iso
  .datetime()
  .transform((text) => new Date(text))
  // Rejects, among others, the year 0, which PostgreSQL does not have.
  .refine((time) => time.getTime() >= 0);
const hour = date.refine((time) => time.getTime() % hourMs === 0);
const address = z.string().transform((text, context) => {
  const parsed = parseIpAddress(text);
  if (parsed !== null) return formatIpAddress(parsed);
  context.addIssue({ code: 'custom' });
  return z.NEVER;
});
const windowSeconds = z.int().min(1).max(limits.rateLimitWindowSeconds);
const records = {
  usage: z.object({
    keyId: id,
    teamId: id,
    version,
    label: label.optional(),
    hour,
    lastUsedAt: date.nullable(),
    counts,
  }),
  sources: z.object({ keyId: id, version, address, firstAt: date, lastAt: date, counts }),
  rates: z.object({ keyId: id, windowSeconds, windowEnd: date, count: z.int().min(0).max(maxReportCount) }),
};
const anyRecords = listUpTo(maxReportRecords);
const report = z
  .object({ edge: z.uuid(), usage: anyRecords, sources: anyRecords, rates: anyRecords })
  .refine(({ usage, sources, rates }) => usage.length + sources.length + rates.length <= maxReportRecords);

export function parseFeedRequest(body: unknown): FeedRequest {
  return parse(request, body);
}

/** Parses a report. Replaces future times of use by `now`, because the clock of the edge may be ahead. */
export function parseFeedReport(body: unknown, now: number): FeedReport {
  const { edge, ...lists } = parse(report, body);
  const errors: FieldError[] = [];
  const usage = parseRecords('usage', records.usage, lists.usage, errors);
  const sources = parseRecords('sources', records.sources, lists.sources, errors);
  const rates = parseRecords('rates', records.rates, lists.rates, errors);
  if (new Set(rates.map(({ keyId }) => keyId)).size < rates.length) errors.push({ field: 'rates', message: expected });
  if (errors.length > 0) throw badInput(errors);
  const times = [
    ...usage.map(({ hour }) => ({ field: 'usage' as const, time: hour, maxAge: maxReportAgeMs })),
    ...sources.map(({ lastAt }) => ({ field: 'sources' as const, time: lastAt, maxAge: maxReportAgeMs })),
    ...rates.map(({ windowEnd }) => ({ field: 'rates' as const, time: windowEnd, maxAge: clockToleranceMs })),
  ];
  const wrong = times.filter(({ field, time, maxAge }) => {
    const maxAhead = field === 'rates' ? limits.rateLimitWindowSeconds * 1000 : 0;
    return time.getTime() < now - maxAge || time.getTime() > now + maxAhead + clockToleranceMs;
  });
  if (wrong.length > 0) throw badInput(wrong.map(({ field }) => ({ field, message: expectedTimes[field] })));
  const past = (time: Date) => new Date(Math.min(time.getTime(), now));
  return {
    edge,
    usage: usage.map((use) => ({ ...use, lastUsedAt: use.lastUsedAt === null ? null : past(use.lastUsedAt) })),
    sources: sources.map((source) => ({ ...source, firstAt: past(source.firstAt), lastAt: past(source.lastAt) })),
    rates,
  };
}

/** Parses the records of a report one by one, and stops when the answer can list no more errors. */
function parseRecords<Schema extends z.ZodType>(
  field: string,
  schema: Schema,
  list: readonly unknown[],
  errors: FieldError[],
): z.output<Schema>[] {
  const parsed: z.output<Schema>[] = [];
  for (const [i, record] of list.entries()) {
    if (isFull(errors)) break;
    const result = schema.safeParse(record);
    if (result.success) parsed.push(result.data);
    else errors.push(...fieldErrors(result.error, `${field}[${i}]`));
  }
  return parsed;
}

const expectedTimes = {
  usage: 'must be of the last 48 hours',
  sources: 'must be of the last 48 hours',
  rates: 'must be of windows that have not ended',
};

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw badInput(fieldErrors(result.error, ''));
}

const expected = 'is not valid in this version of the feed';

/** Returns one error per invalid field. Never repeats the names of unknown fields, which may be keys too. */
function fieldErrors({ issues }: z.ZodError, start: string): FieldError[] {
  const fields = issues.map(({ path }) => path.reduce<string>(fieldPath, start));
  return [...new Set(fields)].map((field) => ({ field: field === '' ? 'body' : field, message: expected }));
}

function fieldPath(path: string, part: PropertyKey): string {
  if (typeof part === 'number') return `${path}[${part}]`;
  return path === '' ? String(part) : `${path}.${String(part)}`;
}
