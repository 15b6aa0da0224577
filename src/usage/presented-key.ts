/** A key, and which of its secrets was presented. */
export interface PresentedKey {
  readonly id: string;
  readonly teamId: string;
  readonly presentedVersion: number;
}

/** Returns what counters of a secret are found by. It is the id of the key for the first secret, which costs nothing. */
export function secretName({ id, presentedVersion }: PresentedKey): string {
  return presentedVersion === 1 ? id : `${id} ${presentedVersion}`;
}
