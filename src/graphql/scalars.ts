import { GraphQLScalarType } from 'graphql';
import { GraphQLDateTimeISO, GraphQLJSON, GraphQLUUID } from 'graphql-scalars';
import { canonicalUuid } from '../lib/uuid.ts';

const uuid = GraphQLUUID.toConfig();

export const scalars = {
  UUID: describedBySchema(
    new GraphQLScalarType<string, string>({
      ...uuid,
      parseValue: (value) => canonicalUuid(GraphQLUUID.parseValue(value)),
      parseLiteral: (node, variables) => canonicalUuid(GraphQLUUID.parseLiteral(node, variables)),
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
