/** Reads the lines of a file to import, as the command line does. Loaded on demand, with the parser of CSV. */
import { parse } from 'csv-parse/browser/esm/sync';
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

/** NDJSON begins with a brace; other text is CSV. Throws BadFile if the lines can't be told apart. */
export function readLines(text: string): ImportLine[] {
  return /^\s*[{[]/.test(text.replace(/^\ufeff/, '')) ? readNdjson(text) : readCsv(text);
}

function readNdjson(text: string): ImportLine[] {
  return text.split(/\r?\n/).flatMap((json, index) => {
    if (json.length > maxLineBytes) throw new BadFile(index + 1, tooLong);
    return [...parseNdjsonLine(index + 1, json)];
  });
}

function readCsv(text: string): ImportLine[] {
  const invalid: ImportLine[] = [];
  try {
    const records = parse(
      text,
      csvOptions((line) => invalid.push(line)),
    ) as unknown as CsvRecord[];
    return [...records.map(csvLine), ...invalid].sort((a, b) => a.line - b.line);
  } catch (error) {
    // The library's own messages contain the line, which can be a secret.
    throw error instanceof BadFile ? error : new BadFile(1, 'the file is not CSV');
  }
}
