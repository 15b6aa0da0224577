/** Finds repeated fields in JSON: JSON.parse keeps the last field, but a gateway in front may keep the first field. */

const [quote, colon, backslash] = [0x22, 0x3a, 0x5c];

/** Returns the path of the first repeated field in a JSON text with this value, at any depth; null if there is none. */
export function repeatedField(text: string, value: unknown): string | null {
  // The text has more names than the value only if a name is repeated. A text with escaped names is always searched:
  // V8 13 and 14 can decode an escaped name as another name (https://github.com/nodejs/node/issues/63785).
  return countPlainNames(text) === countMembers(value) ? null : findRepeated(text);
}

/**
 * Counts the colons outside of strings: one follows each name. Returns null if a name has an escape. Avoids
 * `indexOf`, which takes microseconds per string after V8 has optimized the function: a body can have 80,000 strings.
 */
function countPlainNames(text: string): number | null {
  let count = 0;
  let isEscaped = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      isEscaped = false;
      for (at += 1; text.charCodeAt(at) !== quote; at += 1) {
        if (text.charCodeAt(at) !== backslash) continue;
        isEscaped = true;
        at += 1;
      }
    } else if (character === colon) {
      if (isEscaped) return null;
      count += 1;
    }
  }
  return count;
}

/** Counts the names without recursion, because a value may be nested too deeply for the stack. */
function countMembers(value: unknown): number {
  const waiting: unknown[] = [value];
  let count = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const parts: readonly unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += parts.length;
    for (const part of parts) if (typeof part === 'object') waiting.push(part);
  }
  return count;
}

interface Container {
  readonly isArray: boolean;
  /** Null before the first name. */
  names: Set<string> | null;
  /** The name (in an object) or the index (in an array) of the current part. */
  name: string;
  index: number;
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\],]/g;

function findRepeated(text: string): string | null {
  const open: Container[] = [];
  for (const [token, isName] of text.matchAll(tokens)) {
    const inside = open.at(-1);
    if (token === '{' || token === '[') open.push({ isArray: token === '[', names: null, name: '', index: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (inside !== undefined) inside.index += 1;
    } else if (isName !== undefined && inside !== undefined) {
      const name: unknown = JSON.parse(token.slice(0, -isName.length));
      if (typeof name !== 'string') continue;
      inside.name = name;
      inside.names ??= new Set();
      if (inside.names.has(name)) return pathOf(open);
      inside.names.add(name);
    }
  }
  return null;
}

/** Returns the path, cut to a limited length because the caller chooses the names and the depth. */
function pathOf(open: readonly Container[]): string {
  const parts = open.slice(0, 8).map(({ isArray, name, index }) => (isArray ? `[${index}]` : `.${name.slice(0, 64)}`));
  return parts.join('').replace(/^\./, '');
}
