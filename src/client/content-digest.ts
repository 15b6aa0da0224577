/**
 * Compares the body of a request with its Content-Digest (RFC 9530): for an API behind a gateway, which can't. This is
 * what `API_CHECKS_CONTENT_DIGEST=true` promises of the API.
 */
import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { agree, type ContentDigest, hashNames, parseContentDigest } from '../domain/content-digest.ts';
import { type HeaderFields, relevantFields } from '../domain/signed-request.ts';
import { refuse } from './refusal.ts';
import { headersOf, readBody } from './request-body.ts';
import { isSigned } from './verify.ts';

export interface CheckContentDigestOptions {
  /** The maximum bytes of a body that has a Content-Digest or a signature; other bodies are not read. Default: 1048576. */
  readonly bodyLimit?: number | undefined;
}

/**
 * Whether the body is the one that Content-Digest says, by sha-256 and sha-512, whichever are given. A signed request
 * that has a body needs a Content-Digest; without a signature, it may be absent.
 *
 * A body in parts is hashed part by part and not kept. Do nothing with it before this resolves to true.
 *
 * @throws (as rejections) what reading the parts throws
 */
export async function matchesContentDigest(
  headers: HeaderFields,
  body: string | Uint8Array | AsyncIterable<string | Uint8Array>,
): Promise<boolean> {
  const parts = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
  const hashes = { 'sha-256': createHash(hashNames['sha-256']), 'sha-512': createHash(hashNames['sha-512']) };
  let isEmpty = true;
  for await (const part of parts) {
    isEmpty &&= part.length === 0;
    hashes['sha-256'].update(part);
    hashes['sha-512'].update(part);
  }
  const text = relevantFields(headers).get('content-digest');
  if (text === undefined) return isEmpty || !isSigned(headers);
  const told = parseContentDigest(text);
  const arrived: ContentDigest = new Map([
    ['sha-256', hashes['sha-256'].digest()],
    ['sha-512', hashes['sha-512'].digest()],
  ]);
  return told.ok && agree(told.value, arrived);
}

/**
 * Middleware for Express 4 and 5 that lets only requests past whose body `matchesContentDigest`. It answers the others
 * 401 SIGNATURE_INVALID, or 413, with problem+json (RFC 9457). Put it before the body parsers: it hands the body on to
 * them. Behind one, it needs the bytes in `request.rawBody`, as `requireApiKey` does.
 *
 * Behind a gateway that asks `/v1/authorize`, this does what the gateway can't. `requireApiKey` does it by itself.
 *
 * @throws RangeError for a limit that can't be. Passed to `next`: a TypeError where the bytes of the body are gone
 */
export function checkContentDigest({ bodyLimit = 1_048_576 }: CheckContentDigestOptions = {}): RequestHandler {
  if (!(bodyLimit >= 0)) throw new RangeError('bodyLimit must be a number of bytes');
  return (request, response, next) => {
    const headers = headersOf(request);
    if (!isSigned(headers) && !relevantFields(headers).has('content-digest')) return next();
    const judge = async () => {
      const body = await readBody(request, bodyLimit);
      if (body === 'gone' || body === 'PAYLOAD_TOO_LARGE') return body;
      return (await matchesContentDigest(headers, body)) ? 'VALID' : 'SIGNATURE_INVALID';
    };
    // Express 4 does not look at what a middleware returns.
    judge().then((outcome) => {
      if (outcome === 'VALID') next();
      else if (outcome !== 'gone') refuse(outcome, request, response);
    }, next);
  };
}
