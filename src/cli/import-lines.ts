/** Reads the keys to import from a file, line by line, so that files can be of any size. */
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { type CsvError, parse as parseCsv } from 'csv-parse';
import split from 'split2';
import { Failure } from './failure.ts';

export const formats = ['ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

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
const maxLineBytes = 32 * 1024;
const tooLong = `is longer than ${maxLineBytes} bytes`;

export function formatOf(file: string): Format | undefined {
  return formats.find((format) => extname(file).toLowerCase() === `.${format}`);
}

export function readImportLines(source: Readable, format: Format): AsyncIterable<ImportLine> {
  return format === 'csv' ? readCsv(source) : readNdjson(source);
}

/** https://github.com/ndjson/ndjson-spec */
async function* readNdjson(source: Readable): AsyncIterable<ImportLine> {
  let [line, seen] = [0, 0];
  const count = (text: string) => {
    seen += 1;
    return text;
  };
  const lines = source.pipe(split(/\r?\n/, count, { maxLength: maxLineBytes }));
  source.on('error', (error) => lines.destroy(error));
  try {
    for await (const text of lines as AsyncIterable<string>) {
      line += 1;
      const json = line === 1 ? text.replace(/^\ufeff/, '') : text;
      if (json.trim() !== '') yield { line, content: parseJson(json) };
    }
  } catch (error) {
    if (error instanceof Error && error.message === 'maximum buffer reached') throw badFile(seen + 1, tooLong);
    throw error;
  }
}

function parseJson(text: string): ImportLine['content'] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'must be JSON' };
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { key: value as Record<string, unknown> } : { problem: 'must be a JSON object' };
}

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/** RFC 4180, with the column names in the first line. Semicolons separate the entries of a list in one cell. */
async function* readCsv(source: Readable): AsyncIterable<ImportLine> {
  const skipped: CsvError[] = [];
  const parser = parseCsv({
    bom: true,
    columns: (names: string[]) => checkColumns(names.map((name) => name.trim())),
    info: true,
    max_record_size: maxLineBytes,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error !== undefined) skipped.push(error);
      return undefined;
    },
  });
  source.on('error', (error) => parser.destroy(error));
  for await (const { record, info } of source.pipe(parser) as AsyncIterable<CsvRecord>) {
    yield* skipped.splice(0).map(lineOf);
    yield { line: info.lines, content: contentOf(record) };
  }
  yield* skipped.map(lineOf);
}

function checkColumns(names: string[]): string[] {
  const problem =
    names.some((name) => !columns.includes(name)) || new Set(names).size < names.length
      ? `must name only the columns ${columns.join(', ')}, each once`
      : requiredColumns.some((name) => !names.includes(name))
        ? `must name the columns ${requiredColumns.join(' and ')}`
        : undefined;
  if (problem !== undefined) throw badFile(1, problem);
  return names;
}

function contentOf(record: Readonly<Record<string, string>>): ImportLine['content'] {
  const given = Object.entries(record).filter(([, cell]) => cell.trim() !== '');
  const values = given.map(([name, cell]) => [name, cells[name]?.(cell)] as const);
  const [bad] = values.find(([, value]) => value === undefined) ?? [];
  return bad === undefined ? { key: Object.fromEntries(values) } : { problem: `${bad}: must be JSON` };
}

function textIn(cell: string): string {
  return cell.trim();
}

/** Returns the entries between semicolons, or of a JSON array, which exports have for entries with a semicolon. */
function listIn(cell: string): string[] {
  const array = cell.trim().startsWith('[') ? jsonIn(cell) : undefined;
  if (Array.isArray(array)) return array;
  const entries = cell.split(';').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

/** Returns undefined for a cell without JSON. */
function jsonIn(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return undefined;
  }
}

/** Throws for other errors, after which the next record can't be found. The library's message contains the line. */
function lineOf({ code, lines }: CsvError): ImportLine {
  const line = Number(lines);
  if (code.startsWith('CSV_RECORD_INCONSISTENT')) {
    return { line, content: { problem: 'must have as many cells as the first line' } };
  }
  throw badFile(line, code === 'CSV_MAX_RECORD_SIZE' ? tooLong : 'has a quotation mark out of place');
}

function badFile(line: number, problem: string): Failure {
  return new Failure('BAD_FILE', `line ${line}: ${problem}`);
}
