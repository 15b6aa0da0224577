/** Where a page ended: the values, in its order, of the entry it ended with. Opaque to callers. */
export type CursorValue = string | number | null;

export function encodeCursor(values: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** The longest text that is decoded: a name of 100 characters may become 3,300 bytes when it is made searchable. */
const maximumCharacters = 8192;

/** The values of a cursor, or null when the text is none of ours. The caller checks that they fit the order asked for. */
export function decodeCursor(text: string): CursorValue[] | null {
  if (text.length > maximumCharacters || !/^[\w-]+$/.test(text)) return null;
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
