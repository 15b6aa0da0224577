import { crc32 } from 'node:zlib';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { KeyEnv } from '../key/api-key.ts';
import { prefixShape } from '../key/key-prefix.ts';
import { limits } from '../limits.ts';
import { hasSecretShape, secretShape } from './secret-shape.ts';

/**
 * The full plaintext key: `<tag>_<env>_<8 base62>_<43 base62 of 256 random bits><6 base62 CRC-32 of all before it>`.
 * The checksum rejects typos and junk without any I/O, and lets a secret scanner recognize keys reliably.
 */
export interface MintedSecret {
  readonly secret: string;
  /** `<tag>_<env>_<8 base62>`: unique, safe to show and to log. */
  readonly prefix: string;
}

export type RandomBytes = (size: number) => Buffer;

export function mintSecret(tag: string, env: KeyEnv, randomBytes: RandomBytes): MintedSecret {
  const prefix = mintPrefix(tag, env, randomBytes);
  const body = `${prefix}_${toBase62(toNumber(randomBytes(32)), 43)}`;
  return { secret: body + checksum(body), prefix };
}

/** Returns a random prefix. A prefix derived from an imported secret could help to guess that secret. */
export function mintPrefix(tag: string, env: KeyEnv, randomBytes: RandomBytes): string {
  // Reduces 128 random bits to 47, with a bias below 2^-80.
  return `${tag}_${env}_${toBase62(toNumber(randomBytes(16)) % 62n ** 8n, 8)}`;
}

/** Returns whether a text can be an imported key. */
function isPresentable(text: string): boolean {
  return text.length <= limits.presentedCharacters && /^[\x21-\x7e]+$/.test(text);
}

export function parseImportedPrefix(prefix: string, env: KeyEnv): Parsed<string> {
  return prefixShape.exec(prefix)?.[1] === env
    ? accepted(prefix)
    : rejected(`must be a tag, the environment and 4 to 16 letters or digits, such as sk_${env}_4fJx81Qz`);
}

/** Returns the prefix of a well-formed secret; null if the text can't be a key of our own. */
export function prefixOfSecret(text: string): string | null {
  const match = secretShape.exec(text);
  if (match === null) return null;
  const [, prefix = '', digits = ''] = match;
  return crc32(text.slice(0, -6)) === fromBase62(digits) ? prefix : null;
}

/** Only imported keys can have a foreign format. A text with a wrong checksum or shape can't be a key. */
export type SecretFormat = 'valid' | 'wrong checksum' | 'foreign' | 'wrong shape';

export function classify(text: string): SecretFormat {
  if (hasSecretShape(text)) return prefixOfSecret(text) === null ? 'wrong checksum' : 'valid';
  return isPresentable(text) ? 'foreign' : 'wrong shape';
}

function checksum(text: string): string {
  return toBase62(BigInt(crc32(text)), 6);
}

function toNumber(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function fromBase62(digits: string): number {
  return [...digits].reduce((value, digit) => 62 * value + alphabet.indexOf(digit), 0);
}

/** Returns a number in base 62, most significant digit first, padded with zeros to `length`. */
export function toBase62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i += 1) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  if (rest !== 0n) throw new RangeError(`the number does not fit ${length} digits of base 62`);
  return text;
}
