import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Actions } from '../form/actions.tsx';
import { FocusableButton } from '../form/focusable-button.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  readonly opened: boolean;
  readonly close: () => void;
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm: () => void;
  readonly confirmLabel: string;
  /** Of the button that confirms. */
  readonly color?: string;
  readonly disabled?: boolean;
  /** Whether the call that was confirmed is not answered yet. The dialog can't be closed until then. */
  readonly pending: boolean;
  /** Why that call failed; null if it has not. */
  readonly error: unknown;
}

/** Asks before a call is made, waits for it, and shows why it failed. */
export function ConfirmDialog({
  opened,
  close,
  title,
  children,
  confirm,
  confirmLabel,
  pending,
  error,
  ...rest
}: Props) {
  const { color = 'blue', disabled = false } = rest;
  return (
    <Dialog opened={opened} close={pending ? undefined : close} title={title}>
      <Stack gap="md">
        {children}
        <Actions error={error} justify="flex-end">
          <Button variant="default" data-autofocus disabled={pending} onClick={close}>
            Cancel
          </Button>
          <FocusableButton color={color} disabled={disabled} loading={pending} onClick={confirm}>
            {confirmLabel}
          </FocusableButton>
        </Actions>
      </Stack>
    </Dialog>
  );
}
