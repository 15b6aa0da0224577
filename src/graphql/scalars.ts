import { type FloatValueNode, GraphQLError, GraphQLScalarType, type IntValueNode, visit } from 'graphql';
import { GraphQLDateTimeISO, GraphQLJSON, GraphQLUUID } from 'graphql-scalars';
import { LatchkeyError } from '../domain/errors.ts';
import { asText, isChangedNumber } from '../lib/json-losses.ts';
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
  /** In variables, http/json-body.ts rejects numbers that would be changed. */
  JSON: describedBySchema(
    new GraphQLScalarType({
      ...GraphQLJSON.toConfig(),
      parseLiteral: (node, variables) => {
        visit(node, { IntValue: rejectChangedNumber, FloatValue: rejectChangedNumber });
        return GraphQLJSON.parseLiteral(node, variables);
      },
    }),
  ),
};

function rejectChangedNumber(node: IntValueNode | FloatValueNode): void {
  if (!isChangedNumber(node.value)) return;
  const message = `The number here must be given ${asText}.`;
  throw new GraphQLError(message, { nodes: node, originalError: new LatchkeyError('BAD_USER_INPUT', message) });
}

/** Removes the library's description, which would replace the description in `schema.graphql`. */
function describedBySchema<Internal, External>(scalar: GraphQLScalarType<Internal, External>) {
  Reflect.deleteProperty(scalar, 'description');
  Reflect.deleteProperty(scalar, 'specifiedByURL');
  return scalar;
}
