import {
  type EnumValueNode,
  type FloatValueNode,
  GraphQLError,
  GraphQLScalarType,
  type IntValueNode,
  type ValueNode,
  visit,
} from 'graphql';
import { GraphQLDateTimeISO, GraphQLJSON, GraphQLUUID } from 'graphql-scalars';
import { LatchkeyError } from '../domain/errors.ts';
import { asText, isChangedNumber } from '../lib/json-losses.ts';
import { canonicalUuid } from '../lib/uuid.ts';

const uuid = GraphQLUUID.toConfig();

export const scalars = {
  UUID: describedBySchema(
    new GraphQLScalarType<string, string>({
      ...uuid,
      // The library's check of each id takes longer than the rest of its field.
      serialize: String,
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
        visit(node, { IntValue: rejectChangedNumber, FloatValue: rejectChangedNumber, EnumValue: rejectName });
        return GraphQLJSON.parseLiteral(node, variables);
      },
    }),
  ),
};

function rejectChangedNumber(node: IntValueNode | FloatValueNode): void {
  if (!isChangedNumber(node.value)) return;
  throw rejection(node, `The number here must be given ${asText}.`);
}

/** The library would leave the member out. */
function rejectName(node: EnumValueNode): void {
  throw rejection(node, 'The text here must be in quotation marks: JSON has no names.');
}

function rejection(node: ValueNode, message: string): GraphQLError {
  return new GraphQLError(message, { nodes: node, originalError: new LatchkeyError('BAD_USER_INPUT', message) });
}

/** Removes the library's description, which would replace the description in `schema.graphql`. */
function describedBySchema<Internal, External>(scalar: GraphQLScalarType<Internal, External>) {
  Reflect.deleteProperty(scalar, 'description');
  Reflect.deleteProperty(scalar, 'specifiedByURL');
  return scalar;
}
