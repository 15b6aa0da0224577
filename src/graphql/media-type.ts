/** The media type of an answer, after the GraphQL-over-HTTP specification: also of those that never reach Apollo. */
import Negotiator from 'negotiator';

/**
 * In the order that counts where a caller does not care. The parameter is part of them, so that an `Accept` with it
 * finds them as well as one without.
 */
const mediaTypes = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'] as const;

export type GraphQLMediaType = (typeof mediaTypes)[number];

/** The type that the caller likes best; null where it accepts none of them. */
export function graphqlMediaType(accept: string | undefined): GraphQLMediaType | null {
  const preferred = new Negotiator({ headers: { accept } }).mediaType([...mediaTypes]);
  return mediaTypes.find((mediaType) => mediaType === preferred) ?? null;
}

/** For a refusal: whoever accepts none of the types hears that as JSON. */
export function errorMediaType(accept: string | undefined): GraphQLMediaType {
  return graphqlMediaType(accept) ?? 'application/json; charset=utf-8';
}
