import type { ApolloServerPlugin } from '@apollo/server';
import type { CallSpans } from '../traces/call-spans.ts';
import type { Span } from '../traces/spans.ts';
import type { GraphQLContext } from './context.ts';
import { outcomeOf } from './outcome.ts';
import { rootFields } from './root-fields.ts';

/**
 * A span for each operation inside its call's, by the fields of the schema that it asks for: neither the name that a
 * client gave it nor its text nor its variables, which may be secrets.
 */
export function traceOperations(spans: CallSpans): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async ({ contextValue }) => {
      const call = spans.of(contextValue.caller.requestId);
      if (call === undefined) return;
      let span: Span | undefined;
      let keys: readonly string[] = [];
      return {
        didResolveOperation: async ({ document, operation }) => {
          if (operation === undefined) return;
          const fields = rootFields(document, operation);
          keys = fields.map(({ key }) => key);
          const names = [...new Set(fields.map(({ name }) => name))];
          const type = operation.operation;
          span = call.startChild(names.length === 1 ? `${type} ${names[0]}` : type, {
            'graphql.operation.type': type,
            'latchkey.operations': names,
          });
        },
        willSendResponse: async ({ errors = [] }) => {
          const outcomes = [...new Set(keys.map((key) => outcomeOf(key, errors)))];
          const failed = outcomes.includes('INTERNAL_SERVER_ERROR') || outcomes.includes('UNAVAILABLE');
          span?.end({ 'latchkey.outcomes': outcomes }, failed);
        },
      };
    },
  };
}
