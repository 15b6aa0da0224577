/** The limits of one GraphQL operation. docs/graphql.md lists them. */
import { LatchkeyError } from '../domain/errors.ts';
import type { DocumentSize } from './document-size.ts';

/** Of a document. The introspection query of common tools has a fifth of that. */
export const maxTokens = 1000;
/** Of an operation, in points (field-costs.ts); also of all operations of one team that run at once. */
export const maxCost = 1000;

/** The errors that a document is validated for, so that one with many costs little and has a short answer. */
export const maxDocumentErrors = 5;

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
      `The operation has ${found} aliases, counting a fragment each time it is used; at most ${max} are allowed. Send several documents.`,
  },
  {
    of: 'directives',
    max: 5,
    message: (found, max) =>
      `The operation has ${found} directives, counting a fragment each time it is used; at most ${max} are allowed.`,
  },
  {
    of: 'introspections',
    max: 1,
    message: (found) =>
      `The operation selects __schema or __type ${found} times; select one of them once in a document.`,
  },
  {
    of: 'cost',
    max: maxCost,
    message: (found, max) =>
      `The operation costs ${Math.ceil(found)} points; at most ${max} are allowed. Request fewer fields or smaller pages, or send several documents.`,
  },
];

/** Throws BAD_USER_INPUT for an operation that is larger than allowed. */
export function checkLimits(size: DocumentSize): void {
  for (const { of, max, message } of limits) {
    if (size[of] > max) throw new LatchkeyError('BAD_USER_INPUT', message(size[of], max));
  }
}
