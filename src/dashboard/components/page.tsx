import { Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** The heading, which is also the title of the document. */
  readonly title: string;
  readonly width?: number;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, width, aside, children }: Props) {
  return (
    <Stack {...(width === undefined ? {} : { maw: width })}>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Stack>
  );
}
