/** The columns of a file of keys. Import and export use the same names, in CSV and in NDJSON. */
import { distance } from 'fastest-levenshtein';
import { readSetting, writeSetting } from '../domain/key/setting-text.ts';
import { type SettingName, settingNames, settings } from '../domain/key/settings.ts';
import { readExpiry } from '../domain/moment-text.ts';
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

export function knownNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => knownColumns.has(name));
}

/** Returns all that is wrong with the column names of a CSV file; null if the names are valid. */
export function columnsProblem(names: readonly string[]): string | null {
  const hasNames = names.some((name) => knownColumns.has(name) || nearestTo(name) !== undefined);
  // Not repeated: without a line of names, these are the cells of a key.
  if (!hasNames) return `must name the columns: ${requiredColumns.join(', ')}, and others such as env`;
  const unknown = names.flatMap((name, i) => (knownColumns.has(name) ? [] : [unknownColumn(name, i)]));
  const repeated = new Set(names.filter((name, i) => knownColumns.has(name) && names.indexOf(name) < i));
  const meant = names.filter((name) => !knownColumns.has(name)).map(nearestTo);
  const missing = requiredColumns.filter((name) => !names.includes(name) && !meant.includes(name));
  const problems = [
    ...unknown,
    ...missing.map((name) => `the column "${name}" is missing`),
    ...[...repeated].map((name) => `the column "${name}" is there more than once`),
  ];
  return problems.length === 0 ? null : problems.join('; ');
}

/** Long enough for a name of a column, and too short for a key. */
const longestName = 30;

function unknownColumn(name: string, index: number): string {
  if (name === '') return `column ${index + 1} has no name`;
  const subject = name.length > longestName ? `column ${index + 1}` : `the column "${name}"`;
  const nearest = nearestTo(name);
  return nearest === undefined
    ? `${subject} is not known; known are ${importColumns.join(', ')} and the columns of an export`
    : `${subject} is not known: did you mean "${nearest}"?`;
}

/** Returns the known column that a name resembles: by two letters, or by other capitals and separators. */
function nearestTo(name: string): string | undefined {
  if (name === '' || name.length > longestName) return undefined;
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const distances = [...knownColumns].map((known) => {
    const short = known.length < 6 ? 1 : 2;
    const edits = plain(name) === plain(known) ? 0 : distance(name, known);
    return { known, edits: edits <= short ? edits : Number.POSITIVE_INFINITY };
  });
  const best = distances.reduce((one, other) => (other.edits < one.edits ? other : one));
  return best.edits === Number.POSITIVE_INFINITY ? undefined : best.known;
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
  const { expiresAt } = fields;
  if (typeof expiresAt !== 'string') return { key: Object.fromEntries(imported) };
  const expiry = readExpiry(expiresAt, new Date());
  // The service does not know all forms that a file can have.
  if (!expiry.ok) return { problem: `expiresAt: ${expiry.problem}` };
  return { key: { ...Object.fromEntries(imported), expiresAt: expiry.value } };
}
