import { hkdfSync } from 'node:crypto';
import type { KeyRing } from '../domain/secret/key-ring.ts';

/** Far more than a cookie can hold, and little enough to decompress for any caller. */
const maxBytes = 250_000;

const maxPlainBytes = 1500;

/**
 * Encrypts claims that only instances with the same secrets read, as a JWE (RFC 7516) with AES-256-GCM. Its keys are
 * derived from a ring: the current key encrypts, and every key of the ring decrypts. Each purpose has its own keys, so
 * that what was made for one purpose is not accepted for another.
 */
export class SealedClaims {
  readonly #currentId: string;
  readonly #keys: ReadonlyMap<string, Uint8Array>;

  constructor(ring: KeyRing, purpose: string) {
    this.#currentId = ring.current.id;
    this.#keys = new Map(
      [...ring.byId].map(([id, { bytes }]) => [id, new Uint8Array(hkdfSync('sha256', bytes, '', purpose, 32))]),
    );
  }

  /** Compresses only long claims, because a list of permissions repeats itself, and that takes twice as long as the rest. */
  async seal(claims: object): Promise<string> {
    const { CompactEncrypt } = await import('jose/jwe/compact/encrypt');
    const text = Buffer.from(JSON.stringify(claims));
    const zip = text.length > maxPlainBytes ? { zip: 'DEF' } : {};
    return await new CompactEncrypt(text)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', ...zip, kid: this.#currentId })
      .encrypt(this.#keyOf(this.#currentId));
  }

  /** Returns null for every text that `seal` did not return. */
  async open(text: string): Promise<unknown> {
    const { compactDecrypt } = await import('jose/jwe/compact/decrypt');
    try {
      const { plaintext } = await compactDecrypt(text, ({ kid }) => this.#keyOf(kid), {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        maxDecompressedLength: maxBytes,
      });
      return JSON.parse(new TextDecoder().decode(plaintext));
    } catch {
      return null;
    }
  }

  #keyOf(id: string | undefined): Uint8Array {
    const key = id === undefined ? undefined : this.#keys.get(id);
    if (key === undefined) throw new Error('the key is not in the ring');
    return key;
  }
}
