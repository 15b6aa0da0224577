import { expect, expectTypeOf, test } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { parsedList, parsedObject, parseFields, parseOptional } from '../../src/domain/parse-fields.ts';
import { accepted, type Parsed, rejected } from '../../src/domain/parsed.ts';

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

test('accepted fields are returned under their names, each with the type of its parser', () => {
  const values = parseFields({
    one: digit('1'),
    nested: parsedObject({ two: digit('2'), list: parsedList([digit('3'), digit('4')]) }),
    absent: parseOptional(null, digit),
    given: parseOptional('5', digit),
  });
  expect(values).toEqual({ one: 1, nested: { two: 2, list: [3, 4] }, absent: null, given: 5 });
  expectTypeOf(values.nested.list).toEqualTypeOf<number[]>();
  expectTypeOf(values.absent).toEqualTypeOf<number | null>();
});

test('all rejected fields are reported at once, in order, with the paths that the caller wrote', () => {
  const message = 'must be a digit';
  const parse = () =>
    parseFields({
      name: digit('a'),
      keys: parsedList([
        parsedObject({ bad: digit('1'), ips: parsedList([]) }),
        parsedObject({ bad: digit('x'), ips: parsedList([digit('y')]) }),
      ]),
      good: digit('2'),
      filter: parsedObject({ since: parseOptional('z', digit) }),
    });
  expect(errorsOf(parse)).toEqual(
    ['name', 'keys[1].bad', 'keys[1].ips[0]', 'filter.since'].map((field) => ({ field, message })),
  );
});

test('a field that is not given is not returned', () => {
  const name: string | undefined = undefined;
  const values = parseFields({ ...(name === undefined ? {} : { name: digit(name) }), other: digit('1') });
  expect(Object.keys(values)).toEqual(['other']);
});

test('any field name is an ordinary name', () => {
  const names = ['__proto__', 'constructor', 'toString', 'body'];
  const parse = (result: Parsed<number>) => parseFields(Object.fromEntries(names.map((name) => [name, result])));
  expect(Object.keys(parse(digit('1')))).toEqual(names);
  expect(errorsOf(() => parse(digit('x'))).map(({ field }) => field)).toEqual(names);
});
