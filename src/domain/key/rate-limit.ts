/** The rate limit of a key: at most `limit` accepted requests in each window. */
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { limits } from '../limits.ts';
import { type ParsedFields, parsedObject } from '../parse-fields.ts';

export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

export function rateLimitOf(limit: number | null, windowSeconds: number | null): RateLimit | null {
  return limit === null || windowSeconds === null ? null : { limit, windowSeconds };
}

export function parseRateLimit({ limit, windowSeconds }: RateLimit): ParsedFields<RateLimit> {
  return parsedObject({ limit: parseLimit(limit), windowSeconds: parseWindowSeconds(windowSeconds) });
}

export function parseLimit(limit: number): Parsed<number> {
  return parseWithin(limit, limits.rateLimit);
}

export function parseWindowSeconds(windowSeconds: number): Parsed<number> {
  return parseWithin(windowSeconds, limits.rateLimitWindowSeconds);
}

function parseWithin(value: number, max: number): Parsed<number> {
  const isWithin = Number.isInteger(value) && value >= 1 && value <= max;
  return isWithin ? accepted(value) : rejected(`must be from 1 to ${max}`);
}
