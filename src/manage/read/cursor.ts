/** The position of the last entry of a page: the values that the page is ordered by. Opaque to callers. */
export type CursorValue = string | number | null;

export function encodeCursor(values: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** A name of 100 characters can have 3,300 bytes in its searchable form. */
const maxCursorLength = 8192;

/** Returns the values of a cursor, or null for an invalid one. The caller checks that they fit the requested order. */
export function decodeCursor(text: string): CursorValue[] | null {
  if (text.length > maxCursorLength || !/^[\w-]+$/.test(text)) return null;
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(values) && values.every(isCursorValue) ? values : null;
  } catch {
    return null;
  }
}

function isCursorValue(value: unknown): value is CursorValue {
  return value === null || typeof value === 'string' || typeof value === 'number';
}
