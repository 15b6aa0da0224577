import { Tabs, Text } from '@mantine/core';
import { CodeToCopy } from './copyable.tsx';
import type { Snippet } from './snippets.ts';

export function Examples({ label, snippets }: { readonly label: string; readonly snippets: readonly Snippet[] }) {
  return (
    <Tabs defaultValue={snippets[0]?.name ?? null}>
      <Tabs.List aria-label={label}>
        {snippets.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, note, code }) => (
        <Tabs.Panel key={name} value={name} pt="xs">
          <CodeToCopy what={`the ${name} example`} text={code} />
          <Text size="sm" c="dimmed" mt={4}>
            {note}
          </Text>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
