/**
 * Removes values from the messages of graphql-js. A value may be a secret that was pasted into the wrong place, so
 * callers and logs get only what was expected, and `locations` says where. Names of fields and types are kept.
 */
import type { GraphQLError } from 'graphql';
import { expectedOfEnum } from './type-defs.ts';

export function messageWithoutValues({ message, nodes }: GraphQLError): string {
  if (message.startsWith('Syntax Error: ')) return syntaxMessage(message);
  if (message.startsWith('Unknown operation named')) return 'The document has no operation with the given name.';
  const isAboutValue = nodes?.[0]?.kind.endsWith('Value') ?? false;
  // This message contains only names of the schema.
  if (!isAboutValue || /^Field "[\w.]+" of required type/.test(message)) return message;
  const type = expectedTypes.map((expected) => expected.exec(message)?.[1]).find((name) => name !== undefined);
  if (type === undefined) return 'The value here has the wrong type.';
  return `The value here ${expectedOfEnum(type.replace(/!$/, '')) ?? `must be of type ${type}`}.`;
}

/** Match the messages of validation rules and scalars up to the expected type, before the value. */
const expectedTypes = [
  /^Expected value of type "([\w![\]]+)"/,
  /^Value "\w+" does not exist in "(\w+)" enum/,
  /^Enum "(\w+)" cannot represent/,
  /^(Int|Float|String|Boolean|ID|DateTime) cannot represent/,
  /^(?:Value is not a valid|Can only validate strings as) (UUID)/,
];

function syntaxMessage(message: string): string {
  const expected = /^Syntax Error: Expected ("[^"]+"|\S+), found /.exec(message)?.[1];
  if (expected !== undefined) return `Syntax Error: Expected ${expected}.`;
  const isHarmless = /^Syntax Error: (?:Unterminated string|Document contains more tha[nt] \d+ tokens)/.test(message);
  return isHarmless ? message : 'Syntax Error: Unexpected character or token.';
}
