import { Button, Group, Stack, Text } from '@mantine/core';
import { Section } from '../../components/section.tsx';
import type { PartProps } from '../key-change.ts';

export function DangerZone({ apiKey, ask }: Pick<PartProps, 'apiKey' | 'ask'>) {
  const actions = [
    apiKey.disabledAt !== null
      ? ({ question: 'enable', label: 'Enable…', text: 'The key is accepted again.' } as const)
      : ({ question: 'disable', label: 'Disable…', text: 'The key is rejected until it is enabled again.' } as const),
    { question: 'revoke', label: 'Revoke…', text: 'The key is rejected forever. It can’t be restored.' } as const,
  ];
  return (
    <Section title="Danger zone">
      <Stack gap="md">
        {actions.map(({ question, label, text }) => (
          <Group key={label} justify="space-between" wrap="nowrap">
            <Text size="sm">{text}</Text>
            <Button
              variant="outline"
              color={question === 'enable' ? 'blue' : 'red'}
              miw={100}
              onClick={() => ask(question)}
            >
              {label}
            </Button>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}
