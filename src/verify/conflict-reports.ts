import type { KeyConflict } from '../domain/secret/matching-keys.ts';
import type { ControlPlane } from '../wire/control-plane.ts';

/** The number of conflicts that a process remembers, so that it logs and records each of them once. */
const maxRemembered = 10_000;
const maxNamed = 10;

/** Counts presented keys that match keys of several teams, and reports each conflict in the log and in the store. */
export class ConflictReports {
  count = 0;
  readonly #controlPlane: Pick<ControlPlane, 'recordConflict'>;
  readonly #report: (error: unknown, what: string) => void;
  readonly #known = new Set<string>();

  constructor(controlPlane: Pick<ControlPlane, 'recordConflict'>, report: (error: unknown, what: string) => void) {
    this.#controlPlane = controlPlane;
    this.#report = report;
  }

  add({ conflictingIds }: KeyConflict): void {
    this.count += 1;
    const ids = conflictingIds.join(' ');
    if (this.#known.has(ids)) return;
    if (this.#known.size >= maxRemembered) this.#known.clear();
    this.#known.add(ids);
    const named = conflictingIds.slice(0, maxNamed).join(', ');
    this.#report(
      undefined,
      `a presented key is rejected because imported keys of several teams match it: ${named}; see npx latchkey release-key`,
    );
    this.#controlPlane.recordConflict(conflictingIds, new Date()).catch((error: unknown) => {
      this.#known.delete(ids);
      this.#report(error, 'a conflict of imported keys could not be recorded; it will be tried again');
    });
  }
}
