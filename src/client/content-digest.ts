import { createHash } from 'node:crypto';
import { agree, type ContentDigest, hashNames, parseContentDigest } from '../domain/signature/content-digest.ts';
import { type HeaderFields, relevantFields } from '../domain/signature/signed-request.ts';
import { isSigned } from './verification.ts';

/**
 * Returns whether the body has the digests in Content-Digest (RFC 9530): sha-256, sha-512 or both. A signed request
 * with a body needs a Content-Digest; an unsigned request does not.
 *
 * An API behind a gateway must call this if `API_CHECKS_CONTENT_DIGEST=true` is set, because a gateway can't compare
 * bodies. A body in parts is hashed part by part and not kept. Do not use the body before this resolves to true.
 *
 * @throws (as rejections) errors from reading the parts
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
  const expected = parseContentDigest(text);
  const arrived: ContentDigest = new Map([
    ['sha-256', hashes['sha-256'].digest()],
    ['sha-512', hashes['sha-512'].digest()],
  ]);
  return expected.ok && agree(expected.value, arrived);
}
