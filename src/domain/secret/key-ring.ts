import { createHmac } from 'node:crypto';

export interface RingKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Secret keys of one purpose. The current key is for new values; the other keys are needed to read older values. */
export interface KeyRing {
  readonly current: RingKey;
  readonly byId: ReadonlyMap<string, RingKey>;
}

export function keyRing(keys: readonly [RingKey, ...RingKey[]]): KeyRing {
  return { current: keys[0], byId: new Map(keys.map((key) => [key.id, key])) };
}

/** Returns a digest by which two processes can compare a ring key without revealing its bytes. */
export function fingerprint(key: RingKey): string {
  return createHmac('sha256', key.bytes).update('latchkey ring fingerprint').digest('base64url');
}
