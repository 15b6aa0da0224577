/**
 * Runs operations, for GraphQL and for REST: checks them, waits for their turn, executes them, and counts and traces
 * them by the fields of Query and Mutation that they select.
 */
import { type ExecutionResult, execute, GraphQLError, type GraphQLSchema } from 'graphql';
import { LatchkeyError } from '../domain/errors.ts';
import type { OperationCounters, OperationOutcome } from '../metrics/operation-counters.ts';
import { callSpan } from '../traces/spans.ts';
import { acceptOperation } from './accept-operation.ts';
import type { GraphQLContext } from './context.ts';
import { publicError, rejection } from './errors.ts';
import type { Operation, Variables } from './operation.ts';

/** Runs operations on one schema. Never throws: all errors are in the result. Without `data`, nothing was executed. */
export class OperationRunner {
  readonly schema: GraphQLSchema;
  readonly #counters: OperationCounters;

  constructor(schema: GraphQLSchema, counters: OperationCounters) {
    this.schema = schema;
    this.#counters = counters;
  }

  /**
   * Records the outcome of each root field, and a span if the call is traced. The operation's name, text and variables are
   * not recorded: the client chooses them, and they may contain secrets.
   */
  async run(operation: Operation, variables: Variables, context: GraphQLContext): Promise<ExecutionResult> {
    const type = operation.definition.operation;
    const names = [...new Set(operation.fields.map(({ name }) => name))];
    const span = callSpan.getStore()?.startChild(names.length === 1 ? `${type} ${names[0]}` : type, {
      'graphql.operation.type': type,
      'latchkey.operations': names,
    });
    const result = await this.#acceptAndExecute(operation, variables, context);
    const outcomes = operation.fields.map(({ name, key }) => {
      const outcome = outcomeOf(key, result.errors);
      this.#counters.add(name, outcome);
      return outcome;
    });
    const failed = outcomes.includes('INTERNAL_SERVER_ERROR') || outcomes.includes('UNAVAILABLE');
    span?.end({ 'latchkey.outcomes': [...new Set(outcomes)] }, failed);
    return result;
  }

  async #acceptAndExecute(
    operation: Operation,
    variables: Variables,
    contextValue: GraphQLContext,
  ): Promise<ExecutionResult> {
    const { schema } = this;
    const { document, definition, fields, call } = operation;
    try {
      const accepted = acceptOperation(schema, operation, variables, contextValue);
      const release = await contextValue.call.startOperation(accepted.cost);
      try {
        if (call !== undefined)
          return { data: { [fields[0]?.key ?? '']: await call(accepted.variables, contextValue) } };
        const operationName = definition.name?.value;
        // graphql-js coerces the variables again: it has no way to take those that are coerced.
        return await execute({ schema, document, operationName, contextValue, variableValues: variables });
      } finally {
        release();
      }
    } catch (error) {
      const isKnown = error instanceof LatchkeyError;
      return { errors: [isKnown ? rejection(error) : new GraphQLError('', { originalError: thrown(error) })] };
    }
  }
}

function thrown(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function outcomeOf(key: string, errors: readonly GraphQLError[] = []): OperationOutcome {
  // An error without a path is about the whole operation.
  const error = errors.find(({ path }) => path === undefined || path[0] === key);
  return error === undefined ? 'OK' : publicError(error).code;
}
