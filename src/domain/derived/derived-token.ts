/**
 * A derived token lets a job, a device or a browser do a part of what a key may, for at most a day. No table has it: it
 * contains the id of the key, the version of the key's secret, an expiry and restrictions, and an HMAC under a key of the
 * ring. So it ends with its key: when the key is revoked, rotated away, disabled or frozen, or its expiry or lists become
 * tighter. Only instances open tokens: who has a key of the ring can make one for every key.
 *
 * `<tag>_<env>_d_<base64url of what is below><6 base62 CRC-32 of all before it>`:
 * version 1 (1 byte) | id of the key (16) | version of its secret (4) | expiry in ms (6) | length and id of the ring key |
 * restrictions as JSON | HMAC-SHA-256 (32) of the tag, the environment and all before it.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { isStringList } from '../../lib/json-object.ts';
import type { KeyEnv } from '../key/key-env.ts';
import { limits } from '../limits.ts';
import { hmacKey } from '../secret/hmac-key.ts';
import type { KeyRing, RingKey } from '../secret/key-ring.ts';
import { checksum, hasChecksum } from '../secret/secret.ts';
import { derivedParts } from '../secret/secret-shape.ts';

export interface DerivedToken {
  readonly keyId: string;
  /** The version of the secret that it was derived from. */
  readonly secretVersion: number;
  /** In milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Those of the key's scopes that it has. */
  readonly scopes: readonly string[];
  /** The networks that can use it, besides what the key allows; null for all. */
  readonly sources: readonly string[] | null;
  /** What its uses are counted under; null for none. */
  readonly label: string | null;
}

/** Printed with the key's usage, and counted by the name of a row. */
export const labelShape = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,${limits.derivedLabelCharacters - 1}}$`);

/** The label of all uses after a key had the maximum number of labels. */
export const otherLabels = '';

const format = 1;
const [idBytes, versionBytes, expiryBytes, macBytes] = [16, 4, 6, 32];
const fixedBytes = 1 + idBytes + versionBytes + expiryBytes;

const macKeys = new WeakMap<RingKey, Buffer>();

/** A key of its own purpose: the ring has others. */
function macKeyOf(ringKey: RingKey): Buffer {
  const known = macKeys.get(ringKey);
  if (known !== undefined) return known;
  const key = Buffer.from(hkdfSync('sha256', ringKey.bytes, '', 'latchkey derived tokens', 32));
  macKeys.set(ringKey, key);
  return key;
}

function macOf(ringKey: RingKey, start: string, body: Buffer): Buffer {
  return createHmac('sha256', hmacKey(macKeyOf(ringKey)))
    .update(start)
    .update(body)
    .digest();
}

/** Returns null if the token would be longer than a presented key may be. */
export function mintDerived(tag: string, env: KeyEnv, token: DerivedToken, { current }: KeyRing): string | null {
  const fixed = Buffer.alloc(fixedBytes);
  fixed.writeUInt8(format, 0);
  Buffer.from(token.keyId.replaceAll('-', ''), 'hex').copy(fixed, 1);
  fixed.writeUInt32BE(token.secretVersion, 1 + idBytes);
  fixed.writeUIntBE(token.expiresAt, 1 + idBytes + versionBytes, expiryBytes);
  const ringId = Buffer.from(current.id);
  const { scopes, sources, label } = token;
  const restrictions = Buffer.from(JSON.stringify([scopes, sources, label]));
  const body = Buffer.concat([fixed, Buffer.from([ringId.length]), ringId, restrictions]);
  const start = `${tag}_${env}_d_`;
  const text = start + Buffer.concat([body, macOf(current, start, body)]).toString('base64url');
  const whole = text + checksum(text);
  return whole.length <= limits.presentedCharacters ? whole : null;
}

/** Returns null for anything that no instance with this ring has made. */
export function openDerived(text: string, { byId }: KeyRing): DerivedToken | null {
  const parts = derivedParts(text);
  if (parts === null || !hasChecksum(text)) return null;
  const bytes = Buffer.from(parts.body, 'base64url');
  if (bytes.toString('base64url') !== parts.body || bytes.length < fixedBytes + 1 + macBytes) return null;
  const idLength = bytes.readUInt8(fixedBytes);
  const restrictionsAt = fixedBytes + 1 + idLength;
  const macAt = bytes.length - macBytes;
  if (bytes.readUInt8(0) !== format || restrictionsAt > macAt) return null;
  const ringKey = byId.get(bytes.toString('utf8', fixedBytes + 1, restrictionsAt));
  if (ringKey === undefined) return null;
  const body = bytes.subarray(0, macAt);
  if (!timingSafeEqual(macOf(ringKey, parts.start, body), bytes.subarray(macAt))) return null;
  return {
    keyId: bytes.toString('hex', 1, 1 + idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    secretVersion: bytes.readUInt32BE(1 + idBytes),
    expiresAt: bytes.readUIntBE(1 + idBytes + versionBytes, expiryBytes),
    ...restrictionsOf(bytes.toString('utf8', restrictionsAt, macAt)),
  };
}

/** The HMAC was compared, so only `mintDerived` has written them. */
function restrictionsOf(json: string): Pick<DerivedToken, 'scopes' | 'sources' | 'label'> {
  const [scopes, sources, label]: unknown[] = JSON.parse(json);
  if (!isStringList(scopes)) throw new TypeError('a derived token has a list of scopes');
  return {
    scopes,
    sources: isStringList(sources) ? sources : null,
    label: typeof label === 'string' ? label : null,
  };
}
