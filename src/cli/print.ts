/** Prints the results of commands on standard output: for people or, with `--json`, for programs. */
import Table from 'cli-table3';

const plainBorders = {
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

/** Prints a result as JSON or as the text that describes it. */
export function printResult<T>(result: T, json: boolean | undefined, describe: (result: T) => string): void {
  if (json === true) printJson(result);
  else process.stdout.write(`${describe(result)}\n`);
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: [...head],
    chars: plainBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

/** Returns one line for each field. */
export function describeFields(record: object): string {
  return tableOf(
    [],
    Object.entries(record).map(([name, value]) => [name, textOf(value)]),
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.join(', ') || '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
