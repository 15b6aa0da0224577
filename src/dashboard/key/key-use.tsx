import { Stack } from '@mantine/core';
import { useCallback } from 'react';
import { execute } from '../api/execute.ts';
import { keyUsage } from '../api/operations.ts';
import { Section } from '../components/section.tsx';
import { Use } from '../usage/use.tsx';
import type { Key } from './key-change.ts';
import { ObservedSources } from './sources/observed-sources.tsx';

interface Props {
  readonly apiKey: Key;
  readonly editable: boolean;
}

/** How often the key was verified, with which verdicts, and from where. */
export function KeyUse({ apiKey, editable }: Props) {
  const keyId = apiKey.id;
  const read = useCallback(
    async (from: Date, to: Date, signal: AbortSignal) =>
      (await execute(keyUsage, { keyId, from: from.toISOString(), to: to.toISOString() }, signal)).usage,
    [keyId],
  );
  return (
    <Stack>
      <Section title="Verifications">
        <Use of={['usage', keyId]} read={read} />
      </Section>
      <ObservedSources apiKey={apiKey} editable={editable} />
    </Stack>
  );
}
