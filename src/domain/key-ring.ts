import { createHmac } from 'node:crypto';

export interface RingKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Secret keys of one purpose. New values are made with the current one; the others still read old values. */
export interface KeyRing {
  readonly current: RingKey;
  readonly byId: ReadonlyMap<string, RingKey>;
}

export function keyRing(keys: readonly [RingKey, ...RingKey[]]): KeyRing {
  return { current: keys[0], byId: new Map(keys.map((key) => [key.id, key])) };
}

/** Tells whether two processes mean the same bytes by a ring key's id, without telling the bytes. */
export function fingerprint(key: RingKey): string {
  return createHmac('sha256', key.bytes).update('latchkey ring fingerprint').digest('base64url');
}
