/** Reads the keys to import from a stream, line by line, so that a file can have any size. */
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { parse as parseCsv } from 'csv-parse';
import split from 'split2';
import {
  BadFile,
  type CsvRecord,
  csvLine,
  csvOptions,
  type ImportLine,
  maxLineBytes,
  parseNdjsonLine,
  tooLong,
} from '../../key-file/lines.ts';

export const formats = ['ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

export function formatOf(file: string): Format | undefined {
  return formats.find((format) => extname(file).toLowerCase() === `.${format}`);
}

export function readImportLines(source: Readable, format: Format): AsyncIterable<ImportLine> {
  return format === 'csv' ? readCsv(source) : readNdjson(source);
}

async function* readNdjson(source: Readable): AsyncIterable<ImportLine> {
  let [line, linesSplit] = [0, 0];
  const count = (text: string) => {
    linesSplit += 1;
    return text;
  };
  const lines = source.pipe(split(/\r?\n/, count, { maxLength: maxLineBytes }));
  source.on('error', (error) => lines.destroy(error));
  try {
    for await (const text of lines as AsyncIterable<string>) {
      line += 1;
      yield* parseNdjsonLine(line, text);
    }
  } catch (error) {
    if (error instanceof Error && error.message === 'maximum buffer reached')
      throw new BadFile(linesSplit + 1, tooLong);
    throw error;
  }
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
