/** Negotiates the media type of responses (GraphQL over HTTP), including errors that are sent before Apollo runs. */
import Negotiator from 'negotiator';

/** In order of preference. The types have a charset, so that `Accept` headers with and without a charset match. */
const mediaTypes = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'] as const;

export type GraphQLMediaType = (typeof mediaTypes)[number];

/** Returns the media type that the caller prefers; null if the caller accepts neither type. */
export function graphqlMediaType(accept: string | undefined): GraphQLMediaType | null {
  const preferred = new Negotiator({ headers: { accept } }).mediaType([...mediaTypes]);
  return mediaTypes.find((mediaType) => mediaType === preferred) ?? null;
}

/** Returns the media type of an error. Callers that accept neither type get JSON. */
export function errorMediaType(accept: string | undefined): GraphQLMediaType {
  return graphqlMediaType(accept) ?? 'application/json; charset=utf-8';
}
