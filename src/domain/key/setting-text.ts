/** Converts settings to and from text: in CSV, on the command line and in the audit trail. Runs in a browser too. */

import { jsonLoss } from '../../lib/json-losses.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { tryParseJson } from '../../lib/try-parse-json.ts';
import type { Metadata } from './metadata.ts';
import type { RateLimit } from './rate-limit.ts';
import { type Kind, type SettingName, settings } from './settings.ts';

interface TextForm<Value, Json = Value> {
  readonly write: (value: Value | Json) => string;
  /** Returns a JSON value, as in GraphQL and REST. Checks only the form, because `Setting.parse` checks the rules. */
  readonly read: (text: string) => Parsed<Json>;
}

const forms = {
  text: { write: (text) => text, read: (text) => accepted(text.trim()) },
  list: { write: writeList, read: readList },
  moment: { write: (moment) => (typeof moment === 'string' ? moment : moment.toISOString()), read: readMoment },
  object: { write: JSON.stringify, read: readObject },
  rateLimit: { write: ({ limit, windowSeconds }) => `${limit} per ${windowSeconds} s`, read: readRateLimit },
} satisfies {
  readonly text: TextForm<string>;
  readonly list: TextForm<readonly string[]>;
  readonly moment: TextForm<Date, string>;
  readonly object: TextForm<Metadata, object>;
  readonly rateLimit: TextForm<RateLimit>;
} satisfies Readonly<Record<Kind, unknown>>;

/** Returns text for `readSetting`; an empty text for null. The value may be in its JSON form. */
export function writeSetting(name: SettingName, value: unknown): string {
  const { write }: { write(value: never): string } = forms[settings[name].kind];
  return value == null ? '' : write(value as never);
}

/** Parses a text that is not empty into a JSON value. */
export function readSetting(name: SettingName, text: string): Parsed<unknown> {
  return forms[settings[name].kind].read(text);
}

/** Separates the entries by semicolons, or writes a JSON array if an entry would make the text ambiguous. */
function writeList(entries: readonly string[]): string {
  const isAmbiguous = entries.some((entry) => entry.includes(';')) || entries[0]?.startsWith('[') === true;
  return isAmbiguous ? JSON.stringify(entries) : entries.join(';');
}

/** Reads a JSON array, or entries separated by semicolons. */
function readList(text: string): Parsed<readonly string[]> {
  const array = text.trim().startsWith('[') ? tryParseJson(text) : undefined;
  // The service checks the types of the entries.
  if (Array.isArray(array)) return accepted(array);
  const entries = text.split(';').map((entry) => entry.trim());
  return accepted(entries.filter((entry) => entry !== ''));
}

/** Reads ISO 8601 with an offset. Without an offset, the moment would depend on the reader's time zone. */
function readMoment(text: string): Parsed<string> {
  const moment = text.trim();
  return /^\d{4}-\d\d-\d\dT.+(?:Z|[+-]\d\d:\d\d)$/.test(moment) && !Number.isNaN(Date.parse(moment))
    ? accepted(moment)
    : rejected('must be a date-time with an offset, such as 2030-01-31T12:00:00Z');
}

function readObject(text: string): Parsed<object> {
  const value = tryParseJson(text);
  if (!isJsonObject(value)) return rejected('must be a JSON object');
  const loss = jsonLoss(text, value);
  return loss === null ? accepted(value) : rejected(`must have ${loss.path} ${loss.expected}`);
}

/** Reads `100/60`, `100 per 60 s` or JSON: `{"limit": 100, "windowSeconds": 60}`. */
function readRateLimit(text: string): Parsed<RateLimit> {
  const [, limit, windowSeconds] = /^(\d{1,9})(?:\/| per )(\d{1,9})(?: s)?$/.exec(text.trim()) ?? [];
  if (limit !== undefined) return accepted({ limit: Number(limit), windowSeconds: Number(windowSeconds) });
  const json = readObject(text);
  // The service checks the fields of the object.
  if (json.ok) return accepted(json.value as RateLimit);
  return rejected('must be a number of requests, a slash and a number of seconds, such as 100/60');
}
