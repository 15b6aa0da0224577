import { createCipheriv, createDecipheriv } from 'node:crypto';

/** The length of a written revision. */
export const revisionCharacters = 22;

const written = new RegExp(`^[\\w-]{${revisionCharacters}}$`);

/** The text of the last confirmed revision, encoded once a revision: every verdict carries it. */
export class WrittenRevision {
  #secret = '';
  #revisions: OpaqueRevisions | null = null;
  #revision = -1;
  text = '';

  /** @param secret the one that all instances share, as hexadecimal digits */
  set(secret: string, revision: number): void {
    if (this.#revisions === null || secret !== this.#secret)
      this.#revisions = new OpaqueRevisions(Buffer.from(secret, 'hex'));
    else if (revision === this.#revision) return;
    this.#secret = secret;
    this.#revision = revision;
    this.text = this.#revisions.encode(BigInt(revision));
  }
}

/**
 * Writes revisions as texts that only this service can read. Revisions count the changes of all teams, so two plain
 * revisions would reveal to a team how many changes other teams made in between.
 */
export class OpaqueRevisions {
  // ECB encrypts each block of 16 bytes on its own, so one cipher object serves all calls.
  readonly #cipher;
  readonly #decipher;

  /** @param secret 32 bytes, the same at every instance */
  constructor(secret: Buffer) {
    this.#cipher = createCipheriv('aes-256-ecb', secret, null).setAutoPadding(false);
    this.#decipher = createDecipheriv('aes-256-ecb', secret, null).setAutoPadding(false);
  }

  encode(revision: bigint): string {
    const block = Buffer.alloc(16);
    block.writeBigInt64BE(revision, 8);
    return this.#cipher.update(block).toString('base64url');
  }

  /** Returns null for a text that `encode` did not return. */
  decode(text: string): bigint | null {
    if (!written.test(text)) return null;
    const block = this.#decipher.update(Buffer.from(text, 'base64url'));
    const revision = block.readBigInt64BE(8);
    // Rejects a block whose first half is not zero, and other base64url spellings of the same bytes.
    return this.encode(revision) === text ? revision : null;
  }
}
