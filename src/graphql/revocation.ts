import { Kind, OperationTypeNode, parse } from 'graphql';
import { isJsonObject } from '../lib/json-object.ts';
import { maxTokens } from './operation-limits.ts';

/** Enough for a mutation and its selection, which are parsed in well below a millisecond. */
const maxCharacters = 4000;

/** The fields that end one key, freeze keys, or end what lets a program in. */
const revoking = ['revokeKey', 'revokeKeyByExternalId', 'freezeKeys', 'revokeManagementKey', 'deleteTrustRule'];

/**
 * Returns whether the body of a GraphQL request does nothing but one of `revoking`. Apollo Server parses documents only after
 * their requests have slots, and this decides about the slot: if all were parsed first, calls above the limit would cost
 * as much as others. So a short document that has one of the words is parsed twice. The attack many-changes of `npm run load --
 * hostile` revokes keys while others use all slots.
 */
export function isRevocation(body: unknown): boolean {
  const query = isJsonObject(body) ? body.query : undefined;
  if (typeof query !== 'string' || query.length > maxCharacters || !mayRevoke(query)) return false;
  try {
    const { definitions } = parse(query, { maxTokens, noLocation: true });
    const [operation, ...others] = definitions.filter(({ kind }) => kind !== Kind.FRAGMENT_DEFINITION);
    if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) return false;
    if (operation.operation !== OperationTypeNode.MUTATION) return false;
    const [field, ...more] = operation.selectionSet.selections;
    return field?.kind === Kind.FIELD && revoking.includes(field.name.value) && more.length === 0;
  } catch {
    return false;
  }
}

function mayRevoke(query: string): boolean {
  return revoking.some((name) => query.includes(name));
}
