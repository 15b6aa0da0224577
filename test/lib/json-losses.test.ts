// SECURITY.md: Malformed or ambiguous input; Bytes from outside
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isChangedNumber, jsonLoss, repeatedField } from '../../src/lib/json-losses.ts';

const repeatedIn = (text: string) => repeatedField(text, JSON.parse(text))?.path ?? null;

test.each([
  ['{"key":"x","key":"y"}', 'key'],
  ['{"key":"x","key":"x"}', 'key'],
  ['{"key":"x","k\\u0065y":"y"}', 'key'],
  ['{"key" : "x" ,\n\t"key"\r\n:"y"}', 'key'],
  ['{"a":1,"b":{"a":1,"c":[{"a":1},{"a":1,"a":2}]}}', 'b.c[1].a'],
  ['{"a":{"x":1},"a":{"y":1}}', 'a'],
  ['{"a":{"x":1,"x":2},"a":3}', 'a.x'],
  ['[[1,2],[{"":1,"":2}]]', '[1][0].'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"\\"":1,"\\u0022":2}', '"'],
  ['{"\\\\":"\\\\","\\\\":"\\\\\\""}', '\\'],
  ['{"a,b:{":1,"a,b:{":2}', 'a,b:{'],
])('finds the field that is given twice in %s', (text, path) => {
  expect(repeatedIn(text)).toBe(path);
});

test.each([
  '{}',
  '"key"',
  'null',
  '{"key":"key","value":"\\"key\\":"}',
  '{"a":{"a":{"a":["a","a"]}},"b":{"a":1}}',
  '[{"a":1},{"a":1}]',
  '{"a":"\\\\","b":"\\\\\\\\"}',
  '{"__proto__":{"a":1},"constructor":1}',
])('finds none in %s', (text) => {
  expect(repeatedIn(text)).toBeNull();
});

test('does not depend on how V8 decodes escaped names', () => {
  // Makes V8 decode the escaped names that come after "h" as a backslash (https://github.com/nodejs/node/issues/63785).
  JSON.parse('{"h":[],"\\\\":0}');
  expect(repeatedIn('{"h":1,"\\"":2,"\\\\":3}')).toBeNull();
  expect(repeatedIn('{"h":1,"\\"":2,"\\u0022":3}')).toBe('"');
});

const name = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom('key', '"', '\\', ':', '{', ',', '__proto__', '\u2028'),
);

/** JSON text with the names as they are, also twice, each escaped or not. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 0 }).map((value) => JSON.stringify(value)),
    name.map((text) => JSON.stringify(text)),
    fc.array(tie('json'), { maxLength: 3 }).map((parts) => `[${parts.join(' , ')}]`),
    fc
      .array(fc.tuple(name, fc.boolean(), tie('json')), { maxLength: 4 })
      .map((members) => `{${members.map(([key, escaped, value]) => `${written(key, escaped)} :${value}`).join(',')}}`),
  ),
}));

function written(text: string, escaped: boolean): string {
  if (!escaped) return JSON.stringify(text);
  return `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
}

/** What a reader would say who looks at each object's names, one after the other. */
function hasRepeated(text: string): boolean {
  let found = false;
  const seen: Set<string>[] = [];
  // The text is compact around names: a name is a string in an object, before a colon.
  const pattern = /"(?:[^"\\]|\\.)*"( ?:)?|[{}]/g;
  for (const [token, colon] of text.matchAll(pattern)) {
    if (token === '{') seen.push(new Set());
    else if (token === '}') seen.pop();
    else if (colon !== undefined) {
      const key: string = JSON.parse(token.slice(0, -colon.length));
      found ||= seen.at(-1)?.has(key) === true;
      seen.at(-1)?.add(key);
    }
  }
  return found;
}

test('finds one exactly where an object has a name twice, however it is written', () => {
  let repeated = 0;
  fc.assert(
    fc.property(json, (text) => {
      const expected = hasRepeated(text);
      repeated += Number(expected);
      expect(repeatedIn(text) !== null).toBe(expected);
    }),
    { numRuns: 3000 },
  );
  expect(repeated).toBeGreaterThan(50);
});

test('takes a text that is nested more deeply than the stack', () => {
  const deep = 20_000;
  expect(repeatedIn(`${'['.repeat(deep)}{"a":1}${']'.repeat(deep)}`)).toBeNull();
});

const asText = 'as text, in quotation marks: as a number, it would be changed';

test.each([
  ['{"a":{"id":750727362669608961}}', 'a.id', asText],
  ['{"a":[1,"1e400",{"b":-1e400}]}', 'a[2].b', asText],
  ['{"1e400":1,"b":9007199254740993}', 'b', asText],
  ['{"b":0.1000000000000000055}', 'b', asText],
  ['{"b":1e-400}', 'b', asText],
  ['1e400', '', asText],
  ['{"a":1e400,"b":1,"b":2}', 'b', 'once'],
])('JSON.parse loses something of %s', (text, path, expected) => {
  expect(jsonLoss(text, JSON.parse(text))).toEqual({ path, expected });
});

test.each(['{"1e400":"750727362669608961"}', '{"a":"\\"1e400"}', '[1.0,1e2,-0,0.1,1E+2,100e-2,0.30000000000000004]'])(
  'JSON.parse loses nothing of %s',
  (text) => {
    expect(jsonLoss(text, JSON.parse(text))).toBeNull();
  },
);

test('a number that JSON.stringify writes is never changed, in any spelling of the same decimal number', () => {
  const tokens = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .chain((value) =>
      fc.constantFrom(
        JSON.stringify(value),
        value.toExponential().replace('e', 'E'),
        JSON.stringify(value).replace(/^(-?\d+)$/, '$1.000'),
      ),
    );
  fc.assert(
    fc.property(tokens, (token) => {
      expect(isChangedNumber(token), token).toBe(false);
    }),
  );
});

test('a number is changed exactly if its decimal value differs from that of the double, as written by JSON.stringify', () => {
  const digits = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
  fc.assert(
    fc.property(digits, (value) => {
      const back = JSON.stringify(Number(value));
      const [mantissa = '', exponent = '0'] = back.split('e');
      const [whole = '', fraction = ''] = mantissa.split('.');
      const written = BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length);
      expect(isChangedNumber(String(value))).toBe(written !== value);
    }),
  );
});

test('no changed number is overlooked, whatever its length and exponent', () => {
  const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,19})(?:\.\d{1,20})?$/);
  const tokens = fc
    .tuple(digits, fc.option(fc.integer({ min: -400, max: 400 })))
    .map(([mantissa, exponent]) => (exponent === null ? mantissa : `${mantissa}e${exponent}`));
  fc.assert(
    fc.property(tokens, (token) => {
      const text = `[1,{"a":${token}}]`;
      expect(jsonLoss(text, JSON.parse(text))?.path ?? null, token).toBe(isChangedNumber(token) ? '[1].a' : null);
    }),
    { numRuns: 2000 },
  );
});

test('a number of 60,000 digits takes no longer than reading it', () => {
  const zeros = '0'.repeat(60_000);
  expect(isChangedNumber(`0.${zeros}`)).toBe(false);
  expect(isChangedNumber(`1${zeros}1`)).toBe(true);
  expect(isChangedNumber(`0.1${zeros}`)).toBe(false);
});
