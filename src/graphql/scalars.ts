import { GraphQLScalarType } from 'graphql';
import { GraphQLDateTimeISO, GraphQLJSON, GraphQLUUID } from 'graphql-scalars';

const uuid = GraphQLUUID.toConfig();

/** Ids are compared as text, so that each has one spelling: graphql-scalars also takes upper case and braces. */
const canonical = (value: string) => value.replace(/[{}]/g, '').toLowerCase();

export const scalars = {
  UUID: new GraphQLScalarType<string, string>({
    ...uuid,
    parseValue: (value) => canonical(GraphQLUUID.parseValue(value)),
    parseLiteral: (node, variables) => canonical(GraphQLUUID.parseLiteral(node, variables)),
  }),
  /** Answered as text with milliseconds and `Z`. */
  DateTime: new GraphQLScalarType({ ...GraphQLDateTimeISO.toConfig(), name: 'DateTime' }),
  JSON: GraphQLJSON,
};
