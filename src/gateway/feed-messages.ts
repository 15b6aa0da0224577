/** Parses the bodies of `POST /v1/feed` and `POST /v1/feed/reports`. Errors never repeat a value: it may be a key. */
import { z } from 'zod';
import { badInput } from '../domain/errors.ts';
import {
  type FeedQuestion,
  type FeedReport,
  maxFeedKeys,
  maxReportAgeMs,
  maxReportCount,
  maxReportRecords,
} from '../domain/feed-messages.ts';
import { formatIpAddress, parseIpAddress } from '../domain/ip-address.ts';
import { limits } from '../domain/limits.ts';
import { verdictCodes } from '../domain/verdict-code.ts';

const [hourMs, clockToleranceMs] = [3_600_000, 3_600_000];

const question = z.object({
  edge: z.uuid(),
  cursor: z.string().max(64).nullable(),
  keys: z.array(z.string()).max(maxFeedKeys),
});

const id = z.guid();
const version = z.int().min(1).max(1_000_000_000);
const counts = z
  .array(z.object({ code: z.enum(verdictCodes), count: z.int().min(1).max(maxReportCount) }))
  .max(verdictCodes.length);
const date = z.iso
  .datetime()
  .transform((text) => new Date(text))
  // PostgreSQL has no year 0.
  .refine((time) => time.getTime() >= 0);
const hour = date.refine((time) => time.getTime() % hourMs === 0);
const address = z.string().transform((text, context) => {
  const parsed = parseIpAddress(text);
  if (parsed !== null) return formatIpAddress(parsed);
  context.addIssue({ code: 'custom' });
  return z.NEVER;
});
const windowSeconds = z.int().min(1).max(limits.rateLimitWindowSeconds);
const report = z
  .object({
    edge: z.uuid(),
    usage: z.array(z.object({ keyId: id, teamId: id, version, hour, lastUsedAt: date.nullable(), counts })),
    sources: z.array(z.object({ keyId: id, version, address, firstAt: date, lastAt: date, counts })),
    rates: z
      .array(z.object({ keyId: id, windowSeconds, windowEnd: date, count: z.int().min(0).max(maxReportCount) }))
      .refine((list) => new Set(list.map(({ keyId }) => keyId)).size === list.length),
  })
  .refine(({ usage, sources, rates }) => usage.length + sources.length + rates.length <= maxReportRecords);

export function parseFeedQuestion(body: unknown): FeedQuestion {
  return parse(question, body);
}

/** A use in the future counts as one of now: the clock of the edge may be ahead. */
export function parseFeedReport(body: unknown, now: number): FeedReport {
  const { edge, usage, sources, rates } = parse(report, body);
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

const expectedTimes = {
  usage: 'must be of the last 48 hours',
  sources: 'must be of the last 48 hours',
  rates: 'must be of windows that have not ended',
};

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  // The names of unknown fields are not repeated either.
  const fields = result.error.issues.map(({ path }) => path.reduce<string>(fieldPath, ''));
  throw badInput([...new Set(fields)].map((field) => ({ field: field === '' ? 'body' : field, message: expected })));
}

const expected = 'is not valid in this version of the feed';

function fieldPath(path: string, part: PropertyKey): string {
  if (typeof part === 'number') return `${path}[${part}]`;
  return path === '' ? String(part) : `${path}.${String(part)}`;
}
