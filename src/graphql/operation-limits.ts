/** The bounds of one GraphQL operation. The README lists them. */
import { LatchkeyError } from '../domain/errors.ts';
import type { DocumentSize } from './document-size.ts';

/** Of a document; five times what the introspection query of common tools has. */
export const maxTokens = 1000;

const limits: readonly {
  readonly of: keyof DocumentSize;
  readonly max: number;
  readonly message: (found: number, max: number) => string;
}[] = [
  {
    of: 'depth',
    max: 8,
    message: (found, max) => `The operation is ${found} levels deep; at most ${max} are allowed.`,
  },
  {
    of: 'aliases',
    max: 15,
    message: (found, max) =>
      `The operation has ${found} aliases, those of a fragment counted at each of its uses; at most ${max} are allowed. Send several documents.`,
  },
  {
    of: 'directives',
    max: 10,
    message: (found, max) =>
      `The operation has ${found} directives, those of a fragment counted at each of its uses; at most ${max} are allowed.`,
  },
  {
    of: 'introspections',
    max: 1,
    message: (found) => `The operation asks for __schema or __type ${found} times; ask once in a document.`,
  },
  {
    of: 'cost',
    max: 1000,
    message: (found, max) =>
      `The operation costs ${Math.ceil(found)} points; at most ${max} are allowed. Ask for fewer fields or smaller pages, or send several documents.`,
  },
];

/** Throws BAD_USER_INPUT for an operation that is larger than allowed. */
export function checkLimits(size: DocumentSize): void {
  for (const { of, max, message } of limits) {
    if (size[of] > max) throw new LatchkeyError('BAD_USER_INPUT', message(size[of], max));
  }
}
