import { readFileSync } from 'node:fs';
import { Kind, parse } from 'graphql';

export const typeDefs = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

const enumValues: ReadonlyMap<string, readonly string[]> = new Map(
  parse(typeDefs).definitions.flatMap((node) =>
    node.kind === Kind.ENUM_TYPE_DEFINITION
      ? [[node.name.value, (node.values ?? []).map(({ name }) => name.value)] as const]
      : [],
  ),
);

/** Returns what a value of an enum must be; undefined for other types. */
export function expectedOfEnum(type: string): string | undefined {
  const values = enumValues.get(type);
  return values && `must be one of ${values.join(', ')}`;
}
