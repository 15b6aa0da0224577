/** The keys that `latchkey leaks report` finds in files: in what surrounds them, in encodings, and in which files. */
import { randomBytes } from 'node:crypto';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bytesOf } from '../../src/cli/leaks/file-text.ts';
import { matchesIn } from '../../src/cli/leaks/matches-in-text.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { expectLinearWork } from '../support/linear-work.ts';

const key = mintSecret('lk', 'live', randomBytes).secret;
const place = { type: 'test', url: '', source: '' };
const keysInFile = (content: string | Buffer) =>
  matchesIn(Buffer.from(content), 'a.log', place).map(({ token }) => token);

const base64 = (text: string) => Buffer.from(text).toString('base64');
const wrapped = (text: string, columns: number, lineBreak: string) =>
  text.replace(new RegExp(`.{${columns}}`, 'gs'), (line) => line + lineBreak);
const inKey = (text: string) => key.slice(0, 30) + text + key.slice(30);

describe('a key is found', () => {
  it.each([
    ['after a line break of a string', `"cut\\n${key}\\nend"`],
    ['after a quotation mark in JSON', `\\u0022${key}\\u0022`],
    ['after a quotation mark in JavaScript', `\\x22${key}\\x22`],
    ['in a URL in a URL', `%253D${key}%26`],
    ['after percent-encoding', `%22${key}%22`],
    ['in HTML', `&quot;${key}&quot;&#34;`],
    ['in a name before', `the_key_${key}`],
    ['in a name of the environment', `KEY_${key}=1`],
    ['in colors of a terminal', `\x1b[31m${key}\x1b[0m`],
    ['in colors without the escape character', `[31m${key}[0m`],
    ['between letters and digits', `abc${key}0123abc`],
    ['with matched characters in color, as grep shows them', key.replace('live', '\x1b[01;31m\x1b[Klive\x1b[m\x1b[K')],
    ['with colors as escapes of JSON', key.replace('live', '\\u001b[31mlive\\u001b[0m')],
    ['with matched characters in HTML', key.replace('live', '<em class="hit">live</em>')],
    ['with places for a line break in HTML', inKey('<wbr>')],
    ['with an entity for a line break', inKey('&shy;')],
    ['with a zero-width space', inKey('\u200b')],
    ['with a soft hyphen', inKey('\u00ad')],
    ['wrapped by a terminal', inKey('\n')],
    ['wrapped in a quoted mail', inKey('\r\n> > ')],
    ['wrapped by YAML or a shell', inKey('\\\n    ')],
    ['in quoted-printable', `key=3D${inKey('=\r\n')}=20`],
    ['in quoted-printable HTML', `<a href=3D"?k=3D${key.replaceAll('_', '=5F')}">`],
    [
      'in base64 lines of a mail',
      `Content-Transfer-Encoding: base64\r\n\r\n${wrapped(base64(`Dear Ada, use ${key}!`), 76, '\r\n')}\r\n`,
    ],
    ['in base64 lines of YAML', `data:\n  key: |\n    ${wrapped(base64(`{"use": "${key}"}`), 48, '\n    ')}\n`],
    ['in base64 lines of a quoted mail', `> ${wrapped(base64(`Dear Ada, use ${key}!`), 76, '\r\n> ')}\r\n`],
    ['in HTTP Basic', `Authorization: Basic ${base64(`user:${key}`)}`],
    ['in a Kubernetes secret', `data:\n  key: ${base64(key)}\n`],
    ['in PowerShell -EncodedCommand', Buffer.from(`x ${key}`, 'utf16le').toString('base64')],
    ['in the hexadecimal of a database', `\\x${Buffer.from(key).toString('hex')}`],
    ['in hexadecimal lines', wrapped(Buffer.from(`key=${key}`).toString('hex'), 60, '\n')],
    ['in hexadecimal bytes', wrapped(Buffer.from(key).toString('hex'), 2, ' ')],
    ['in bytes of C', wrapped(Buffer.from(key).toString('hex'), 2, ', 0x')],
    ['in a Buffer of Node.js as JSON', JSON.stringify({ body: Buffer.from(`key=${key}`) })],
    ['in a message of journald with colors', JSON.stringify({ MESSAGE: [...Buffer.from(`\x1b[31m${key}\x1b[0m`)] })],
    ['in Markdown', key.replaceAll('_', '\\_')],
    [
      'in encodings in each other',
      JSON.stringify({ log: JSON.stringify({ url: encodeURIComponent(`?key=${key.replaceAll('_', '%5F')}`) }) }),
    ],
  ])('%s', (_, text) => {
    expect(keysInFile(text)).toEqual([key]);
    expect(keysInFile(`first line\n${text}\nlast line`)).toEqual([key]);
  });

  it('in a text, and not in the place that the user names', () => {
    const url = `https://wiki.example/?key=${key.replaceAll('_', '%5F')}`;
    expect(matchesIn(Buffer.from(key), 'a.log', { type: 'test', url, source: key })).toEqual([
      { token: key, type: 'test', url: '…', source: '…' },
    ]);
  });

  const line = `Schlüssel: ${key}\r\n`;
  it.each([
    ['UTF-8', Buffer.from(line)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${line}`)],
    ['UTF-16 of PowerShell', Buffer.from(`\ufeff${line}`, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(`\ufeff${line}`, 'utf16le').swap16()],
    ['UTF-16 without a byte order mark', Buffer.from(line, 'utf16le')],
    ['UTF-16, big-endian, without a byte order mark', Buffer.from(line, 'utf16le').swap16()],
    ['Windows-1252', Buffer.from(line, 'latin1')],
    ['UTF-16 after UTF-8', Buffer.concat([Buffer.from('täglich\n'), Buffer.from(`key: ${key}`, 'utf16le')])],
    ['an environment, whose variables NULs separate', Buffer.from(`A=ü\0KEY=${key}\0B=2\0`)],
  ])('in a file in %s', (_, bytes) => {
    expect(keysInFile(bytes)).toEqual([key]);
  });

  it('in matches of GitHub with a byte order mark, and in a report of gitleaks', () => {
    const match = { ...place, token: 'another' };
    expect(keysInFile(`\ufeff${JSON.stringify([match])}`)).toEqual(['another']);
    expect(keysInFile(JSON.stringify([{ Match: `key=${key}`, Secret: key }]))).toEqual([key]);
  });

  it('wherever it begins in a large file, once', () => {
    for (const before of [0, 57_300, 57_344, 65_500, 65_536, 200_000]) {
      const encoded = base64(encodeURIComponent(`"${key}"`));
      expect(keysInFile(`${'a '.repeat(before / 2)}${encoded} ${key}${' b'.repeat(100_000)}`)).toEqual([key]);
    }
  });
});

it('finds no lookalike, which no checksum confirms', () => {
  const last = key.endsWith('0') ? '1' : '0';
  expect(keysInFile(`${key.slice(0, -1)}${last} ${key.slice(0, -1)} ${key.toUpperCase()} ${inKey('-')}`)).toEqual([]);
  expect(keysInFile('')).toEqual([]);
});

describe('what cannot be read is an error that names the file', () => {
  const zip = Buffer.concat([Buffer.from('PK\x03\x04'), deflateRawSync(key)]);
  const compressed = (format: string, program: string) =>
    `a.log is compressed (${format}). Extract its text first, for example with ${program}.`;
  const notText =
    'a.log is not text in UTF-8, UTF-16 or Windows-1252. Extract its text first, for example with strings.';
  it.each<[string, Buffer, string]>([
    ['gzip', gzipSync(key), compressed('gzip', 'zcat')],
    ['a document of an office program', zip, compressed('ZIP', 'unzip -p')],
    ['PDF', Buffer.from('%PDF-1.7'), compressed('PDF', 'pdftotext')],
    ['a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0xff, 0xfe, 0]), notText],
    ['UTF-16 that ends in a character', Buffer.from(`\ufeff${key}`, 'utf16le').subarray(0, -1), notText],
    ['invalid UTF-8 with control characters', Buffer.from([0x61, 0xff, 1]), notText],
  ])('%s', (_, bytes, message) => {
    expect(() => keysInFile(bytes)).toThrow(expect.objectContaining({ code: 'BAD_FILE', exitCode: 1, message }));
  });

  it('more than 256 MB, without waiting for its end', async () => {
    const part = Buffer.alloc(2 ** 20);
    async function* endless() {
      for (;;) yield part;
    }
    await expect(bytesOf(endless(), 'a.log')).rejects.toThrow(
      'a.log has more than 256 MB. Split it first, for example with split -C 100M.',
    );
  });

  it('standard input', () => {
    const read = () => matchesIn(gzipSync(key), '-', place);
    expect(read).toThrow('standard input is compressed (gzip).');
  });

  it('more encodings in each other than can be searched', () => {
    expect(() => keysInFile(`%${'25'.repeat(30_000)}`)).toThrow('a.log has too many encodings in each other.');
  });

  it.each([
    [
      'a number as token',
      { token: 5, type: 'a' },
      'matches[1].token must be the text that was found, with at least 1 character',
    ],
    ['no type', { token: key, type: null }, "matches[1].type must be text: the scanner's name for this kind of text"],
    ['a number as URL', { token: key, type: 'a', url: 5 }, 'matches[1].url must be text, null or absent'],
  ])('a match with %s', (_, wrong, message) => {
    const read = () => keysInFile(JSON.stringify([{ ...place, token: key }, wrong]));
    expect(read).toThrow(`a.log has a match of another form. ${message}.`);
  });
});

describe('the work for a hostile file grows in proportion to its size:', () => {
  it.each([
    ['prefixes', 'lk_live_aaaaaaaa_'],
    ['lookalikes', `a234567890abcdef_live_aaaaaaaa_${'a'.repeat(49)}`],
    ['letters', 'a'],
    ['line breaks and spaces', ' \n'],
    ['backslashes', '\\'],
    ['unfinished colors', '\x1b[0'],
    ['unfinished links', '\x1b]8;'],
    ['unfinished tags', '<a'],
    ['unfinished references', '&#0'],
    ['escapes in braces', '\\u{0'],
    ['percent-encoding', '%5f%5F%20'],
    ['quoted-printable', '=5F=\n'],
    ['hexadecimal', '6c6b'],
    ['base64', 'bGtfbGl2ZV8\n'],
  ])('%s', (_, part) => {
    expectLinearWork((characters) => {
      const file = Buffer.from(part.repeat(characters / part.length));
      expect(matchesIn(file, 'a.log', place)).toEqual([]);
    }, 2_000_000);
  });
});
