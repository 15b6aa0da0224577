/** Reads the keys to import from a file, line by line, so that files can be of any size. */
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { type CsvError, parse as parseCsv } from 'csv-parse';
import split from 'split2';
import {
  columnsProblem,
  type ImportLine,
  maxLineBytes,
  parseJsonLine,
  parseRecord,
  strayQuote,
  tooLong,
  unevenRecord,
} from '../key-file/import-lines.ts';
import { Failure } from './failure.ts';

export const formats = ['ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

export function formatOf(file: string): Format | undefined {
  return formats.find((format) => extname(file).toLowerCase() === `.${format}`);
}

export function readImportLines(source: Readable, format: Format): AsyncIterable<ImportLine> {
  return format === 'csv' ? readCsv(source) : readNdjson(source);
}

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
      if (json.trim() !== '') yield { line, content: parseJsonLine(json) };
    }
  } catch (error) {
    if (error instanceof Error && error.message === 'maximum buffer reached') throw badFile(seen + 1, tooLong);
    throw error;
  }
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
    yield { line: info.lines, content: parseRecord(record) };
  }
  yield* skipped.map(lineOf);
}

function checkColumns(names: string[]): string[] {
  const problem = columnsProblem(names);
  if (problem !== null) throw badFile(1, problem);
  return names;
}

/** Throws for other errors, after which the next record can't be found. The library's message contains the line. */
function lineOf({ code, lines }: CsvError): ImportLine {
  const line = Number(lines);
  if (code.startsWith('CSV_RECORD_INCONSISTENT')) {
    return { line, content: { problem: unevenRecord } };
  }
  throw badFile(line, code === 'CSV_MAX_RECORD_SIZE' ? tooLong : strayQuote);
}

function badFile(line: number, problem: string): Failure {
  return new Failure('BAD_FILE', `line ${line}: ${problem}`);
}
