import { GraphQLScalarType } from 'graphql';
import { GraphQLDateTimeISO, GraphQLJSON, GraphQLUUID } from 'graphql-scalars';

const uuid = GraphQLUUID.toConfig();

/** Gives each id one spelling, because ids are compared as text. graphql-scalars accepts upper case and braces. */
const canonical = (value: string) => value.replace(/[{}]/g, '').toLowerCase();

export const scalars = {
  UUID: describedBySchema(
    new GraphQLScalarType<string, string>({
      ...uuid,
      parseValue: (value) => canonical(GraphQLUUID.parseValue(value)),
      parseLiteral: (node, variables) => canonical(GraphQLUUID.parseLiteral(node, variables)),
    }),
  ),
  /** Returned as text with milliseconds and `Z`. */
  DateTime: describedBySchema(new GraphQLScalarType({ ...GraphQLDateTimeISO.toConfig(), name: 'DateTime' })),
  JSON: describedBySchema(new GraphQLScalarType(GraphQLJSON.toConfig())),
};

/** Removes the library's description, which would replace the description in `schema.graphql`. */
function describedBySchema<Internal, External>(scalar: GraphQLScalarType<Internal, External>) {
  Reflect.deleteProperty(scalar, 'description');
  Reflect.deleteProperty(scalar, 'specifiedByURL');
  return scalar;
}
