import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { disableSigning, enableSigning, oneKey, rotateSigningSecret } from '../../api/operations.ts';
import { type Key, showKey, useKeyChange } from '../key-change.ts';

export type Step = 'enable' | 'rotate' | 'disable';

interface SigningChange {
  readonly step: Step;
  /** The revision of the key that the user saw. */
  readonly revision: string;
  readonly overlapSeconds: number;
}

interface Answer {
  readonly apiKey: Key;
  readonly signingSecret?: string;
}

/** Enables, rotates or disables the request signing of a key. */
export function useSigningChange(id: string) {
  const queries = useQueryClient();
  return useKeyChange(async ({ step, revision, overlapSeconds }: SigningChange): Promise<Answer> => {
    if (step === 'enable') return (await execute(enableSigning, { id })).enableSigning;
    if (step === 'disable') return (await execute(disableSigning, { id })).disableSigning;
    await checkUnchanged(queries, id, revision);
    return (await execute(rotateSigningSecret, { id, overlapSeconds })).rotateSigningSecret;
  });
}

/** Throws if the key has changed. The API has no condition here, and would replace a secret of another user. */
async function checkUnchanged(queries: QueryClient, id: string, revision: string): Promise<void> {
  const { key } = await execute(oneKey, { id });
  if (key.revision === revision) return;
  await showKey(queries, key);
  throw new ApiError('PRECONDITION_FAILED', 'Another session changed this key.', null);
}
