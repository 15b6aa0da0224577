/** The limits of one GraphQL operation. docs/reference/graphql.md lists them. */
import { LatchkeyError } from '../domain/errors.ts';
import type { DocumentSize } from './document-size.ts';

/** The maximum number of tokens in a document. The introspection query of common tools has a fifth of this number. */
export const maxTokens = 1000;
/** The maximum cost, in points (costs/field-cost.ts), of one operation and of all operations of a team that run at once. */
export const maxCost = 1000;
/** Validation stops after this many errors, so that a bad document costs little and gets a short answer. */
export const maxDocumentErrors = 5;

/** Throws BAD_USER_INPUT for an operation that is larger than allowed. */
export function checkLimits({ depth, aliases, directives, introspections, cost }: DocumentSize): void {
  const eachUse = 'counting a fragment each time it is used';
  if (depth > 8) reject(`is ${depth} levels deep; at most 8 are allowed.`);
  if (aliases > 15) reject(`has ${aliases} aliases, ${eachUse}; at most 15 are allowed. Send several documents.`);
  if (directives > 5) reject(`has ${directives} directives, ${eachUse}; at most 5 are allowed.`);
  if (introspections > 1)
    reject(`selects __schema or __type ${introspections} times; select one of them once in a document.`);
  const advice = 'Request fewer fields or smaller pages, or send several documents.';
  if (cost > maxCost) reject(`costs ${Math.ceil(cost)} points; at most ${maxCost} are allowed. ${advice}`);
}

function reject(problem: string): never {
  throw new LatchkeyError('BAD_USER_INPUT', `The operation ${problem}`);
}
