/** Describes the operation of a REST route as data, from which its document is made once, at the start. */
import { type DocumentNode, Kind, type ObjectTypeDefinitionNode, parse, print } from 'graphql';
import type { Mutation, MutationResolvers, Query, QueryResolvers } from '../graphql/generated/resolver-types.ts';
import { typeDefs } from '../graphql/type-defs.ts';

/** Names of fields, and objects with the selections of fields that are objects. */
type Selection<Type> = Type extends readonly (infer Entry)[]
  ? Selection<Entry>
  : readonly (
      | keyof NonNullable<Type>
      | { readonly [Name in keyof NonNullable<Type>]?: Selection<NonNullable<Type>[Name]> }
    )[];

/** What is returned for a selection. */
type Selected<Type, Names> = Type extends null | undefined
  ? Type
  : Type extends readonly (infer Entry)[]
    ? readonly Selected<Entry, Names>[]
    : Names extends readonly unknown[]
      ? Pick<Type, Extract<Names[number], keyof Type>> & SelectedObjects<Type, All<Exclude<Names[number], keyof Type>>>
      : never;

/** The intersection of the types of a union. */
type All<Union> = (Union extends unknown ? (type: Union) => void : never) extends (type: infer Types) => void
  ? Types
  : never;

type SelectedObjects<Type, Objects> = {
  readonly [Name in keyof Objects & keyof Type]: Selected<Type[Name], Objects[Name]>;
};

type ArgumentsOf<Resolver> = Resolver extends (parent: never, args: infer Args, ...rest: never[]) => unknown
  ? Args
  : Resolver extends { readonly resolve: (parent: never, args: infer Args, ...rest: never[]) => unknown }
    ? Args
    : never;

/** An operation of one field. Its variables are the arguments of the field. */
export interface RestOperation<Arguments, Result> {
  readonly field: string;
  readonly document: DocumentNode;
  /** Only types: never set. */
  readonly types?: { readonly arguments: Arguments; readonly result: Result };
}

export type ResultOf<Type> = Type extends RestOperation<infer _, infer Result> ? Result : never;

export function query<
  const Name extends keyof Query & keyof QueryResolvers,
  const Names extends Selection<Query[Name]>,
>(
  name: Name,
  selection: Names,
): RestOperation<ArgumentsOf<NonNullable<QueryResolvers[Name]>>, Selected<Query[Name], Names>> {
  return operation('Query', name, selection);
}

export function mutation<
  const Name extends keyof Mutation & keyof MutationResolvers,
  const Names extends Selection<Mutation[Name]>,
>(
  name: Name,
  selection: Names,
): RestOperation<ArgumentsOf<NonNullable<MutationResolvers[Name]>>, Selected<Mutation[Name], Names>> {
  return operation('Mutation', name, selection);
}

const fields = new Map(
  parse(typeDefs)
    .definitions.filter((node): node is ObjectTypeDefinitionNode => node.kind === Kind.OBJECT_TYPE_DEFINITION)
    .flatMap((type) => (type.fields ?? []).map((field) => [`${type.name.value}.${field.name.value}`, field] as const)),
);

function operation(type: 'Query' | 'Mutation', name: string, selection: readonly unknown[]) {
  const args = fields.get(`${type}.${name}`)?.arguments ?? [];
  const variables = args.map((argument) => {
    const initial = argument.defaultValue === undefined ? '' : ` = ${print(argument.defaultValue)}`;
    return `$${argument.name.value}: ${print(argument.type)}${initial}`;
  });
  const passed = args.map((argument) => `${argument.name.value}: $${argument.name.value}`);
  const document = `${type.toLowerCase()} (${variables.join(', ')}) { ${name}(${passed.join(', ')}) ${textOf(selection)} }`;
  return { field: name, document: parse(document, { noLocation: true }) };
}

function textOf(selection: readonly unknown[]): string {
  const texts = selection.flatMap((entry) =>
    typeof entry === 'string'
      ? [entry]
      : Object.entries(Object(entry)).map(([name, of]) => `${name} ${textOf(Array.isArray(of) ? of : [])}`),
  );
  return `{ ${texts.join(' ')} }`;
}
