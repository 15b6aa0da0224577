/** The digest of an imported key: the hash of the whole key as its holder sends it, in UTF-8. */
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';

export const importedDigestAlgorithms = ['sha256', 'sha512'] as const;
export type ImportedDigestAlgorithm = (typeof importedDigestAlgorithms)[number];

export interface ImportedDigest {
  readonly algorithm: ImportedDigestAlgorithm;
  readonly bytes: Buffer;
}

const expected =
  'must be the SHA-256 or SHA-512 digest of the whole key, in hexadecimal or base64, such as sha256:<64 hexadecimal characters>';

const bytesOf: Readonly<Record<ImportedDigestAlgorithm, number>> = { sha256: 32, sha512: 64 };

/** Determines the algorithm and the encoding by the length. */
export function parseImportedDigest(text: string): Parsed<ImportedDigest> {
  const [, named, encoded = ''] = /^(?:(sha256|sha512):)?([0-9A-Za-z+/_=-]+)$/.exec(text) ?? [];
  for (const algorithm of importedDigestAlgorithms) {
    if (named !== undefined && named !== algorithm) continue;
    const bytes = decode(encoded, bytesOf[algorithm]);
    if (bytes !== null) return accepted({ algorithm, bytes });
  }
  return rejected(expected);
}

/** Parses the SHA-256 of a secret that a client made (`secret-shape.ts`). */
export function parseClientDigest(text: string): Parsed<Buffer> {
  const parsed = parseImportedDigest(text);
  const isSha256 = parsed.ok && parsed.value.algorithm === 'sha256';
  return isSha256
    ? accepted(parsed.value.bytes)
    : rejected('must be the SHA-256 digest of the whole secret, such as sha256:<64 hexadecimal characters>');
}

function decode(text: string, length: number): Buffer | null {
  if (text.length === length * 2) return /^[0-9a-f]+$/i.test(text) ? Buffer.from(text, 'hex') : null;
  const unpadded = text.replace(/={1,2}$/, '');
  const canonical = unpadded.replaceAll('+', '-').replaceAll('/', '_');
  const bytes = Buffer.from(canonical, 'base64url');
  // Encodes the bytes again, because Node's decoder ignores invalid characters.
  return bytes.length === length && bytes.toString('base64url') === canonical ? bytes : null;
}

/** The placeholder for the digest of a key that a version before 0.2 released. No presented key matches it. */
export function releasedDigest(keyId: string): string {
  return `released ${keyId}`;
}
