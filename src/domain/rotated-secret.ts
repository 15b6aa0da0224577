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

/** The longest time for which a previous secret is accepted after a rotation. */
export const maxOverlapSeconds = 30 * 86_400;

/** Returns the problem of an overlap in seconds; null if there is none. */
export function overlapProblem(seconds: number): string | null {
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= maxOverlapSeconds
    ? null
    : `must be from 0 to ${maxOverlapSeconds} (30 days)`;
}
