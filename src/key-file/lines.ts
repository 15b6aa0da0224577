/** Parses the lines of a file of keys to import, in NDJSON or CSV. The command line splits the file into lines. */
import { jsonLoss } from '../lib/json-losses.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { columnsProblem, fieldsOfRecord, toImportedFields } from './columns.ts';
import { dialectOf } from './csv-dialect.ts';

export interface ImportLine {
  /** The line number, from 1. A record of several lines has the number of its last line. */
  readonly line: number;
  /** The fields of the line, which the service validates; or the reason why the line can't be imported. */
  readonly content: { readonly key: Readonly<Record<string, unknown>> } | { readonly problem: string };
}

/** An error after which the rest of the file can't be read. The message never contains the file's content. */
export class BadFile extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
  }
}

/** Enough for a key with the maximum number of sources, and small enough for a request body. */
export const maxLineBytes = 32 * 1024;
export const tooLong = (maxBytes = maxLineBytes) => `is longer than ${maxBytes} bytes`;

/** Returns the content of a line of NDJSON (https://github.com/ndjson/ndjson-spec); nothing for an empty line. */
export function* parseNdjsonLine(line: number, text: string): Iterable<ImportLine> {
  if (text.trim() !== '') yield { line, content: parseJson(text) };
}

function parseJson(text: string): ImportLine['content'] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'must be JSON' };
  }
  const loss = jsonLoss(text, value);
  if (loss !== null) return { problem: `must have ${loss.path} ${loss.expected}` };
  if (!isJsonObject(value)) return { problem: 'must be a JSON object' };
  return toImportedFields({ ...value });
}

/** A record as csv-parse returns it with `csvOptions`. */
export interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/** An error of csv-parse. The message is not used, because it contains the line, which can be a secret. */
interface CsvProblem {
  readonly code: string;
  readonly lines?: unknown;
  readonly record?: unknown;
}

/** A file can have several of them, because editors and scripts append to it in another way than it began. */
const lineEnds = ['\r\n', '\n', '\r'];

/**
 * Returns the options of csv-parse: RFC 4180, with the names of the columns in the first line, and other delimiters.
 *
 * @param start the text of the file, at least to the end of the line with the names
 */
export function csvOptions(start: string, onInvalidRecord: (line: ImportLine) => void) {
  const { delimiter, fromLine } = dialectOf(start);
  let columns = 0;
  return {
    columns: (names: readonly string[]) => {
      columns = names.length;
      return checkColumns(
        names.map((name) => name.trim()),
        fromLine,
      );
    },
    delimiter,
    from_line: fromLine,
    info: true,
    max_record_size: maxLineBytes,
    record_delimiter: lineEnds,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (problem?: CsvProblem): undefined => {
      if (problem !== undefined) onInvalidRecord(invalidRecord(problem, columns, delimiter));
    },
  } as const;
}

export function csvLine({ record, info }: CsvRecord): ImportLine {
  return { line: info.lines, content: toImportedFields(fieldsOfRecord(record)) };
}

function checkColumns(names: string[], line: number): string[] {
  const problem = columnsProblem(names);
  if (problem !== null) throw new BadFile(line, problem);
  return names;
}

/** Returns the problem of a record. Throws BadFile if the error hides where the next record begins. */
function invalidRecord({ code, lines, record }: CsvProblem, columns: number, delimiter: string): ImportLine {
  const line = Number(lines);
  if (code.startsWith('CSV_RECORD_INCONSISTENT') && Array.isArray(record)) {
    const counts = `has ${counted(record.length, 'cell')}, but the file has ${counted(columns, 'column')}`;
    const hint = record.length > columns ? `: a cell that contains ${nameOf(delimiter)} needs quotation marks` : '';
    return { line, content: { problem: `${counts}${hint}` } };
  }
  throw new BadFile(line, code === 'CSV_MAX_RECORD_SIZE' ? tooLong() : 'has a quotation mark out of place');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function nameOf(delimiter: string): string {
  return delimiter === '\t' ? 'a tab' : `"${delimiter}"`;
}
