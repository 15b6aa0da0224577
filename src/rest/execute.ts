import { Kind, validate } from 'graphql';
import { badInput, type FieldError, type LatchkeyError } from '../domain/errors.ts';
import { compileField } from '../graphql/compiled-field.ts';
import { graphqlContext, type OperationSource } from '../graphql/context.ts';
import { publicError } from '../graphql/errors.ts';
import { type Operation, operationOf } from '../graphql/operation.ts';
import type { OperationRunner } from '../graphql/run-operation.ts';
import type { Caller, Management } from '../manage/management.ts';
import type { RestOperation } from './rest-operation.ts';
import type { Execute } from './route.ts';
import { routes } from './routes.ts';

export type Executor = ReturnType<typeof executor>;

type Source = Pick<OperationSource, 'call' | 'inputErrors'>;

/**
 * Validates the operations of all routes, once. The returned functions run them in process, as GraphQL requests run, and
 * throw the first error of the result. If there are `inputErrors`, no operation runs.
 */
export function executor(runner: OperationRunner, management: Management) {
  const prepared = new Map(routes.map(({ operation: { document } }) => [document, prepare(runner, document)]));
  // The REST call was already counted as one operation.
  const countOperations = () => undefined;
  return <Arguments, Result>(
    { field, document }: RestOperation<Arguments, Result>,
    caller: Caller,
    source: Source,
  ): Execute<Arguments, Result> => {
    const valid = prepared.get(document) ?? prepare(runner, document);
    return async (args, names) => {
      const context = graphqlContext(management, caller, { countOperations, singleIsList: false, ...source });
      const { data, errors: [error] = [] } = await runner.run(valid, args, context);
      if (error !== undefined) throw withNames(publicError(error), names, source.inputErrors);
      // The type follows from the operation's selection.
      return data?.[field] as Result;
    };
  };
}

function prepare({ schema }: OperationRunner, document: RestOperation<unknown, unknown>['document']): Operation {
  const [error] = validate(schema, document);
  const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (error !== undefined || definition === undefined) throw error ?? new Error('a document without an operation');
  return { ...operationOf(document, definition), call: compileField(schema, definition) };
}

/** `names` is a map, not an object: an error can also name an unknown parameter of the caller, such as `__proto__`. */
function withNames(
  error: LatchkeyError,
  names: ReadonlyMap<string, string> | undefined,
  inputErrors: readonly FieldError[],
): LatchkeyError {
  if (names === undefined || error.code !== 'BAD_USER_INPUT') return error;
  const own = new Set(inputErrors.map(({ field }) => field));
  const renamed = ({ field, message }: FieldError): FieldError => {
    if (own.has(field)) return { field, message };
    const [argument = '', index = ''] = field.split(/(?=\[)/, 2);
    return { field: `${names.get(argument) ?? argument}${index}`, message };
  };
  return badInput(error.fields.map(renamed));
}
