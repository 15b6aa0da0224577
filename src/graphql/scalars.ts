import { GraphQLScalarType } from 'graphql';
import { GraphQLDateTimeISO, GraphQLJSON, GraphQLUUID } from 'graphql-scalars';

const uuid = GraphQLUUID.toConfig();

/** Ids are compared as text, so that each has one spelling: graphql-scalars also takes upper case and braces. */
const canonical = (value: string) => value.replace(/[{}]/g, '').toLowerCase();

export const scalars = {
  UUID: describedBySchema(
    new GraphQLScalarType<string, string>({
      ...uuid,
      parseValue: (value) => canonical(GraphQLUUID.parseValue(value)),
      parseLiteral: (node, variables) => canonical(GraphQLUUID.parseLiteral(node, variables)),
    }),
  ),
  /** Answered as text with milliseconds and `Z`. */
  DateTime: describedBySchema(new GraphQLScalarType({ ...GraphQLDateTimeISO.toConfig(), name: 'DateTime' })),
  JSON: describedBySchema(new GraphQLScalarType(GraphQLJSON.toConfig())),
};

/** Takes the library's words away, which would replace those of `schema.graphql` in the schema that is served. */
function describedBySchema<Internal, External>(scalar: GraphQLScalarType<Internal, External>) {
  Reflect.deleteProperty(scalar, 'description');
  Reflect.deleteProperty(scalar, 'specifiedByURL');
  return scalar;
}
