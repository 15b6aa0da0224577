/** The import page reads files as the command line does. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readImportLines } from '../../src/cli/keys/import-lines.ts';
import { readLines, textOf } from '../../src/dashboard/import/read-lines.ts';
import { decodeText } from '../../src/key-file/decoding.ts';
import type { ImportLine } from '../../src/key-file/lines.ts';

type Format = 'csv' | 'ndjson';

async function asCommandLine(bytes: Uint8Array, format: Format, chunk = bytes.length) {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, i) =>
    bytes.subarray(i * chunk, (i + 1) * chunk),
  );
  const lines: ImportLine[] = [];
  for await (const line of readImportLines(Readable.from(chunks), format)) lines.push(line);
  // Within a batch, it reports rejected lines in the order in which the parser does.
  return lines.sort((a, b) => a.line - b.line);
}

const asPage = async (bytes: Uint8Array<ArrayBuffer>) => readLines(await textOf(new Blob([bytes])));

/** What both make of a file: its lines, or the error. */
async function outcomes(bytes: Buffer<ArrayBuffer>, format: Format) {
  const messageOf = (error: Error) => error.message;
  return [
    await asPage(bytes).catch(messageOf),
    await asCommandLine(bytes, format).catch(messageOf),
    await asCommandLine(bytes, format, 1).catch(messageOf),
  ];
}

async function sameOutcome(bytes: Buffer<ArrayBuffer>, format: Format) {
  const [page, ...others] = await outcomes(bytes, format);
  for (const other of others) expect(other).toEqual(page);
  return page;
}

const utf16 = (text: string, isBigEndian = false) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
};

it.each([
  ['ndjson', '\ufeff{"digest":"a","name":"One"}\n\nnot json\r\n["x"]\n{"name":1}'],
  [
    'csv',
    '\ufeffname,digest,allowedIps,metadata\r\n"One, two",a,10.0.0.1; 10.0.0.2,\r\n\r\nTwo,b,,{bad\r\nThree,c\r\n"4\n4",d,,\r\n',
  ],
] as const)('%s', async (format, text) => {
  const lines = await sameOutcome(Buffer.from(text), format);
  expect(lines?.length).toBeGreaterThan(3);
  expect(lines).toEqual(readLines(text));
});

