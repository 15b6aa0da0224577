/** The lines of a file of keys to import, in NDJSON or CSV. Files are split into lines elsewhere. */

import { isJsonObject } from '../lib/json-object.ts';
import { repeatedField } from '../lib/repeated-field.ts';

export interface ImportLine {
  /** Counted from 1, as in editors. For a record of several lines, the last one. */
  readonly line: number;
  /** The fields of the line, which the service validates; or why it can't be parsed. */
  readonly content: { readonly key: Readonly<Record<string, unknown>> } | { readonly problem: string };
}

/** The fields of a key, with the way in which a cell of CSV has each. */
const cells: Readonly<Record<string, (cell: string) => unknown>> = {
  digest: textIn,
  name: textIn,
  env: textIn,
  expiresAt: textIn,
  allowedIps: listIn,
  prefix: textIn,
  scopes: listIn,
  externalId: textIn,
  tags: listIn,
  metadata: jsonIn,
  rateLimit: jsonIn,
};
const columns = Object.keys(cells);
const requiredColumns = ['digest', 'name'];

/** Enough for a key with the maximum number of sources, and small enough for a request body. */
export const maxLineBytes = 32 * 1024;
export const tooLong = `is longer than ${maxLineBytes} bytes`;

/** Returns the content of a line of NDJSON (https://github.com/ndjson/ndjson-spec). */
export function parseJsonLine(text: string): ImportLine['content'] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'must be JSON' };
  }
  const repeated = repeatedField(text, value);
  if (repeated !== null) return { problem: `must have ${repeated} once` };
  return isJsonObject(value) ? { key: value } : { problem: 'must be a JSON object' };
}

/** Returns what is wrong with the names of the columns of CSV; null if nothing is. */
export function columnsProblem(names: readonly string[]): string | null {
  if (names.some((name) => !columns.includes(name)) || new Set(names).size < names.length) {
    return `must name only the columns ${columns.join(', ')}, each once`;
  }
  const isIncomplete = requiredColumns.some((name) => !names.includes(name));
  return isIncomplete ? `must name the columns ${requiredColumns.join(' and ')}` : null;
}

/** Returns the content of a record of CSV. Semicolons separate the entries of a list in one cell. */
export function parseRecord(record: Readonly<Record<string, string>>): ImportLine['content'] {
  const given = Object.entries(record).filter(([, cell]) => cell.trim() !== '');
  return { key: Object.fromEntries(given.map(([name, cell]) => [name, cells[name]?.(cell)])) };
}

function textIn(cell: string): string {
  return cell.trim();
}

/** Returns the entries between semicolons, or of a JSON array, which exports have for entries with a semicolon. */
function listIn(cell: string): string[] {
  const array = cell.trim().startsWith('[') ? jsonIn(cell) : cell;
  if (Array.isArray(array)) return array;
  const entries = cell.split(';').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

/** Returns a cell that is not JSON as text, which the service rejects together with all other errors of the line. */
function jsonIn(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

export const unevenRecord = 'must have as many cells as the first line';
export const strayQuote = 'has a quotation mark out of place';
