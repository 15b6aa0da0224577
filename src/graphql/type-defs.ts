import { readFileSync } from 'node:fs';
import { Kind, parse } from 'graphql';
import { projectFile } from '../lib/project-files.ts';

export const typeDefs = readFileSync(projectFile('schema.graphql'), 'utf8');

const enumValues: ReadonlyMap<string, readonly string[]> = new Map(
  parse(typeDefs).definitions.flatMap((node) =>
    node.kind === Kind.ENUM_TYPE_DEFINITION
      ? [[node.name.value, (node.values ?? []).map(({ name }) => name.value)] as const]
      : [],
  ),
);

/** Returns the message for a wrong value of an enum; undefined for other types. */
export function expectedOfEnum(type: string): string | undefined {
  const values = enumValues.get(type);
  return values && `must be one of ${values.join(', ')}`;
}
