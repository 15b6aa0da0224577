/**
 * Prints what commands say: results on standard output, for people or, with `--json`, for programs, and messages on
 * standard error. Nothing else in this folder writes to either, because texts of a service, of callers and of other
 * servers can have characters that a terminal interprets.
 */
import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { escapeControlCharacters, escapeLine } from '../domain/text.ts';

type Color = Parameters<typeof styleText>[0];

/** Colors a text if the stream is a terminal and NO_COLOR is not set, or if FORCE_COLOR is set. */
export function colored(color: Color, text: string, stream: 'stdout' | 'stderr' = 'stdout'): string {
  return styleText(color, escapeLine(text), {
    stream: stream === 'stdout' ? process.stdout : process.stderr,
  }).replaceAll('\x1b', ownEscape);
}

/** Stands for the escape character of our own colors, so that no text from elsewhere can have it. */
const ownEscape = randomUUID();

/** Prints a text on standard output. Resolves once it is written. After an error, the program ends: see program.ts. */
export async function print(text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    process.stdout.write(printable(text), (error) => {
      if (error == null) resolve();
    });
  });
}

/** Prints a message on standard error. */
export function printMessage(text: string): void {
  process.stderr.write(printable(text));
}

function printable(text: string): string {
  return escapeControlCharacters(text).replaceAll(ownEscape, '\x1b');
}

/** A cell of a table, and the color that it may have. */
export type Cell = string | { readonly text: string; readonly color: Color };

const textIn = (cell: Cell) => escapeLine(typeof cell === 'string' ? cell : cell.text);

export function printResult<T>(result: T, json: boolean | undefined, describe: (result: T) => string): void {
  void print(`${json === true ? JSON.stringify(result, null, 2) : describe(result)}\n`);
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
    (widest, cells) => cells.map((cell, i) => Math.max(stringWidth(textIn(cell)), widest[i] ?? 0)),
    [],
  );
  // The last cell has no spaces after it.
  const padding = (cells: readonly Cell[], i: number) =>
    i === cells.length - 1 ? '' : ' '.repeat((widths[i] ?? 0) - stringWidth(textIn(cells[i] ?? '')));
  return lines.map((cells) => cells.map((cell, i) => `${printed(cell)}${padding(cells, i)}`).join('  ')).join('\n');
}

function printed(cell: Cell): string {
  return typeof cell === 'string' ? escapeLine(cell) : colored(cell.color, cell.text);
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
