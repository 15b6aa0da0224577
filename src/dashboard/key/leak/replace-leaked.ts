import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { DisableKeyDocument, RotateKeyDocument } from '../../generated/graphql.ts';
import type { Key } from '../key-change.ts';

/**
 * Disables a key whose secret has leaked, and replaces the secret without an overlap. Repeating it after an error does what
 * is left. Throws ApiError: PRECONDITION_FAILED if the leaked secret was replaced meanwhile, whose new secret must stay.
 */
export async function replaceLeaked({ id, leak }: Key): Promise<{ readonly apiKey: Key; readonly secret: string }> {
  const { apiKey } = (await execute(DisableKeyDocument, { id, reason: 'leaked' })).disableKey;
  if (apiKey.prefix !== leak?.prefix) {
    const message = 'The leaked secret was replaced meanwhile. The key is disabled. Look at its history.';
    throw new ApiError('PRECONDITION_FAILED', message, null);
  }
  const variables = { id, overlapSeconds: 0, ifRevision: [apiKey.revision] };
  return (await execute(RotateKeyDocument, variables)).rotateKey;
}
