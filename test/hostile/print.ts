import Table from 'cli-table3';
import type { Row } from './attack.ts';

type AttackRow = Row & { readonly attack: string };

export function print(rows: readonly AttackRow[]): void {
  const table = new Table({
    head: ['attack', 'victim', 'calm', 'under attack', 'bound', 'served', 'rejected', 'attacker', 'kept'],
    style: { head: [], border: [] },
    colWidths: [14, 24, 22, 22, 16, 9, 10, 24, 6],
    wordWrap: true,
  });
  for (const { attack, victim, calm, attacked, bound, served, rejected, attacker, violations } of rows) {
    const kept = violations.length === 0 ? 'yes' : 'NO';
    table.push([attack, victim, calm, attacked, bound, served, rejected, attacker, kept]);
  }
  console.log(table.toString());
  console.log(
    "own: how late the victim's own timer was, 99 times of 100; several ms mean that the machine is too busy to tell",
  );
  for (const { attack, victim, violations } of rows) {
    for (const violation of violations) console.log(`VIOLATION: ${attack}, ${victim}: ${violation}`);
  }
}
