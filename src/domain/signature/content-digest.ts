import { createHash } from 'node:crypto';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { parseByteSequences, serializeByteSequence } from './structured-fields.ts';

/** The secure algorithms of RFC 9530, section 5, and the lengths of their digests in bytes. */
const digestBytes = { 'sha-256': 32, 'sha-512': 64 } as const;

export type DigestAlgorithm = keyof typeof digestBytes;

/** At least one digest of a body, by algorithm. */
export type ContentDigest = ReadonlyMap<DigestAlgorithm, Buffer>;

const algorithms: readonly DigestAlgorithm[] = ['sha-256', 'sha-512'];
export const hashNames = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const;

/** Returns the value of a Content-Digest header (RFC 9530, section 2) for a body. Encodes a string as UTF-8. */
export function contentDigest(body: string | Uint8Array, algorithm: DigestAlgorithm = 'sha-256'): string {
  return serializeByteSequence(algorithm, digestOf(body, algorithm));
}

/** Returns the digests of a body by every algorithm, for a comparison with any Content-Digest. */
export function bodyDigests(body: string | Uint8Array): ContentDigest {
  return new Map(algorithms.map((algorithm) => [algorithm, digestOf(body, algorithm)]));
}

function digestOf(body: string | Uint8Array, algorithm: DigestAlgorithm): Buffer {
  return createHash(hashNames[algorithm]).update(body).digest();
}

/** Needs a sha-256 or sha-512 digest. Ignores other algorithms (RFC 9530, section 5). */
export function parseContentDigest(value: string): Parsed<ContentDigest> {
  const members = parseByteSequences(value);
  if (!members.ok) return members;
  const digests = new Map<DigestAlgorithm, Buffer>();
  for (const algorithm of algorithms) {
    const digest = members.value.get(algorithm);
    if (digest === undefined) continue;
    if (digest.length !== digestBytes[algorithm]) {
      return rejected(`must have ${digestBytes[algorithm]} bytes for ${algorithm}`);
    }
    digests.set(algorithm, digest);
  }
  return digests.size === 0 ? rejected('must have a sha-256 or a sha-512 digest') : accepted(digests);
}

/** Returns whether the digests of all shared algorithms (at least one) are equal. Timing reveals no secret. */
export function agree(one: ContentDigest, other: ContentDigest): boolean {
  let sharedAlgorithms = 0;
  for (const [algorithm, digest] of one) {
    const counterpart = other.get(algorithm);
    if (counterpart === undefined) continue;
    if (!digest.equals(counterpart)) return false;
    sharedAlgorithms += 1;
  }
  return sharedAlgorithms > 0;
}

const digestsOfEmptyBody = bodyDigests('');

export function isDigestOfNothing(digest: ContentDigest): boolean {
  return agree(digest, digestsOfEmptyBody);
}
