/** The columns of a file of keys. Import and export use the same names, in CSV and in NDJSON. */
import { readSetting, writeSetting } from '../domain/key/setting-text.ts';
import { type SettingName, settingNames, settings } from '../domain/key/settings.ts';
import { textOfCell } from './csv.ts';

export const exportColumns = [
  'id',
  'teamId',
  'env',
  'prefix',
  'state',
  ...settingNames,
  'signingEnabled',
  'lastUsedAt',
  'createdAt',
  'disabledAt',
  'rotatedAt',
  'previousPrefix',
  'previousSecretExpiresAt',
  'previousSigningSecretExpiresAt',
  'revokedAt',
  'revision',
] as const;

export type ExportedKey = Readonly<Record<(typeof exportColumns)[number], unknown>>;

/** The columns of a file to import. An exported file has all of these columns except `digest`. */
const importColumns: readonly string[] = ['digest', ...settingNames, 'env', 'prefix'];
const requiredColumns = ['digest', 'name'];
const knownColumns: ReadonlySet<string> = new Set([...importColumns, ...exportColumns]);

const isSetting = (column: string): column is SettingName => Object.hasOwn(settings, column);

export function cellsOf(key: ExportedKey): string[] {
  return exportColumns.map((column) =>
    isSetting(column) ? writeSetting(column, key[column]) : String(key[column] ?? ''),
  );
}

/** Returns what is wrong with the column names of a CSV file; null if the names are valid. */
export function columnsProblem(names: readonly string[]): string | null {
  if (names.some((name) => !knownColumns.has(name)) || new Set(names).size < names.length) {
    return `must name only the columns ${importColumns.join(', ')} and those of an export, each once`;
  }
  const isIncomplete = requiredColumns.some((name) => !names.includes(name));
  return isIncomplete ? `must name the columns ${requiredColumns.join(' and ')}` : null;
}

/** Returns the fields of a CSV record. An empty cell is an absent field. */
export function fieldsOfRecord(record: Readonly<Record<string, string>>): Record<string, unknown> {
  const filled = Object.entries(record).filter(([, cell]) => cell.trim() !== '');
  return Object.fromEntries(filled.map(([column, cell]) => [column, readCell(column, textOfCell(cell.trim()))]));
}

/** Parses a cell. Returns an invalid cell as text, so that the service rejects it with the line's other errors. */
function readCell(column: string, text: string): unknown {
  // Spreadsheets save `false` as FALSE.
  if (column === 'signingEnabled') return text.toLowerCase() !== 'false';
  const parsed = isSetting(column) ? readSetting(column, text) : null;
  return parsed?.ok === true ? parsed.value : text;
}

/** Removes the fields that only an export has. Returns a problem if an import can't restore the state of the key. */
export function toImportedFields(
  fields: Readonly<Record<string, unknown>>,
): { readonly key: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  const { state = 'ACTIVE', revokedAt = null, disabledAt = null, signingEnabled = false } = fields;
  if (state !== 'ACTIVE') return { problem: 'state: must be ACTIVE, because an imported key is active' };
  if (revokedAt !== null) return { problem: 'revokedAt: must be empty, because an imported key is active' };
  if (disabledAt !== null) return { problem: 'disabledAt: must be empty, because an imported key is active' };
  if (signingEnabled !== false)
    return { problem: 'signingEnabled: must be false, because an import enables no signing' };
  const imported = Object.entries(fields).filter(([name]) => importColumns.includes(name) || !knownColumns.has(name));
  return { key: Object.fromEntries(imported) };
}
