import { createCipheriv, createDecipheriv } from 'node:crypto';

/**
 * Writes revisions as texts that only this service can read. Revisions count the changes of all teams, so two plain ones
 * would reveal to a team how many changes others made in between.
 */
export class OpaqueRevisions {
  // Each block of 16 bytes is encrypted on its own, so that one cipher serves all calls.
  readonly #cipher;
  readonly #decipher;

  /** `secret` has 32 bytes, the same at every instance. */
  constructor(secret: Buffer) {
    this.#cipher = createCipheriv('aes-256-ecb', secret, null).setAutoPadding(false);
    this.#decipher = createDecipheriv('aes-256-ecb', secret, null).setAutoPadding(false);
  }

  encode(revision: bigint): string {
    const block = Buffer.alloc(16);
    block.writeBigInt64BE(revision, 8);
    return this.#cipher.update(block).toString('base64url');
  }

  /** Null for any text that `encode` has not returned. */
  decode(text: string): bigint | null {
    if (!/^[\w-]{22}$/.test(text)) return null;
    const block = this.#decipher.update(Buffer.from(text, 'base64url'));
    const revision = block.readBigInt64BE(8);
    // The first half of the block is zero; and base64url has several texts for the same bytes.
    return this.encode(revision) === text ? revision : null;
  }
}
