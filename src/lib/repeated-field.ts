/** JSON.parse keeps the last of two fields of the same name. Another reader, such as a gateway in front, may keep the first. */

const [quote, colon, backslash] = [0x22, 0x3a, 0x5c];

/** Returns the path of the first field, at any depth, that a JSON text with this value has twice; null without one. */
export function repeatedField(text: string, value: unknown): string | null {
  // The text has more names than the value only if some are repeated. Escaped names are not counted: V8 13 and 14 can
  // decode one as another (https://github.com/nodejs/node/issues/63785).
  return countPlainNames(text) === countMembers(value) ? null : findRepeated(text);
}

/**
 * Counts the colons outside of strings: one follows each name. Null if a name is escaped. Without `indexOf`, with which
 * V8 takes microseconds per string once the function is optimized: a body can have 80,000.
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

/** Without recursion: a value may be nested more deeply than the stack. */
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
  /** Null until the first name. */
  names: Set<string> | null;
  /** Of the part that comes next or was begun last: its name in an object, its index in an array. */
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

/** Cut off: names are the caller's. */
function pathOf(open: readonly Container[]): string {
  const parts = open.slice(0, 8).map(({ isArray, name, index }) => (isArray ? `[${index}]` : `.${name.slice(0, 64)}`));
  return parts.join('').replace(/^\./, '');
}
