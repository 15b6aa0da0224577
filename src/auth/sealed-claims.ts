import { hkdfSync } from 'node:crypto';
import type { KeyRing } from '../domain/secret/key-ring.ts';

/** Far more than a cookie can hold, and little enough to decompress for any caller. */
const maxBytes = 250_000;

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

  /** Compresses claims that repeat themselves, such as a list of permissions. That takes three times the CPU time. */
  async seal(claims: object, { compresses = true } = {}): Promise<string> {
    const { CompactEncrypt } = await import('jose/jwe/compact/encrypt');
    const zip = compresses ? { zip: 'DEF' } : {};
    return await new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
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
