/** Whether the database holds exactly what the histories say: no change without its entry, no entry without its change. */
import type { Evidence, KeyRow } from '../evidence.ts';
import { currentState, type KeyHistory, type Ledger } from '../ledger.ts';

export function checkDatabase({ keys, entries, current, damage }: Evidence, ledger: Ledger): string[] {
  const revisions = entries.map(({ revision }) => revision);
  const violations = damage.map((line) => `the database is damaged: ${line}`);
  const rows = new Map(keys.map((row) => [row.id, row]));
  for (const history of ledger.keys.values()) {
    const expected = JSON.stringify(rowOf(history));
    const found = JSON.stringify(rows.get(history.id));
    if (found !== expected) violations.push(`the row of key ${history.id} is ${found}, and should be ${expected}`);
    rows.delete(history.id);
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

/** In the order of the columns that are read. */
function rowOf(history: KeyHistory): KeyRow {
  const { id, createdAt, steps } = history;
  const { name, env, prefix, allowedIps, scopes, disabledAt, previousSecretExpiresAt, ...state } =
    currentState(history);
  const { expiresAt, revokedAt, signingEnabled, signingVersion, rotations } = state;
  const settings = { id, name, env, prefix, allowedIps, scopes };
  const times = { disabledAt, previousExpiresAt: previousSecretExpiresAt, expiresAt, createdAt, revokedAt };
  const versions = { signingVersion, secretVersion: rotations + 1 };
  return { ...settings, ...times, signingEnabled, ...versions, revision: steps.at(-1)?.revision ?? 0 };
}
