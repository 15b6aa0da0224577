import type { RequestHandler } from 'express';
import { LatchkeyError } from '../domain/errors.ts';
import { graphqlMediaType } from '../graphql/media-type.ts';

/** Before anything runs: Apollo looks at `Accept` afterwards, and would say 406 of a change that was made. */
export const negotiateGraphQL: RequestHandler = ({ headers }, response, next) => {
  response.vary('Accept');
  if (graphqlMediaType(headers.accept) === null) {
    throw new LatchkeyError(
      'NOT_ACCEPTABLE',
      'Answers are application/graphql-response+json or application/json, and Accept excludes both.',
    );
  }
  next();
};
