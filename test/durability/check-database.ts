/** Whether the database has no change without its entry, and no entry without its change. */
import type { Evidence } from './evidence.ts';
import type { Ledger } from './ledger.ts';

export function checkDatabase({ keys, revisions, current, damage }: Evidence, ledger: Ledger): string[] {
  const violations = damage.map((line) => `the database is damaged: ${line}`);
  const rows = new Map(keys.map(({ id, revision }) => [id, revision]));
  for (const { id, steps } of ledger.keys.values()) {
    const [found, last] = [rows.get(id), steps.at(-1)?.revision];
    if (found !== last) violations.push(`the row of key ${id} has revision ${found}, and its last entry ${last}`);
    rows.delete(id);
  }
  for (const id of rows.keys()) violations.push(`key ${id} has a row, and no audit entry of its creation`);
  if (revisions.join() !== ledger.revisions.join()) {
    const known = new Set(ledger.revisions);
    const [lost, extra] = [withoutAll(ledger.revisions, new Set(revisions)), withoutAll(revisions, known)];
    violations.push(`audit entries were lost: ${lost.join()}; others appeared: ${extra.join()}`);
  }
  violations.push(...checkCounter(current, ledger));
  return violations;
}

/** Each change that writes takes one revision. Only those that then had nothing to write, or were rejected, leave a gap. */
function checkCounter(current: number, { revisions, unused }: Ledger): string[] {
  const violations: string[] = [];
  const gaps = current - revisions.length;
  if (gaps < unused.least || gaps > unused.most) {
    violations.push(
      `of ${current} revisions, ${gaps} have no entry, and from ${unused.least} to ${unused.most} may have none`,
    );
  }
  const last = revisions.at(-1) ?? 0;
  if (last > current) violations.push(`the last entry is ${last}, beyond the counter ${current}`);
  // What was left open is settled now: the next round starts from what was found.
  unused.least = gaps;
  unused.most = gaps;
  return violations;
}

function withoutAll(numbers: readonly number[], others: ReadonlySet<number>): number[] {
  return numbers.filter((number) => !others.has(number)).slice(0, 5);
}
