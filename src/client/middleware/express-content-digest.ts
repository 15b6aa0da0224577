import { relevantFields } from '../../domain/signature/signed-request.ts';
import { matchesContentDigest } from '../content-digest.ts';
import { isSigned } from '../verification.ts';
import { checkBodyLimit, defaultBodyLimit } from './authenticate.ts';
import type { ExpressMiddleware } from './express-types.ts';
import { readBody, sendProblem } from './node-request.ts';
import { problemAnswer } from './problem-answer.ts';

export interface CheckContentDigestOptions {
  /** The maximum bytes of a body that has a Content-Digest or a signature; other bodies are not read. Default: 1048576. */
  readonly bodyLimit?: number | undefined;
}

/**
 * Middleware for Express 4 and 5 that lets only requests pass whose body `matchesContentDigest`. It answers the others
 * with 401 SIGNATURE_INVALID or 413, as problem+json (RFC 9457). Put it before the body parsers: it makes the body
 * available to them again. Behind one, it needs the bytes in `request.rawBody`, as `requireApiKey` does.
 *
 * Use it behind a gateway that calls `/v1/authorize`, which can't compare bodies. `requireApiKey` includes this check.
 *
 * @throws RangeError for an invalid limit. Passed to `next`: a TypeError where the bytes of the body were already read
 */
export function checkContentDigest({
  bodyLimit = defaultBodyLimit,
}: CheckContentDigestOptions = {}): ExpressMiddleware {
  checkBodyLimit(bodyLimit);
  return (request, response, next) => {
    const headers = request.headers;
    if (!isSigned(headers) && !relevantFields(headers).has('content-digest')) return next();
    const check = async () => {
      const body = await readBody(request, bodyLimit);
      if (body === 'gone' || body === 'PAYLOAD_TOO_LARGE') return body;
      return (await matchesContentDigest(headers, body)) ? 'VALID' : 'SIGNATURE_INVALID';
    };
    // Express 4 ignores the promise that a middleware returns.
    check().then((outcome) => {
      if (outcome === 'VALID') next();
      else if (outcome !== 'gone') sendProblem(problemAnswer(outcome), request, response);
    }, next);
  };
}
