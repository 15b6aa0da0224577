/** A dialog with a title. Built from the parts of Modal, because its own header would be a second banner landmark. */
import { Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly opened: boolean;
  readonly title: string;
  /** Absent if the dialog can't be dismissed. */
  readonly close?: () => void;
  readonly children: ReactNode;
}

export function Dialog({ opened, title, close, children }: Props) {
  const closable = close !== undefined;
  return (
    <Modal.Root
      opened={opened}
      onClose={close ?? (() => undefined)}
      closeOnEscape={closable}
      closeOnClickOutside={closable}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Group justify="space-between" wrap="nowrap" p="md" pb="xs">
          <Modal.Title fw={600}>{title}</Modal.Title>
          {closable && <Modal.CloseButton aria-label="Close" />}
        </Group>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
