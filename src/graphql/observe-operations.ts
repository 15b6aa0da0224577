/** Counts and traces operations by the fields of Query and Mutation that they select, over GraphQL and REST. */
import type { ApolloServerPlugin } from '@apollo/server';
import {
  type DocumentNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { OperationCounters, OperationOutcome } from '../metrics/operation-counters.ts';
import type { Span } from '../traces/spans.ts';
import { callSpan } from '../traces/spans.ts';
import type { GraphQLContext } from './context.ts';
import { publicError } from './errors.ts';

interface RootField {
  /** The name in the schema; `introspection` for introspection fields. */
  readonly name: string;
  /** The name in the response. */
  readonly key: string;
}

/**
 * Counts the outcome of each field, and records a span for each operation of a traced call. The operation's name, text and
 * variables are not recorded: the client chooses them, and they may contain secrets.
 */
export function observeOperations(operations: OperationCounters): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async () => {
      // An invalid document counts as `invalid`, because a client could put any names into it.
      let fields: readonly RootField[] = [{ name: 'invalid', key: '' }];
      let span: Span | undefined;
      return {
        didResolveOperation: async ({ document, operation }) => {
          if (operation === undefined) return;
          fields = rootFields(document, operation);
          const names = [...new Set(fields.map(({ name }) => name))];
          const type = operation.operation;
          span = callSpan.getStore()?.startChild(names.length === 1 ? `${type} ${names[0]}` : type, {
            'graphql.operation.type': type,
            'latchkey.operations': names,
          });
        },
        willSendResponse: async ({ errors = [] }) => {
          const outcomes = fields.map(({ key }) => outcomeOf(key, errors));
          for (const [i, { name }] of fields.entries()) operations.add(name, outcomes[i] ?? 'OK');
          const failed = outcomes.includes('INTERNAL_SERVER_ERROR') || outcomes.includes('UNAVAILABLE');
          span?.end({ 'latchkey.outcomes': [...new Set(outcomes)] }, failed);
        },
      };
    },
  };
}

function outcomeOf(key: string, errors: readonly GraphQLError[]): OperationOutcome {
  // An error without a path is about the whole operation.
  const error = errors.find(({ path }) => path === undefined || path[0] === key);
  return error === undefined ? 'OK' : publicError(error).code;
}

/** Returns the fields of Query or Mutation that an operation of a valid document selects. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode): readonly RootField[] {
  const fields = new Map<string, RootField>();
  // Each fragment is visited once, as in execution: nested fragments could otherwise cause millions of visits.
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet]] : [],
    ),
  );
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        const key = selection.alias?.value ?? name;
        fields.set(key, { name: name.startsWith('__') ? 'introspection' : name, key });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else {
        const name = selection.name.value;
        const fragment = fragments.get(name);
        fragments.delete(name);
        if (fragment !== undefined) collect(fragment);
      }
    }
  };
  collect(operation.selectionSet);
  return [...fields.values()];
}
