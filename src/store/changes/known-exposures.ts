import { defaultLeakPolicy, type LeakPolicy } from '../../domain/leak.ts';

/** What a group of changes knows of leaks. */
export class KnownExposures {
  readonly #recorded: Set<string>;
  readonly #counts: Map<string, number>;
  readonly #policies: ReadonlyMap<string, LeakPolicy>;

  constructor(
    recorded: Iterable<string> = [],
    counts: Iterable<readonly [string, number]> = [],
    policies: Iterable<readonly [string, LeakPolicy]> = [],
  ) {
    this.#recorded = new Set(recorded);
    this.#counts = new Map(counts);
    this.#policies = new Map(policies);
  }

  has(id: string): boolean {
    return this.#recorded.has(id);
  }

  countOf(keyId: string): number {
    return this.#counts.get(keyId) ?? 0;
  }

  policyOf(teamId: string): LeakPolicy {
    return this.#policies.get(teamId) ?? defaultLeakPolicy;
  }

  add(id: string, keyId: string): void {
    this.#recorded.add(id);
    this.#counts.set(keyId, this.countOf(keyId) + 1);
  }
}
