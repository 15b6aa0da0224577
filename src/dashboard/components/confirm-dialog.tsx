import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog/dialog.tsx';
import { FocusableButton } from './form/focusable-button.tsx';
import { Form } from './form/form.tsx';

export interface ConfirmProps {
  readonly opened: boolean;
  readonly close: () => void;
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm: () => void;
  readonly confirmLabel: string;
  readonly color?: string;
  readonly disabled?: boolean;
  /** Whether the confirmed call has no response yet. Until the response, the dialog can't be closed. */
  readonly pending: boolean;
  readonly error: unknown;
}

export function ConfirmDialog({ opened, close, title, children, confirm, confirmLabel, ...rest }: ConfirmProps) {
  const { pending, error, color = 'blue', disabled = false } = rest;
  return (
    <Dialog opened={opened} close={pending ? undefined : close} title={title}>
      <Form
        submit={confirm}
        error={error}
        justify="flex-end"
        actions={
          <>
            <Button variant="default" data-autofocus disabled={pending} onClick={close}>
              Cancel
            </Button>
            <FocusableButton type="submit" color={color} disabled={disabled || !opened} loading={pending}>
              {confirmLabel}
            </FocusableButton>
          </>
        }
      >
        {children}
      </Form>
    </Dialog>
  );
}
