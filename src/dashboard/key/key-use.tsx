import { useCallback } from 'react';
import { execute } from '../api/execute.ts';
import { keyUsage } from '../api/operations.ts';
import { Use } from '../usage/use.tsx';

export function KeyUse({ keyId }: { readonly keyId: string }) {
  const read = useCallback(
    async (from: Date, to: Date, signal: AbortSignal) =>
      (await execute(keyUsage, { keyId, from: from.toISOString(), to: to.toISOString() }, signal)).usage,
    [keyId],
  );
  return <Use of={['usage', keyId]} read={read} />;
}
