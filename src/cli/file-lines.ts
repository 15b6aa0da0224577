import { pipeline } from 'node:stream';
import split from 'split2';
import { decodeText } from '../key-file/decoding.ts';
import { BadFile, tooLong } from '../key-file/lines.ts';

export interface FileLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** Reads a text line by line, so that it can have any size. Throws BadFile if a line is longer than `maxBytes`, or no text. */
export async function* fileLines(
  source: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): AsyncGenerator<FileLine> {
  let [number, linesSplit] = [0, 0];
  const count = (text: string) => {
    linesSplit += 1;
    return text;
  };
  const lines = pipeline(decodeText(source), split(/\r?\n/, count, { maxLength: maxBytes }), () => undefined);
  try {
    for await (const text of lines as AsyncIterable<string>) {
      number += 1;
      yield { number, text };
    }
  } catch (error) {
    if (!(error instanceof Error && error.message === 'maximum buffer reached')) throw error;
    throw new BadFile(linesSplit + 1, tooLong(maxBytes));
  }
}
