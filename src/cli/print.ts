/** Prints the results of commands on standard output: for people or, with `--json`, for programs. */

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function printResult<T>(result: T, json: boolean | undefined, describe: (result: T) => string): void {
  if (json === true) printJson(result);
  else process.stdout.write(`${describe(result)}\n`);
}

export function tableOf(head: readonly string[] | null, rows: readonly (readonly string[])[]): string {
  const lines = head === null ? rows : [head, ...rows];
  const widths = lines.reduce<number[]>(
    (widest, cells) => cells.map((cell, i) => Math.max(cell.length, widest[i] ?? 0)),
    [],
  );
  return lines
    .map((cells) =>
      cells
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
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
