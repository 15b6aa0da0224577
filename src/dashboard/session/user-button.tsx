import { ActionIcon } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { User } from '../components/icons.tsx';

export function UserButton(props: Pick<ComponentPropsWithRef<'button'>, 'ref' | 'onClick'>) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="var(--mantine-color-text)"
      size="lg"
      aria-label="Session"
      aria-haspopup="dialog"
      {...props}
    >
      <User size={18} />
    </ActionIcon>
  );
}