describe('the encoding of a file', () => {
  const csv = 'digest,name\r\na,Müller 😀\r\nb,ਅ';
  const expected = [
    { line: 2, content: { key: { digest: 'a', name: 'Müller 😀' } } },
    { line: 3, content: { key: { digest: 'b', name: 'ਅ' } } },
  ];

  it.each([
    ['UTF-8', Buffer.from(csv)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${csv}`)],
    ['UTF-16, little-endian', utf16(csv)],
    ['UTF-16, big-endian', utf16(csv, true)],
  ])('%s is read', async (_, bytes) => {
    expect(await sameOutcome(bytes, 'csv')).toEqual(expected);
  });

  const lines = ['digest,name', 'a,Ok', 'b,Müller', 'c,Ok'];
  it.each<[string, Buffer<ArrayBuffer>, number]>([
    ['Windows-1252', Buffer.from(lines.join('\r\n'), 'latin1'), 3],
    ['a character that the end of the file cuts off', Buffer.from(`${lines[0]}\na,Mü`).subarray(0, -1), 2],
    ['a surrogate in UTF-8', Buffer.from([...Buffer.from('digest,name\na,'), 0xed, 0xa0, 0x80]), 2],
    ['half a surrogate pair in UTF-16', utf16('digest,name\na,\ud800b\nc,d'), 2],
    ['half a character of UTF-16', utf16(lines.join('\n')).subarray(0, -1), 4],
    ['UTF-16 without a byte order mark', utf16(lines.join('\n')).subarray(2), 1],
  ])('%s is an error with the line, and never a replaced character', async (_, bytes, line) => {
    for (const format of ['csv', 'ndjson'] as const) {
      // As NDJSON, the lines before are no JSON.
      const message = `line ${line}: is not text in UTF-8. Save the file as UTF-8: in Excel, with the type “CSV UTF-8”`;
      expect(await asCommandLine(bytes, format).catch((error) => error.message)).toBe(message);
      expect(await asCommandLine(bytes, format, 1).catch((error) => error.message)).toBe(message);
    }
    expect(await sameOutcome(bytes, 'csv')).toMatch(`line ${line}: is not text in UTF-8`);
  });

  it('a text of any size is decoded in pieces', async () => {
    const bytes = Buffer.from('é\n'.repeat(10_000));
    let text = '';
    for await (const part of decodeText([bytes.subarray(0, 1), bytes.subarray(1, 7001), bytes.subarray(7001)])) {
      text += part;
    }
    expect(text).toBe('é\n'.repeat(10_000));
  });
});

describe('the cells of a CSV file', () => {
  it.each([
    ['semicolons', 'digest;name;allowedIps\na;"One, two";"10.0.0.1;10.0.0.2"'],
    ['tabs', 'digest\tname\tallowedIps\na\tOne, two\t10.0.0.1;10.0.0.2'],
    ['sep=; in the first line', 'sep=;\r\ndigest;name;allowedIps\r\na;One, two;"10.0.0.1;10.0.0.2"'],
    ['sep=; as a cell', '"sep=;"\n"digest";"name";"allowedIps"\n"a";"One, two";"10.0.0.1;10.0.0.2"'],
    ['another character that is declared', 'sep=:\ndigest:name:allowedIps\na:One, two:10.0.0.1;10.0.0.2'],
    ['commas', 'digest,name,allowedIps\na,"One, two",10.0.0.1;10.0.0.2'],
    ['commas, after an empty line', '\ndigest,name,allowedIps\na,"One, two",10.0.0.1;10.0.0.2'],
  ])('are separated by %s', async (_, csv) => {
    const lines = await sameOutcome(Buffer.from(csv), 'csv');
    const line = csv.split('\n').length;
    const key = { digest: 'a', name: 'One, two', allowedIps: ['10.0.0.1', '10.0.0.2'] };
    expect(lines).toEqual([{ line, content: { key } }]);
  });

  it('are as many as the columns, and a line is told how many it has', async () => {
    const lines = await sameOutcome(Buffer.from('digest;name;scopes\na;b\nc;d;read;write\ne;f;g'), 'csv');
    expect(lines).toMatchObject([
      { line: 2, content: { problem: 'has 2 cells, but the file has 3 columns' } },
      {
        line: 3,
        content: {
          problem: 'has 4 cells, but the file has 3 columns: a cell that contains ";" needs quotation marks',
        },
      },
      { line: 4, content: { key: { digest: 'e' } } },
    ]);
  });

  it.each([
    ['digest,nam', '"nam" is not known: did you mean "name"?'],
    ['digest;name;external_id', '"external_id" is not known: did you mean "externalId"?'],
    [
      'Digest,Name',
      '"Digest" is not known: did you mean "digest"?; the column "Name" is not known: did you mean "name"?',
    ],
    ['digest,env', '"name" is missing'],
    ['digest,name,name,env,env', '"name" is there more than once; the column "env" is there more than once'],
    ['digest,name,owner', /^"owner" is not known; known are digest, name, .* and the columns of an export$/],
    ['password,name,env', /^"password" is not known; known are .*; the column "digest" is missing$/],
  ])('have columns: %s', async (header, problem) => {
    const error = String(await sameOutcome(Buffer.from(`${header}\na,b`), 'csv'));
    expect(error).toMatch(/^line 1: the column /);
    expect(error.replace('line 1: the column ', '')).toEqual(
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    );
  });

  it('have columns, each with a name', async () => {
    expect(await sameOutcome(Buffer.from('digest,name,\na,b,'), 'csv')).toBe('line 1: column 3 has no name');
    expect(await sameOutcome(Buffer.from('sep=;\ndigest;nam\na;b'), 'csv')).toMatch(/^line 2: the column "nam"/);
  });

  it.each(['hush,hush-hush', `digest,name,${'hush'.repeat(8)}`])(
    '%s: a key in their place is not repeated',
    async (csv) => {
      const error = String(await sameOutcome(Buffer.from(`${csv}\na,b`), 'csv'));
      expect(error).toMatch(/^line 1: (must name the columns: digest, name|column 3 is not known)/);
      expect(error).not.toContain('hush');
    },
  );
});

it('the lines of a CSV file can end in several ways', async () => {
  const outcome = await sameOutcome(Buffer.from('digest,name\r\na,One\nb,"T\nwo"\r\nc,Three\rd,Four\n\ne,Five'), 'csv');
  expect(outcome).toEqual(
    [
      [2, 'a', 'One'],
      [4, 'b', 'T\nwo'],
      [5, 'c', 'Three'],
      [6, 'd', 'Four'],
      [8, 'e', 'Five'],
    ].map(([line, digest, name]) => ({ line, content: { key: { digest, name } } })),
  );
});

it.each(['csv', 'ndjson'] as const)('%s: an expiry is what --expires accepts', async (format) => {
  const expiries = ['2030-01-31', '2030-01-31T12:00:00Z', 'never', '30d', 'soon'];
  const text =
    format === 'csv'
      ? ['digest,name,expiresAt', ...expiries.map((expiry) => `a,b,${expiry}`)].join('\n')
      : ['', ...expiries.map((expiresAt) => JSON.stringify({ digest: 'a', name: 'b', expiresAt }))].join('\n');
  const before = Date.now();
  const lines = await asCommandLine(Buffer.from(text), format);
  const read = lines.map(({ content }) => ('key' in content ? content.key.expiresAt : content));
  const problem = expect.stringMatching(/^expiresAt: must be a date-time .* such as 30d or 6 months, or never$/);
  expect(read).toEqual(['2030-01-31T00:00:00.000Z', '2030-01-31T12:00:00Z', null, expect.any(String), { problem }]);
  const days = (Date.parse(String(read[3])) - before) / 86_400_000;
  expect(days).toBeGreaterThanOrEqual(30);
  expect(days).toBeLessThan(31);
});

it.each([
  ['csv', 'digest,name\n"a,b', /^line \d: has a quotation mark out of place$|^The file is not CSV/],
  ['ndjson', `{"name":"${'x'.repeat(40_000)}"}`, /^line 1: is longer than 32768 bytes$/],
] as const)('%s that can’t be split into lines is rejected without its content', (_format, text, message) => {
  expect(() => readLines(text)).toThrow(message);
});
