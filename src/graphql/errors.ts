/** Converts errors for callers. Masks all errors except LatchkeyErrors and the errors of invalid GraphQL. */
import { HeaderMap } from '@apollo/server';
import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { errorDetails, errorTable, LatchkeyError, masked } from '../domain/errors.ts';
import { expectedOfEnum } from './type-defs.ts';

/** Apollo's codes for requests that are not valid GraphQL. */
const badRequests: ReadonlySet<unknown> = new Set([
  ApolloServerErrorCode.GRAPHQL_PARSE_FAILED,
  ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED,
  ApolloServerErrorCode.BAD_USER_INPUT,
  ApolloServerErrorCode.BAD_REQUEST,
  ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE,
  ApolloServerErrorCode.PERSISTED_QUERY_NOT_FOUND,
  ApolloServerErrorCode.PERSISTED_QUERY_NOT_SUPPORTED,
]);

export function publicError(error: unknown): LatchkeyError {
  const cause = unwrapResolverError(error);
  if (cause instanceof LatchkeyError) return cause;
  if (!(error instanceof GraphQLError)) return masked(error);
  const { originalError } = error;
  if (originalError instanceof LatchkeyError) return originalError;
  return badRequests.has(error.extensions.code)
    ? new LatchkeyError('BAD_USER_INPUT', messageWithoutValues(error))
    : masked(originalError ?? error);
}

export function formatError({ locations, path }: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const returned = publicError(error);
  const { code, message, retryAfterSeconds } = returned;
  return {
    message,
    ...(locations === undefined ? {} : { locations }),
    ...(path === undefined ? {} : { path }),
    extensions: { code, ...errorDetails(returned), ...(code === 'RATE_LIMITED' ? { retryAfterSeconds } : {}) },
  };
}

/** Returns the error for an operation that is rejected before it runs, with the status and headers of the response. */
export function rejection(error: LatchkeyError): GraphQLError {
  const headers = new HeaderMap();
  if (error.retryAfterSeconds !== undefined) headers.set('retry-after', String(error.retryAfterSeconds));
  return new GraphQLError(error.message, {
    originalError: error,
    extensions: { http: { status: errorTable[error.code].status, headers } },
  });
}

/**
 * Removes values from the messages of graphql-js, because a value may be a secret that was pasted into the wrong place.
 * Keeps the names of fields and types. The position of the error is in `locations`.
 */
function messageWithoutValues({ message, nodes }: GraphQLError): string {
  if (message.startsWith('Syntax Error: ')) return syntaxMessage(message);
  if (message.startsWith('Unknown operation named')) return 'The document has no operation with the given name.';
  const isAboutValue = nodes?.[0]?.kind.endsWith('Value') ?? false;
  // Only messages about a value node contain a value, unless a field is missing.
  if (!isAboutValue || /^Field "[\w.]+" of required type/.test(message)) return message;
  const type = expectedTypes.map((expected) => expected.exec(message)?.[1]).find((name) => name !== undefined);
  if (type === undefined) return 'The value here has the wrong type.';
  return `The value here ${expectedOfEnum(type.replace(/!$/, '')) ?? `must be of type ${type}`}.`;
}

/** Patterns that match a message up to the expected type, which precedes the value. */
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
