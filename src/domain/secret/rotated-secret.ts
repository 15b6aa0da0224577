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

/** The maximum time for which a previous secret is accepted after a rotation. */
export const maxOverlapSeconds = 30 * 86_400;

export function parseOverlap(seconds: number): Parsed<number> {
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= maxOverlapSeconds
    ? accepted(seconds)
    : rejected(`must be from 0 to ${maxOverlapSeconds} (30 days)`);
}
