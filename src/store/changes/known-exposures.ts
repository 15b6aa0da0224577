import { defaultLeakPolicy, type LeakPolicy } from '../../domain/leak.ts';

/** A secret of a key. */
export interface LeakedSecret {
  readonly keyId: string;
  readonly version: number;
}

/** What a group of changes knows of leaks. */
export class KnownExposures {
  readonly #recorded: Set<string>;
  readonly #counts = new Map<string, number>();
  readonly #policies: ReadonlyMap<string, LeakPolicy>;

  constructor(
    recorded: Iterable<string> = [],
    counts: Iterable<LeakedSecret & { readonly count: number }> = [],
    policies: Iterable<readonly [string, LeakPolicy]> = [],
  ) {
    this.#recorded = new Set(recorded);
    for (const { count, ...secret } of counts) this.#counts.set(nameOf(secret), count);
    this.#policies = new Map(policies);
  }

  has(id: string): boolean {
    return this.#recorded.has(id);
  }

  countOf(secret: LeakedSecret): number {
    return this.#counts.get(nameOf(secret)) ?? 0;
  }

  policyOf(teamId: string): LeakPolicy {
    return this.#policies.get(teamId) ?? defaultLeakPolicy;
  }

  add({ id, ...secret }: LeakedSecret & { readonly id: string }): void {
    this.#recorded.add(id);
    this.#counts.set(nameOf(secret), this.countOf(secret) + 1);
  }
}

function nameOf({ keyId, version }: LeakedSecret): string {
  return `${keyId} ${version}`;
}
