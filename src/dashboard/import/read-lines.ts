/** Reads the lines of an import, like the command line. Loaded on demand, together with the CSV parser. */
import { parse } from 'csv-parse/browser/esm/sync';
import { decodeText } from '../../key-file/decoding.ts';
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

/** Returns the text of a file. Throws BadFile if it is no text. */
export async function textOf(file: Blob): Promise<string> {
  let text = '';
  for await (const part of decodeText([new Uint8Array(await file.arrayBuffer())])) text += part;
  return text;
}

/** Reads NDJSON if the text begins with a brace or a bracket, otherwise CSV. Throws BadFile for unreadable text. */
export function readLines(pasted: string): ImportLine[] {
  const text = pasted.replace(/^\ufeff/, '');
  return /^\s*[{[]/.test(text) ? readNdjson(text) : readCsv(text);
}

function readNdjson(text: string): ImportLine[] {
  return text.split(/\r?\n/).flatMap((json, index) => {
    if (json.length > maxLineBytes) throw new BadFile(index + 1, tooLong());
    return [...parseNdjsonLine(index + 1, json)];
  });
}

function readCsv(text: string): ImportLine[] {
  const invalid: ImportLine[] = [];
  try {
    const options = csvOptions(text, (line) => invalid.push(line));
    const records = parse(text, options) as unknown as CsvRecord[];
    return [...records.map(csvLine), ...invalid].sort((a, b) => a.line - b.line);
  } catch (error) {
    // The library's own messages contain the line, which can be a secret.
    throw error instanceof BadFile ? error : new BadFile(1, 'the file is not CSV');
  }
}
