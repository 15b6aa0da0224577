/** How the cells of a CSV file are separated: by commas, or as spreadsheets of other countries and databases do. */
import { knownNames } from './columns.ts';

export interface Dialect {
  readonly delimiter: string;
  /** The first line of the file that is not `sep=`. */
  readonly fromLine: number;
}

/** `sep=;` or `"sep=;"`, which spreadsheets read and write as the first line. */
const declaration = /^"?sep=([^\r\n"])"?[\t ,;|]*(?:\r\n?|\n)/i;
const delimiters = [',', ';', '\t', '|'];

/** Returns whether the text has the line with the names of the columns, to its end. */
export function hasWholeHeader(text: string): boolean {
  return /\S[^\r\n]*\n/.test(text.replace(declaration, ''));
}

/** Returns the dialect of a file that begins with this text. */
export function dialectOf(text: string): Dialect {
  const [line, declared] = declaration.exec(text) ?? [];
  if (line !== undefined && declared !== undefined) return { delimiter: declared, fromLine: 2 };
  const [header = ''] = /\S[^\r\n]*/.exec(text) ?? [];
  // By the names that become known, then by the number of cells. Of equals, the comma.
  const scoreOf = (delimiter: string) => {
    const names = header.split(delimiter).map((name) => name.replaceAll('"', '').trim());
    return knownNames(names).length * header.length + names.length;
  };
  return { delimiter: delimiters.reduce((best, next) => (scoreOf(next) > scoreOf(best) ? next : best)), fromLine: 1 };
}
