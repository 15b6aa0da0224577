/** Comma-separated values (RFC 4180), for spreadsheets. */

type Cell = string | number | boolean | null | undefined;

export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

/**
 * A spreadsheet runs a cell that begins with one of these characters as a formula, so such cells get an apostrophe
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const formula = /^[=+\-@\t\r＝＋－＠]/;

function cellOf(cell: Cell): string {
  const text = String(cell ?? '');
  const safe = formula.test(text) ? `'${text}` : text;
  // Semicolons too: some spreadsheets separate cells by them, and would find a formula behind one.
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
