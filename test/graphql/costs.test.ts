/** The costs in schema.graphql. test/graphql/limits.test.ts checks what they do. */
import { buildSchema } from 'graphql';
import { describe, expect, it, test } from 'vitest';
import { settingNames, settings } from '../../src/domain/key/settings.ts';
import { limits } from '../../src/domain/limits.ts';
import { maxObservedSources } from '../../src/domain/source/observed-source.ts';
import { keyVerdictCount } from '../../src/domain/verdict/checks.ts';
import { plugin } from '../../src/graphql/costs/cost-directives.ts';
import { fieldPrices } from '../../src/graphql/generated/field-costs.ts';
import { typeDefs } from '../../src/graphql/type-defs.ts';
import { maxAddressKeys } from '../../src/manage/read/read-observed-sources.ts';
import { maxRejectedKeys } from '../../src/manage/read/read-usage.ts';

const definitions = typeDefs.slice(typeDefs.indexOf('directive @cost'), typeDefs.indexOf('"A UUID in its'));
const pluginOf = (text: string) => plugin(buildSchema(`${definitions} scalar JSON ${text}`));
const withField = (field: string) =>
  pluginOf(`type Query { a: T! @cost(weight: "1") } type T { ${field} b: [Int!] @cost(weight: "1") }`);

describe('npm run codegen fails for', () => {
  it.each([
    ['a query without a cost', () => pluginOf('type Query { a: Int }'), 'Query.a needs @cost in schema.graphql.'],
    [
      'a mutation that only has the size of its list',
      () => pluginOf('type Query { a: Int @cost(weight: "1") } type Mutation { a: [Int!]! @listSize(assumedSize: 1) }'),
      'Mutation.a needs @cost in schema.graphql.',
    ],
    ['a list without a size', () => withField('a: [Int!]!'), 'T.a needs @cost or @listSize in schema.graphql.'],
    ['JSON without a size', () => withField('a: JSON'), 'T.a needs @cost or @listSize in schema.graphql.'],
    [
      'a weight that is not a number',
      () => withField('a: Int @cost(weight: "one")'),
      '@cost of T.a must have a number, not one.',
    ],
    [
      'two weights',
      () => withField('a: Int @cost(weight: "1", by: "page")'),
      '@cost of T.a must have either a number or by.',
    ],
    [
      'an unknown argument',
      () => withField('a: [Int!] @listSize(assumedSize: 5, slicingArguments: ["first"])'),
      '@listSize of T.a must name one argument of the field.',
    ],
    [
      'an unknown list',
      () => withField('a: T @listSize(assumedSize: 5, sizedFields: ["nodes"])'),
      '@listSize of T.a names nodes, which T does not have.',
    ],
  ])('%s', (_, generate, message) => {
    expect(generate).toThrow(new Error(message));
  });
});

it('a function that a directive names is imported with the type of the arguments, so that a missing one does not compile', () => {
  expect(withField('a(first: Int!): Int @cost(by: "page")')).toContain(
    "'T.a': { weight: functions.page satisfies (args: Types.TAArgs) => number },",
  );
});

test.each([
  ['Query.keys', limits.pageSize],
  ['Query.auditLog', limits.pageSize],
  ['Query.events', limits.pageSize],
  ['Query.deliveries', limits.pageSize],
  ['Query.rejectedKeys', maxRejectedKeys],
  ['Query.observedSources', maxObservedSources.perKey],
  ['Query.addressActivity', maxAddressKeys],
  ['AllowedIpsPreview.accepted', maxObservedSources.perKey],
  ['AllowedIpsPreview.rejected', maxObservedSources.perKey],
  ['Query.webhooks', limits.webhooks],
  ['Mutation.importKeys', limits.importedKeys],
  ['Mutation.changeKeys', limits.changedKeys],
  ['ObservedSource.counts', keyVerdictCount],
  ['UnlistedSources.counts', keyVerdictCount],
  ['RejectedKey.counts', keyVerdictCount],
])('the size of %s in schema.graphql is the limit that the service has', (field, limit) => {
  expect(fieldPrices[field]?.size).toBe(limit);
});

test('the cost of replayEvents includes a row for each event', () => {
  expect(fieldPrices['Mutation.replayEvents']?.weight).toBe(170 + 95 + limits.replayedEvents * 0.1);
});

test('a setting that can be long is priced by its length', () => {
  // At most 100 characters of up to four bytes.
  const long = settingNames.filter(
    (name) => ['text', 'list', 'object'].includes(settings[name].kind) && name !== 'name',
  );
  expect(long.length).toBeGreaterThan(5);
  // A text has at most 500 characters; a list is at most as long as the body that set it.
  for (const name of long) {
    expect([name, fieldPrices[`ApiKey.${name}`]?.kilobytes]).toEqual([name, settings[name].kind === 'text' ? 2 : 64]);
  }
});
