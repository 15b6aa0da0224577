import type { RequestHandler } from 'express';
import { LatchkeyError } from '../../domain/errors.ts';

/** Rejects all methods but GET and HEAD. */
export const onlyGet: RequestHandler = ({ method }, response, next) => {
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    throw new LatchkeyError('METHOD_NOT_ALLOWED', `${method} is not supported at this path.`);
  }
  next();
};
