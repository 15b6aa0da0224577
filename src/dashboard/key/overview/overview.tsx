import { Stack } from '@mantine/core';
import { execute } from '../../api/execute.ts';
import { Section } from '../../components/section.tsx';
import { KeyUsageDocument } from '../../generated/graphql.ts';
import { Use } from '../../usage/use.tsx';
import type { PartProps } from '../key-change.ts';
import { ObservedSources } from '../sources/observed-sources.tsx';
import { Attention } from './attention.tsx';

export function Overview(props: PartProps) {
  const keyId = props.apiKey.id;
  const read = async (from: Date, to: Date, signal: AbortSignal) =>
    (await execute(KeyUsageDocument, { keyId, from: from.toISOString(), to: to.toISOString() }, signal)).usage;
  return (
    <Stack>
      <Attention {...props} />
      <Section title="Verifications">
        <Use of={['usage', keyId]} read={read} />
      </Section>
      <ObservedSources {...props} />
    </Stack>
  );
}
