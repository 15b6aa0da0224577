import { crc32 } from 'node:zlib';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { KeyEnv } from '../key/api-key.ts';
import { isPrefix, prefixStart } from '../key/key-prefix.ts';
import { limits } from '../limits.ts';
import { anySecretShape, derivedParts, type SecretForm, secretFormOf, startPattern } from './secret-shape.ts';

/**
 * The full plaintext secret: `<tag>_<words>_<8 base62>_<43 base62 of 256 random bits><6 base62 CRC-32 of all before it>`.
 * The words are the environment of a key, `<env>_c` if a client makes the secret, and `mgmt` for a management key. The
 * checksum rejects typos and junk without any I/O, and lets a secret scanner recognize keys reliably.
 */
export interface MintedSecret {
  readonly secret: string;
  /** `<tag>_<words>_<8 base62>`: different for each key, safe to show and to log. */
  readonly prefix: string;
}

/** What stands between the tag and the random part. */
export type SecretWords = KeyEnv | `${KeyEnv}_c` | 'mgmt';

export type RandomBytes = (size: number) => Buffer;

export function mintSecret(tag: string, words: SecretWords, randomBytes: RandomBytes): MintedSecret {
  const prefix = mintPrefix(tag, words, randomBytes);
  const body = `${prefix}_${toBase62(toNumber(randomBytes(32)), 43)}`;
  return { secret: body + checksum(body), prefix };
}

/** Returns a random prefix. A prefix derived from an imported secret could help to guess that secret. */
export function mintPrefix(tag: string, words: SecretWords, randomBytes: RandomBytes): string {
  // Reduces 128 random bits to 47, with a bias below 2^-80.
  return `${tag}_${words}_${toBase62(toNumber(randomBytes(16)) % 62n ** 8n, 8)}`;
}

/** Returns whether a text can be an imported key. */
function isPresentable(text: string): boolean {
  return text.length <= limits.presentedCharacters && /^[\x21-\x7e]+$/.test(text);
}

/** The words before the random part of a key, such as `acme_prod_` or `SG.`. */
const words = /^(?:(?:[a-z]+|[A-Z]+)\d{0,2}[-_.:]+){0,3}/;
/** Groups of a random part, which can look like words: of a UUID, or of one length, as in `abcd-efgh-ijkl`. Not `acme-live-`. */
const randomGroups =
  /^(?![a-z]+-(?:live|test|prod)-)(?:[\da-f]{8}-|(?:(?:[^-]{4}-){2}[^-]{0,4}|(?:[^-]{5}-){2}[^-]{0,5}|(?:[^-]{6}-){2}[^-]{0,6})(?:-|$))/i;
const environment = /(?:^|[-_.:])(live|test)[-_.:]/;
/** The beginnings of the prefixes of management keys, and of keys whose secret a client made. */
const notImported = new RegExp(`^${startPattern('client', 'management')}`);
/** As many as in a key that Latchkey creates. In an imported key, they are a part of what no one may guess. */
const shownCharacters = 8;

/** Returns the prefix without the characters that would tell too much of the key's random part. */
export function parseImportedPrefix(prefix: string, env: KeyEnv): Parsed<string> {
  if (notImported.test(prefix)) return rejected('must not look like the prefix of a key that no import makes');
  if (!isPrefix(prefix)) {
    return rejected(`must be the first 4 to 24 characters of the key, visible ASCII, such as sk_${env}_4fJx81Qz`);
  }
  const [, named = env] = environment.exec(prefix) ?? [];
  if (named !== env) return rejected(`must not name another environment: expected one such as sk_${env}_4fJx81Qz`);
  const [start = ''] = prefixStart.exec(prefix) ?? (randomGroups.test(prefix) ? null : words.exec(prefix)) ?? [];
  return accepted(prefix.slice(0, start.length + shownCharacters));
}

/** Returns the prefix of a well-formed secret in any form; null if the text can't be a secret of our own. */
export function prefixOfSecret(text: string): string | null {
  const prefix = anySecretShape.exec(text)?.[1] ?? derivedParts(text)?.start.slice(0, -1);
  return prefix !== undefined && hasChecksum(text) ? prefix : null;
}

/** Whether a text ends with the checksum of all before it. */
export function hasChecksum(text: string): boolean {
  return crc32(text.slice(0, -6)) === fromBase62(text.slice(-6));
}

/**
 * Only imported keys can have a foreign format. A text with a wrong checksum or shape can't be a key, and a management key
 * is none of a team's APIs.
 */
export type SecretFormat = 'valid' | 'wrong checksum' | 'management key' | 'foreign' | 'wrong shape';

export function classify(text: string): SecretFormat {
  const form: SecretForm | 'derived' | null = secretFormOf(text);
  if (form === 'management') return 'management key';
  if (form !== null) return prefixOfSecret(text) === null ? 'wrong checksum' : 'valid';
  return isPresentable(text) ? 'foreign' : 'wrong shape';
}

export function checksum(text: string): string {
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
