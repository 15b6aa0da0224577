/** Reads the keys to import from a stream, line by line, so that a file can have any size. */
import { extname } from 'node:path';
import { pipeline } from 'node:stream';
import { parse as parseCsv } from 'csv-parse';
import { hasWholeHeader } from '../../key-file/csv-dialect.ts';
import { decodeText } from '../../key-file/decoding.ts';
import {
  type CsvRecord,
  csvLine,
  csvOptions,
  type ImportLine,
  maxLineBytes,
  parseNdjsonLine,
} from '../../key-file/lines.ts';
import { fileLines } from '../file-lines.ts';

export const formats = ['ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

export function formatOf(file: string): Format | undefined {
  return formats.find((format) => extname(file).toLowerCase() === `.${format}`);
}

export function readImportLines(source: AsyncIterable<Uint8Array | string>, format: Format): AsyncIterable<ImportLine> {
  return format === 'csv' ? readCsv(source) : readNdjson(source);
}

async function* readNdjson(source: AsyncIterable<Uint8Array | string>): AsyncIterable<ImportLine> {
  for await (const { number, text } of fileLines(source, maxLineBytes)) yield* parseNdjsonLine(number, text);
}

async function* readCsv(source: AsyncIterable<Uint8Array | string>): AsyncIterable<ImportLine> {
  const texts = decodeText(source);
  let start = '';
  while (!hasWholeHeader(start) && start.length < maxLineBytes) {
    const { value, done } = await texts.next();
    if (done === true) break;
    start += value;
  }
  async function* whole() {
    yield start;
    yield* texts;
  }
  const invalid: ImportLine[] = [];
  const options = csvOptions(start, (line) => invalid.push(line));
  // The iteration throws the errors.
  const records: AsyncIterable<CsvRecord> = pipeline(whole(), parseCsv(options), () => undefined);
  for await (const record of records) {
    yield* invalid.splice(0);
    yield csvLine(record);
  }
  yield* invalid;
}
