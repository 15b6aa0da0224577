/** Reads the text of a file that is searched for keys. What can't be read is an error, and never a text without keys. */
import { Failure } from '../failure.ts';

/** Files whose texts are compressed. Office documents and Java archives are ZIP. */
const compressed = [
  { name: 'gzip', start: [0x1f, 0x8b], hint: 'zcat' },
  { name: 'zstd', start: [0x28, 0xb5, 0x2f, 0xfd], hint: 'zstdcat' },
  { name: 'xz', start: [0xfd, 0x37, 0x7a, 0x58, 0x5a], hint: 'xzcat' },
  { name: 'bzip2', start: [0x42, 0x5a, 0x68], hint: 'bzcat' },
  { name: 'ZIP', start: [0x50, 0x4b, 0x03, 0x04], hint: 'unzip -p' },
  { name: '7z', start: [0x37, 0x7a, 0xbc, 0xaf], hint: '7z e -so' },
  { name: 'PDF', start: [0x25, 0x50, 0x44, 0x46], hint: 'pdftotext' },
] as const;

/** Searching a megabyte takes about a second, and Node.js has no longer texts than 512 MB. */
const maxMegabytes = 256;

/** Throws Failure as soon as the file is too large. `file` is named in the error. */
export async function bytesOf(stream: AsyncIterable<Buffer>, file: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length > maxMegabytes * 2 ** 20) {
      throw unreadable(file, `has more than ${maxMegabytes} MB. Split it first, for example with split -C 100M`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

/** Throws Failure if the bytes are no text. `file` is named in the error. */
export function textOf(bytes: Buffer, file: string): string {
  const format = compressed.find(({ start }) => start.every((byte, i) => bytes[i] === byte));
  if (format !== undefined) {
    throw unreadable(file, `is compressed (${format.name}). Extract its text first, for example with ${format.hint}`);
  }
  const text = utf16(bytes) ?? decoded('utf-8', bytes) ?? eightBit(bytes);
  // A file to which PowerShell appends has UTF-16 after UTF-8.
  if (text !== null) return text.replaceAll('\0', '');
  throw unreadable(
    file,
    'is not text in UTF-8, UTF-16 or Windows-1252. Extract its text first, for example with strings',
  );
}

export function unreadable(file: string, problem: string): Failure {
  return new Failure('BAD_FILE', `${file === '-' ? 'standard input' : file} ${problem}.`);
}

/** Removes a byte order mark. Returns null if the bytes are not valid. */
function decoded(encoding: string, bytes: Buffer): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** UTF-16, as PowerShell writes it. Without a byte order mark, at least half of its characters must be of ASCII. */
function utf16(bytes: Buffer): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decoded('utf-16le', bytes);
  if (first === 0xfe && second === 0xff) return decoded('utf-16be', bytes);
  if (!bytes.includes(0)) return null;
  const nuls = [0, 0];
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  if (Math.max(even, odd) * 4 < bytes.length) return null;
  const text = decoded(odd > even ? 'utf-16le' : 'utf-16be', bytes);
  return text?.includes('\0') === false ? text : null;
}

/** Windows-1252 and all other encodings that have ASCII in them, because keys are ASCII. */
function eightBit(bytes: Buffer): string | null {
  return bytes.some((byte) => byte < 0x20 && !textControls.has(byte)) ? null : bytes.toString('latin1');
}
/** BEL, BS, HT, LF, VT, FF, CR, SUB, which ends files of DOS, and ESC. */
const textControls: ReadonlySet<number> = new Set([7, 8, 9, 10, 11, 12, 13, 26, 27]);
