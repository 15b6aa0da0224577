import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { expect, it } from 'vitest';
import { typeDefs } from '../../src/graphql/type-defs.ts';
import { graphql, sessionToken, startService } from '../support/service.ts';

const schema = buildSchema(typeDefs);
const types = Object.values(schema.getTypeMap()).filter((type) => type.astNode != null);

it('everything in the schema is described: it is the manual', () => {
  const elements = types.flatMap((type) => {
    const within = (name: string) => `${type.name}.${name}`;
    const named = (parts: readonly { readonly name: string; readonly description?: string | null | undefined }[]) =>
      parts.map(({ name, description }) => ({ name: within(name), description }));
    if (isEnumType(type)) return [type, ...named(type.getValues())];
    if (isInputObjectType(type)) return [type, ...named(Object.values(type.getFields()))];
    if (!isObjectType(type)) return [type];
    const fields = Object.values(type.getFields());
    const args = fields.flatMap(({ name, args }) =>
      args.map((arg) => ({ name: within(`${name}(${arg.name})`), description: arg.description })),
    );
    return [type, ...named(fields), ...args];
  });
  expect(elements.length).toBeGreaterThan(150);
  expect(elements.filter(({ description }) => (description ?? '').trim() === '').map(({ name }) => name)).toEqual([]);
});

it('the schema that is served is the one in schema.graphql, to the last word', async () => {
  const { url, stop } = await startService('sqlite');
  const query = getIntrospectionQuery({ schemaDescription: true, specifiedByUrl: true, inputValueDeprecation: true });
  const { body } = await graphql(url, sessionToken({}), query);
  await stop();
  const printed = (what: typeof schema) => printSchema(lexicographicSortSchema(what));
  expect(printed(buildClientSchema(body.data))).toBe(printed(schema));
});
