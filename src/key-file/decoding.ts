/** Decodes a file as UTF-8, or as UTF-16 with a byte order mark, and never replaces what it can't decode. */
import { BadFile } from './lines.ts';

const [lineFeed, empty, encoder] = [0x0a, new Uint8Array(), new TextEncoder()];

/**
 * Decodes a file, which can have any size, without its byte order mark. Throws BadFile with the line of the first byte
 * that is wrong.
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  let [decoder, held]: [Decoder | null, Uint8Array] = [null, empty];
  for await (const chunk of chunks) {
    // A stream of text has been decoded before.
    const part: Uint8Array = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    const bytes: Uint8Array = held.length === 0 ? part : concatenated(held, part);
    if (decoder === null && bytes.length < 2) held = bytes;
    else {
      decoder ??= new Decoder(bytes);
      held = empty;
      yield decoder.decode(bytes);
    }
  }
  decoder ??= new Decoder(held);
  yield decoder.decode(held) + decoder.end();
}

class Decoder {
  readonly #decoder: InstanceType<typeof TextDecoder>;
  /** The bytes of a line feed from 0x0a on. */
  readonly #lineFeedBytes: number;
  #line = 1;

  /** @param start the first two bytes, or more */
  constructor([first = 0, second = 0]: Uint8Array) {
    const mark = first * 256 + second;
    const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
    this.#lineFeedBytes = encoding === 'utf-16le' ? 2 : 1;
    this.#decoder = new TextDecoder(encoding, { fatal: true });
  }

  /** Decodes line by line, so that an error is in the line that is counted. */
  decode(bytes: Uint8Array): string {
    let text = '';
    for (let start = 0; start < bytes.length; ) {
      const found = bytes.indexOf(lineFeed, start);
      const end = found === -1 ? bytes.length : found + this.#lineFeedBytes;
      text += this.#decoded(bytes.subarray(start, end), true);
      start = end;
    }
    return text;
  }

  end(): string {
    return this.#decoded(empty, false);
  }

  #decoded(bytes: Uint8Array, stream: boolean): string {
    let text: string;
    try {
      text = this.#decoder.decode(bytes, { stream });
    } catch {
      throw this.#notText();
    }
    // Text has none. UTF-16 without a byte order mark has many.
    if (text.includes('\0')) throw this.#notText();
    this.#line += text.split('\n').length - 1;
    return text;
  }

  #notText(): BadFile {
    return new BadFile(this.#line, 'is not text in UTF-8. Save the file as UTF-8: in Excel, with the type “CSV UTF-8”');
  }
}

function concatenated(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}
