import { Stack } from '@mantine/core';
import { execute } from '../../api/execute.ts';
import { Section } from '../../components/section.tsx';
import { KeyUsageDocument } from '../../generated/graphql.ts';
import { Use } from '../../usage/use.tsx';
import type { Key } from '../key-change.ts';
import type { Question } from '../key-dialog.tsx';
import { ObservedSources } from '../sources/observed-sources.tsx';
import { Attention } from './attention.tsx';

interface Props {
  readonly apiKey: Key;
  readonly editable: boolean;
  readonly ask: (question: Question) => void;
}

export function Overview({ apiKey, editable, ask }: Props) {
  const keyId = apiKey.id;
  const read = async (from: Date, to: Date, signal: AbortSignal) =>
    (await execute(KeyUsageDocument, { keyId, from: from.toISOString(), to: to.toISOString() }, signal)).usage;
  return (
    <Stack>
      <Attention apiKey={apiKey} editable={editable} ask={ask} />
      <Section title="Verifications">
        <Use of={['usage', keyId]} read={read} />
      </Section>
      <ObservedSources apiKey={apiKey} editable={editable} />
    </Stack>
  );
}
