import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { ApiKey } from '../key/api-key.ts';

/** An earlier secret of a key, as it is stored. */
export interface RotatedSecret {
  readonly digest: string;
  readonly keyId: string;
  readonly teamId: string;
  /** The `secretVersion` that the key had with this secret. */
  readonly version: number;
  readonly prefix: string;
  readonly pepperId: string;
  readonly rotatedAt: Date;
}

/** Returns the `version` of the previous secret, which is the earliest that is shown with its key. */
export function earliestShown(secretVersion: number): number {
  return secretVersion - 1;
}

/** Returns until when a secret of a key is accepted, in ms since 1970; null for the current secret, which has no end. */
export function secretEnd(
  { secretVersion, previousExpiresAt }: Pick<ApiKey, 'secretVersion' | 'previousExpiresAt'>,
  version: number,
): number | null {
  if (version === secretVersion) return null;
  return version === secretVersion - 1 ? (previousExpiresAt?.getTime() ?? ended) : ended;
}

const ended = Number.NEGATIVE_INFINITY;

/** The fields of a key about its signing secrets. Times are dates or, in the data plane, numbers. */
interface SigningSecrets<Moment> {
  readonly signingEnvelope: string | null;
  readonly signingVersion: number;
  readonly previousSigningEnvelope: string | null;
  readonly previousSigningVersion: number | null;
  readonly previousSigningExpiresAt: Moment | null;
}

/** Returns the sealed previous signing secret, and the last moment of its overlap; null if there is none. */
export function previousSigningSecret<Moment>(key: SigningSecrets<Moment>) {
  const { previousSigningEnvelope: envelope, previousSigningExpiresAt: expiresAt } = key;
  if (key.signingEnvelope === null || envelope === null || expiresAt === null) return null;
  const version = key.signingVersion - 1;
  return key.previousSigningVersion === version ? { envelope, version, expiresAt } : null;
}

/**
 * Returns until when a previous secret of a key is accepted, as everything that shows it says; null if it is not. An
 * overlap ends with its key: when the key expires or is revoked. If the expiry is moved later, the overlap's own end is
 * in force again. Disabling a key does not end its overlap: once it is enabled, both secrets are accepted again.
 */
export function overlapEnd(
  key: SigningSecrets<Date> & Pick<ApiKey, 'expiresAt' | 'revokedAt' | 'previousExpiresAt'>,
  secret: 'key' | 'signing',
): Date | null {
  const end = secret === 'key' ? key.previousExpiresAt : (previousSigningSecret(key)?.expiresAt ?? null);
  if (end === null || key.revokedAt !== null) return null;
  return key.expiresAt !== null && key.expiresAt < end ? key.expiresAt : end;
}

/** The maximum time for which a previous secret is accepted after a rotation. */
export const maxOverlapSeconds = 30 * 86_400;

export function parseOverlap(seconds: number): Parsed<number> {
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= maxOverlapSeconds
    ? accepted(seconds)
    : rejected(`must be from 0 to ${maxOverlapSeconds} (30 days)`);
}
