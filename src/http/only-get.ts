import type { RequestHandler } from 'express';
import { LatchkeyError } from '../domain/errors.ts';

/** For paths that are there to be read. */
export const onlyGet: RequestHandler = ({ method }, response, next) => {
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    throw new LatchkeyError('METHOD_NOT_ALLOWED', `${method} is not possible here.`);
  }
  next();
};
