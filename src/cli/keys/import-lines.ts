/** Reads the keys to import from a stream, line by line, so that a file can have any size. */
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { parse as parseCsv } from 'csv-parse';
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

export function readImportLines(source: Readable, format: Format): AsyncIterable<ImportLine> {
  return format === 'csv' ? readCsv(source) : readNdjson(source);
}

async function* readNdjson(source: Readable): AsyncIterable<ImportLine> {
  for await (const { number, text } of fileLines(source, maxLineBytes)) yield* parseNdjsonLine(number, text);
}

async function* readCsv(source: Readable): AsyncIterable<ImportLine> {
  const invalid: ImportLine[] = [];
  const parser = parseCsv(csvOptions((line) => invalid.push(line)));
  source.on('error', (error) => parser.destroy(error));
  for await (const record of source.pipe(parser) as AsyncIterable<CsvRecord>) {
    yield* invalid.splice(0);
    yield csvLine(record);
  }
  yield* invalid;
}
