/**
 * Finds what JSON.parse loses silently: repeated fields, of which it keeps the last (a gateway in front may keep the
 * first), and the digits of numbers that a double can't hold, such as 750727362669608961.
 */

export interface JsonLoss {
  /** Empty for a text that is only a number. */
  readonly path: string;
  /** Completes "must be given" and "must have <path>". */
  readonly expected: string;
}

/** Returns the first repeated field or changed number in a JSON text with this value, at any depth; null if none. */
export function jsonLoss(text: string, value: unknown): JsonLoss | null {
  return repeatedField(text, value) ?? changedNumber(text);
}

function changedNumber(text: string): JsonLoss | null {
  if (!mayChangeNumbers.test(text)) return null;
  // Searching for the path takes longer.
  for (const [token] of text.matchAll(stringsAndNumbers)) {
    if (token.startsWith('"') || isExactNumber.test(token) || !isChangedNumber(token)) continue;
    return { path: findPath(text, { number: isChangedNumber }) ?? '', expected: asText };
  }
  return null;
}

/** What is expected instead of a number that would be changed. */
export const asText = 'as text, in quotation marks: as a number, it would be changed';

const stringsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** A double holds all numbers of at most 15 digits, unless they are very large or small. */
const isExactNumber = /^-?[\d.]{1,15}(?:[eE][+-]?\d{1,2})?$/;
/** All other numbers have at most 15 digits and no exponent. */
const mayChangeNumbers = /[\d.]{16}|\d[eE]/;

/** Returns whether a number in JSON, which is read as a double and written again, is another decimal number. */
export function isChangedNumber(token: string): boolean {
  return decimalOf(token) !== decimalOf(String(Number(token)));
}

/** Returns the same text for each spelling of a decimal number. Does not tell 0 from -0, which JSON.stringify writes as 0. */
function decimalOf(token: string): string | null {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token);
  if (parts === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = whole + fraction;
  // Loops, because a search for trailing zeros with a regular expression takes the square of the length.
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

const [quote, colon, backslash] = [0x22, 0x3a, 0x5c];

/** Returns the first repeated field in a JSON text with this value, at any depth; null if none. */
export function repeatedField(text: string, value: unknown): JsonLoss | null {
  // The text has more names than the value only if a name is repeated. A text with escaped names is always searched:
  // V8 13 and 14 can decode an escaped name as another name (https://github.com/nodejs/node/issues/63785).
  if (countPlainNames(text) === countMembers(value)) return null;
  const path = findPath(text, { name: isRepeatedName });
  return path === null ? null : { path, expected: 'once' };
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

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\],]|-?\d[\d.eE+-]*/g;

interface Searched {
  readonly name?: (name: string, inside: Container) => boolean;
  readonly number?: (token: string) => boolean;
}

/** Returns the path of the first name or number that is searched. */
function findPath(text: string, searched: Searched): string | null {
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
      if (searched.name?.(name, inside) === true) return pathOf(open);
    } else if (!token.startsWith('"') && searched.number?.(token) === true) return pathOf(open);
  }
  return null;
}

function isRepeatedName(name: string, inside: Container): boolean {
  inside.names ??= new Set();
  const isRepeated = inside.names.has(name);
  inside.names.add(name);
  return isRepeated;
}

/** Returns the path, cut to a limited length because the caller chooses the names and the depth. */
function pathOf(open: readonly Container[]): string {
  const parts = open.slice(0, 8).map(({ isArray, name, index }) => (isArray ? `[${index}]` : `.${name.slice(0, 64)}`));
  return parts.join('').replace(/^\./, '');
}
