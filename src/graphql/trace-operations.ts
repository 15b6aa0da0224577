import type { ApolloServerPlugin } from '@apollo/server';
import { callSpan } from '../traces/call-span.ts';
import type { Span } from '../traces/spans.ts';
import type { GraphQLContext } from './context.ts';
import { outcomeOf } from './outcome.ts';
import { rootFields } from './root-fields.ts';

/**
 * Records a span for each operation of a traced call, as a child of the call's span, with the schema fields that it selects. It does not
 * record the operation's name, text or variables, which the client chooses and which may contain secrets.
 */
export const traceOperations: ApolloServerPlugin<GraphQLContext> = {
  requestDidStart: async () => {
    const call = callSpan.getStore();
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
