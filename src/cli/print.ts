/** Prints the results of commands on standard output: for people or, with `--json`, for programs. */
import Table from 'cli-table3';
import type { CliKeyFragment } from './generated/graphql.ts';

const plain = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const table = new Table({
    head: [...head],
    chars: plain,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => [...row]));
  process.stdout.write(`${table.toString()}\n`);
}

/** Prints one line for each name and value. */
export function printFacts(facts: Readonly<Record<string, unknown>>): void {
  printTable(
    [],
    Object.entries(facts).map(([name, value]) => [name, textOf(value)]),
  );
}

export function printKey(key: CliKeyFragment, json: boolean | undefined): void {
  if (json === true) printJson(key);
  else printFacts({ ...key });
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.join(', ') || '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
