import { createSecretKey, type KeyObject } from 'node:crypto';

const keys = new WeakMap<Buffer, KeyObject>();

/**
 * Returns the key for `createHmac`, made once for each buffer, which must not change afterwards. If `createHmac` gets
 * bytes, Node 24 makes a key for each HMAC, which takes five times as long as the HMAC itself.
 */
export function hmacKey(bytes: Buffer): KeyObject {
  const known = keys.get(bytes);
  if (known !== undefined) return known;
  const key = createSecretKey(bytes);
  keys.set(bytes, key);
  return key;
}
