/** Reads the lines of a file to import, as the command line does. Loaded on demand, with the parser of CSV. */
import { type CsvError, parse } from 'csv-parse/browser/esm/sync';
import {
  columnsProblem,
  type ImportLine,
  maxLineBytes,
  parseJsonLine,
  parseRecord,
  strayQuote,
  tooLong,
  unevenRecord,
} from '../../key-file/import-lines.ts';

export type Format = 'ndjson' | 'csv';

/** Why a file can't be read at all. */
export class BadFile extends Error {}

/** Returns the format of a text: JSON begins with a brace. */
export function formatOf(text: string): Format {
  return /^\s*[{[]/.test(text.replace(/^\ufeff/, '')) ? 'ndjson' : 'csv';
}

/** Throws BadFile if the lines can't be told apart. */
export function readLines(text: string, format: Format): ImportLine[] {
  return format === 'csv' ? readCsv(text) : readNdjson(text.replace(/^\ufeff/, ''));
}

function readNdjson(text: string): ImportLine[] {
  return text.split(/\r?\n/).flatMap((json, index) => {
    const line = index + 1;
    if (json.length > maxLineBytes) throw new BadFile(`line ${line}: ${tooLong}`);
    return json.trim() === '' ? [] : [{ line, content: parseJsonLine(json) }];
  });
}

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

function readCsv(text: string): ImportLine[] {
  const skipped: ImportLine[] = [];
  try {
    const records = parse(text, {
      bom: true,
      columns: (names: string[]) => checkColumns(names.map((name) => name.trim())),
      info: true,
      max_record_size: maxLineBytes,
      skip_empty_lines: true,
      skip_records_with_error: true,
      on_skip: (error) => {
        if (error !== undefined) skipped.push(lineOf(error));
        return undefined;
      },
    }) as unknown as CsvRecord[];
    const lines = records.map(({ record, info }) => ({ line: info.lines, content: parseRecord(record) }));
    return [...lines, ...skipped].sort((a, b) => a.line - b.line);
  } catch (error) {
    // The library's own messages contain the line, which can be a secret.
    throw error instanceof BadFile ? error : new BadFile('The file is not CSV.');
  }
}

function checkColumns(names: string[]): string[] {
  const problem = columnsProblem(names);
  if (problem !== null) throw new BadFile(`line 1: ${problem}`);
  return names;
}

function lineOf({ code, lines }: CsvError): ImportLine {
  const line = Number(lines);
  if (code.startsWith('CSV_RECORD_INCONSISTENT')) return { line, content: { problem: unevenRecord } };
  throw new BadFile(`line ${line}: ${code === 'CSV_MAX_RECORD_SIZE' ? tooLong : strayQuote}`);
}
