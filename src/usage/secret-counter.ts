import { type VerdictCode, type VerdictCount, verdictCodes } from '../domain/verdict/verdict-code.ts';

/** A key, and which of its secrets was presented. */
export interface CountedKey {
  readonly id: string;
  readonly teamId: string;
  readonly presentedVersion: number;
  /** That of a derived token. */
  readonly label?: string | null | undefined;
}

/** Returns the name of a secret. For the first secret it is the id of the key, which needs no new string. */
export function secretName({ id, presentedVersion }: CountedKey): string {
  return presentedVersion === 1 ? id : `${id} ${presentedVersion}`;
}

/** Counts the verdicts on one secret. */
export interface SecretCounter {
  /** The name of the secret. */
  readonly secret: string;
  readonly keyId: string;
  readonly teamId: string;
  readonly version: number;
  readonly counts: VerdictCounts;
}

export function secretCounter(key: CountedKey): SecretCounter {
  const { id: keyId, teamId, presentedVersion: version } = key;
  return { secret: secretName(key), keyId, teamId, version, counts: new VerdictCounts() };
}

const indexes = Object.fromEntries(verdictCodes.map((code, i) => [code, i])) as Readonly<Record<VerdictCode, number>>;

/** Counts of verdicts, in an array, which is fast. */
export class VerdictCounts {
  readonly #counts = new Array<number>(verdictCodes.length).fill(0);

  add(code: VerdictCode, count = 1): void {
    const i = indexes[code];
    this.#counts[i] = (this.#counts[i] ?? 0) + count;
  }

  addAll(other: VerdictCounts): void {
    for (const { code, count } of other.list()) this.add(code, count);
  }

  get total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  list(): VerdictCount[] {
    return verdictCodes.flatMap((code, i) => {
      const count = this.#counts[i] ?? 0;
      return count === 0 ? [] : [{ code, count }];
    });
  }
}
