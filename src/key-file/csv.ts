/** Writes comma-separated values (RFC 4180), for spreadsheets and for later imports. */

/** Begins a file. Without this mark, Excel reads UTF-8 as the encoding of its country. */
export const byteOrderMark = '\ufeff';

type Cell = string | number | boolean | null | undefined;

/** Returns a whole file. */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return byteOrderMark + rows.map(csvRow).join('');
}

export function csvRow(row: readonly Cell[]): string {
  return `${row.map(cellOf).join(',')}\r\n`;
}

/**
 * Matches a cell that a spreadsheet would run as a formula. The cell gets an apostrophe in front (CWE-1236,
 * https://owasp.org/www-community/attacks/CSV_Injection), also if it already begins with apostrophes.
 */
const formula = /^'*[=+\-@\t\r＝＋－＠]/;

function cellOf(cell: Cell): string {
  const text = String(cell ?? '');
  const safe = formula.test(text) ? `'${text}` : text;
  // Quotes semicolons too: some spreadsheets split cells at semicolons, and would run a formula that follows.
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Removes the apostrophe that keeps a spreadsheet from running the cell as a formula. */
export function textOfCell(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
}
