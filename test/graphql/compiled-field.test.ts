/** What the compiled fields of REST calls do when several of their fields fail. Their results: same-as-graphql.test.ts. */
import { buildSchema, Kind, parse } from 'graphql';
import { expect, it, onTestFinished } from 'vitest';
import { compileField } from '../../src/graphql/compiled-field.ts';
import type { GraphQLContext } from '../../src/graphql/context.ts';
import type { CallField } from '../../src/graphql/operation.ts';

const schema = buildSchema('type Entry { late: Int, wrong: Int } type Query { entries: [Entry!]! }');

/** Compiles a field that returns these entries. */
function listing(entries: readonly object[]): CallField {
  Object.assign(Object(schema.getQueryType()?.getFields().entries), { resolve: () => entries });
  const [definition] = parse('{ entries { late wrong } }').definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error('the document has an operation');
  return compileField(schema, definition);
}

it.each([
  ['the same entry', ['late', 'wrong'], []],
  ['a later entry', ['late'], ['wrong']],
])('a promise that fails after %s was rejected ends no process', async (_name, ...fields) => {
  const unhandled: unknown[] = [];
  const report = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', report);
  onTestFinished(() => void process.off('unhandledRejection', report));

  let fail = (_error: Error): void => undefined;
  const late = new Promise((_resolve, reject) => {
    fail = reject;
  });
  const values: Readonly<Record<string, unknown>> = { late, wrong: 'not a number' };
  const entries = fields.map((names) => Object.fromEntries(names.map((name) => [name, values[name]])));
  await expect(listing(entries)({}, {} as GraphQLContext)).rejects.toThrow('Int cannot represent');
  fail(new Error('the store does not answer'));
  // Node.js reports unhandled rejections before it goes on to the next turn.
  await new Promise(setImmediate);
  expect(unhandled).toEqual([]);
});
