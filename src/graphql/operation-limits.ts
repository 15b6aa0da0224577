/** The bounds of one GraphQL operation. The README lists them. */
import { LatchkeyError } from '../domain/errors.ts';
import type { DocumentSize } from './document-size.ts';

/** Of a document; five times what the introspection query of common tools has. */
export const maxTokens = 1000;

const limits: readonly {
  readonly of: keyof DocumentSize;
  readonly atMost: number;
  readonly message: (found: number, atMost: number) => string;
}[] = [
  {
    of: 'depth',
    atMost: 8,
    message: (found, atMost) => `The operation is ${found} levels deep; at most ${atMost} are allowed.`,
  },
  {
    of: 'aliases',
    atMost: 15,
    message: (found, atMost) =>
      `The operation has ${found} aliases, those of a fragment counted at each of its uses; at most ${atMost} are allowed. Send several documents.`,
  },
  {
    of: 'directives',
    atMost: 10,
    message: (found, atMost) =>
      `The operation has ${found} directives, those of a fragment counted at each of its uses; at most ${atMost} are allowed.`,
  },
  {
    of: 'introspections',
    atMost: 1,
    message: (found) => `The operation asks for __schema or __type ${found} times; ask once in a document.`,
  },
  {
    of: 'cost',
    atMost: 1000,
    message: (found, atMost) =>
      `The operation costs ${Math.ceil(found)} points; at most ${atMost} are allowed. Ask for fewer fields or smaller pages, or send several documents.`,
  },
];

/** Throws BAD_USER_INPUT for an operation that is larger than allowed. */
export function checkLimits(size: DocumentSize): void {
  for (const { of, atMost, message } of limits) {
    if (size[of] > atMost) throw new LatchkeyError('BAD_USER_INPUT', message(size[of], atMost));
  }
}
