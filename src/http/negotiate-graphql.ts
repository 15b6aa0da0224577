import type { RequestHandler } from 'express';
import { LatchkeyError } from '../domain/errors.ts';
import { graphqlMediaType } from '../graphql/media-type.ts';

/** Checks `Accept` before anything runs. Apollo checks it afterwards, and would answer 406 for a change that was made. */
export const negotiateGraphQL: RequestHandler = ({ headers }, response, next) => {
  response.vary('Accept');
  if (graphqlMediaType(headers.accept) === null) {
    throw new LatchkeyError(
      'NOT_ACCEPTABLE',
      'Responses are application/graphql-response+json or application/json, and Accept excludes both.',
    );
  }
  next();
};
