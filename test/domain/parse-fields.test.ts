import { expect, test } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { parsedList, parsedObject, parseFields, parseOptional } from '../../src/domain/parse-fields.ts';
import { accepted, type Parsed, rejected } from '../../src/lib/parsed.ts';

const digit = (text: string): Parsed<number> =>
  /^\d$/.test(text) ? accepted(Number(text)) : rejected('must be a digit');

function errorsOf(parse: () => unknown) {
  try {
    parse();
  } catch (error) {
    if (error instanceof LatchkeyError && error.code === 'BAD_USER_INPUT') return error.fields;
    throw error;
  }
  throw new Error('nothing was rejected');
}

test('accepted fields are returned under their names', () => {
  const values = parseFields({
    one: digit('1'),
    nested: parsedObject({ two: digit('2'), list: parsedList(['3', '4'], 2, digit) }),
    absent: parseOptional(null, digit),
    missing: parseOptional(undefined, digit),
    given: parseOptional('5', digit),
  });
  expect(values).toEqual({ one: 1, nested: { two: 2, list: [3, 4] }, absent: null, missing: null, given: 5 });
});

test('all rejected fields are reported at once, in order, with the paths that the caller wrote', () => {
  const message = 'must be a digit';
  const parse = () =>
    parseFields({
      name: digit('a'),
      keys: parsedList(
        [
          { bad: '1', ips: [] },
          { bad: 'x', ips: ['y'] },
        ],
        2,
        ({ bad, ips }) => parsedObject({ bad: digit(bad), ips: parsedList(ips, 1, digit) }),
      ),
      good: digit('2'),
      filter: parsedObject({ since: parseOptional('z', digit) }),
    });
  expect(errorsOf(parse)).toEqual(
    ['name', 'keys[1].bad', 'keys[1].ips[0]', 'filter.since'].map((field) => ({ field, message })),
  );
});

test('a list that is too long is rejected before any of its items is parsed', () => {
  const parse = (text: string): Parsed<number> => {
    throw new Error(`parsed ${text}`);
  };
  expect(parsedList(['a', 'b'], 1, parse)).toEqual({ ok: false, problem: 'must have at most 1 entries' });
});

test('the items of a list are parsed up to as many errors as an answer lists', () => {
  let parsed = 0;
  const count = (text: string) => {
    parsed += 1;
    return digit(text);
  };
  const lists = Array.from({ length: 50 }, () => Array.from({ length: 30 }, () => 'x'));
  const fields = errorsOf(() => parseFields({ lists: parsedList(lists, 50, (items) => parsedList(items, 30, count)) }));
  expect([fields.length, fields.at(98)?.field, fields.at(99)?.field]).toEqual([100, 'lists[3][8]', 'errors']);
  // Four lists: after three, 90 errors are known.
  expect(parsed).toBe(4 * 30);
});

test('any field name is an ordinary name', () => {
  const names = ['__proto__', 'constructor', 'toString', 'body'];
  const parse = (result: Parsed<number>) => parseFields(Object.fromEntries(names.map((name) => [name, result])));
  expect(Object.keys(parse(digit('1')))).toEqual(names);
  expect(errorsOf(() => parse(digit('x'))).map(({ field }) => field)).toEqual(names);
});
