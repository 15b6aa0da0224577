/** The import page reads files as the command line does. */
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readImportLines } from '../../src/cli/keys/import-lines.ts';
import { readLines } from '../../src/dashboard/import/read-lines.ts';
import type { ImportLine } from '../../src/key-file/lines.ts';

async function asCommandLine(text: string, format: 'csv' | 'ndjson') {
  const lines: ImportLine[] = [];
  for await (const line of readImportLines(Readable.from([text]), format)) lines.push(line);
  // Within a batch, it reports rejected lines in the order in which the parser does.
  return lines.sort((a, b) => a.line - b.line);
}

it.each([
  ['ndjson', '\ufeff{"digest":"a","name":"One"}\n\nnot json\r\n["x"]\n{"name":1}'],
  [
    'csv',
    '\ufeffname,digest,allowedIps,metadata\r\n"One, two",a,10.0.0.1; 10.0.0.2,\r\n\r\nTwo,b,,{bad\r\nThree,c\r\n"4\n4",d,,\r\n',
  ],
] as const)('%s', async (format, text) => {
  const lines = readLines(text);
  expect(lines.length).toBeGreaterThan(3);
  expect(lines).toEqual(await asCommandLine(text, format));
});

it.each([
  ['csv', 'digest,name\n"a,b', /^line \d: has a quotation mark out of place$|^The file is not CSV/],
  ['csv', 'digest,hush\na,b', /^line 1: must name only the columns digest, name/],
  ['csv', 'digest,env\na,live', /^line 1: must name the columns digest and name$/],
  ['ndjson', `{"name":"${'x'.repeat(40_000)}"}`, /^line 1: is longer than 32768 bytes$/],
] as const)('%s that can’t be split into lines is rejected without its content', (_format, text, message) => {
  expect(() => readLines(text)).toThrow(message);
});
