/** Parsers for options of several commands. */
import { InvalidArgumentError } from 'commander';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function parseId(text: string): string {
  if (!uuid.test(text)) throw new InvalidArgumentError('Expected a UUID.');
  return text;
}

/** An ISO 8601 date-time with an offset. */
export function parseMoment(text: string): string {
  if (!/^\d{4}-\d\d-\d\dT.+(?:Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError('Expected a date-time with an offset, such as 2030-01-31T12:00:00Z.');
  }
  return text;
}

/** For options that can be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
