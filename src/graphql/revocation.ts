import { Kind, OperationTypeNode, parse } from 'graphql';
import { maxTokens } from './operation-limits.ts';

/** Enough for a mutation and its selection, which are parsed in well below a millisecond. */
const maxBytes = 4000;

/** Returns whether the unparsed body of a GraphQL request does nothing but revoke one key. */
export function isRevocation(body: unknown): boolean {
  if (!Buffer.isBuffer(body) || body.length > maxBytes || !body.includes('revokeKey')) return false;
  try {
    const request: unknown = JSON.parse(body.toString());
    const query = typeof request === 'object' && request !== null && 'query' in request ? request.query : undefined;
    return typeof query === 'string' && isOneRevocation(query);
  } catch {
    return false;
  }
}

function isOneRevocation(query: string): boolean {
  const { definitions } = parse(query, { maxTokens, noLocation: true });
  const [operation, ...others] = definitions.filter(({ kind }) => kind !== Kind.FRAGMENT_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) return false;
  if (operation.operation !== OperationTypeNode.MUTATION) return false;
  const [field, ...more] = operation.selectionSet.selections;
  return field?.kind === Kind.FIELD && field.name.value === 'revokeKey' && more.length === 0;
}
