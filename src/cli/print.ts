/** Prints the results of commands on standard output: for people or, with `--json`, for programs. */
import { styleText } from 'node:util';

type Color = Parameters<typeof styleText>[0];

/** Colors a text if the stream is a terminal and NO_COLOR is not set, or if FORCE_COLOR is set. */
export function colored(color: Color, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(color, text, { stream });
}

/** A cell of a table, and the color that it may have. */
export type Cell = string | { readonly text: string; readonly color: Color };

const textIn = (cell: Cell) => (typeof cell === 'string' ? cell : cell.text);

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function printResult<T>(result: T, json: boolean | undefined, describe: (result: T) => string): void {
  if (json === true) printJson(result);
  else process.stdout.write(`${describe(result)}\n`);
}

interface ChangedKey {
  readonly id: string;
  readonly prefix: string;
  readonly name: string;
}

/** Prints one line for people, and the whole key for programs. */
export function printChange(done: string, key: ChangedKey, json: boolean | undefined): void {
  printResult(key, json, ({ id, prefix, name }) => `${done} ${prefix} "${name}" (${id})`);
}

export function tableOf(head: readonly string[] | null, rows: readonly (readonly Cell[])[]): string {
  const lines = head === null ? rows : [head.map((text): Cell => ({ text, color: 'bold' })), ...rows];
  const widths = lines.reduce<number[]>(
    (widest, cells) => cells.map((cell, i) => Math.max(textIn(cell).length, widest[i] ?? 0)),
    [],
  );
  // The last cell has no spaces after it.
  const padding = (cells: readonly Cell[], i: number) =>
    i === cells.length - 1 ? '' : ' '.repeat((widths[i] ?? 0) - textIn(cells[i] ?? '').length);
  return lines.map((cells) => cells.map((cell, i) => `${printed(cell)}${padding(cells, i)}`).join('  ')).join('\n');
}

function printed(cell: Cell): string {
  return typeof cell === 'string' ? cell : colored(cell.color, cell.text);
}

export function describeFields(record: object): string {
  return tableOf(
    null,
    Object.entries(record).map(([name, value]) => [name, textOf(value)]),
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.join(', ') || '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
