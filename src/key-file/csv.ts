/** Writes comma-separated values (RFC 4180), for spreadsheets and for another import. */

type Cell = string | number | boolean | null | undefined;

export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map(csvRow).join('');
}

export function csvRow(row: readonly Cell[]): string {
  return `${row.map(cellOf).join(',')}\r\n`;
}

/**
 * A spreadsheet runs a cell that begins with one of these characters as a formula, so such cells get an apostrophe
 * (CWE-1236, https://owasp.org/www-community/attacks/CSV_Injection). A cell with apostrophes before them gets one more.
 */
const formula = /^'*[=+\-@\t\r＝＋－＠]/;

function cellOf(cell: Cell): string {
  const text = String(cell ?? '');
  const safe = formula.test(text) ? `'${text}` : text;
  // Semicolons too: some spreadsheets separate cells by them, and would find a formula behind one.
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the text of a cell without the apostrophe that protects it from being run as a formula. */
export function textOfCell(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
}
