/** The toasts at the lower edge of the window. Loaded on demand. */
import { Button, Group, Text } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { type Toast, takeToasts, undos } from './toast.ts';

const closeMs = 6000;
/** The time also stops while the pointer or the focus is on a toast. */
const closeWithUndoMs = 15_000;
/** Above the dialogs of a page and for signing in, and below the question before leaving. */
const zIndex = 450;

export function Toasts({ waiting }: { readonly waiting: readonly Toast[] }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: shows each new toast.
  useEffect(() => {
    for (const toast of takeToasts()) show(toast);
  }, [waiting]);
  // The next session must not undo a change of this one.
  useEffect(() => {
    return () => {
      notifications.clean();
      undos.clear();
    };
  }, []);
  // Screen readers read what is added to a live region that exists already.
  return <Notifications position="bottom-center" limit={3} zIndex={zIndex} aria-live="polite" />;
}

const common = { withBorder: true, closeButtonProps: { 'aria-label': 'Close' } };

function show({ content, undo }: Toast): void {
  if (typeof content !== 'string') {
    notifications.show({ ...common, color: 'red', autoClose: false, message: <ErrorNotice error={content} /> });
    return;
  }
  const id = crypto.randomUUID();
  const press = () => {
    notifications.hide(id);
    undo?.().then(
      () => show({ content: 'Undone.' }),
      (error) => show({ content: error }),
    );
  };
  if (undo !== undefined) undos.add(press);
  notifications.show({
    ...common,
    id,
    // Not `alert`, which would interrupt a screen reader.
    role: 'group',
    'aria-label': 'Message',
    color: 'gray',
    autoClose: undo === undefined ? closeMs : closeWithUndoMs,
    onClose: () => void undos.delete(press),
    message: <Message text={content} undo={undo && press} />,
  });
}

function Message({ text, undo }: { readonly text: string; readonly undo: (() => void) | undefined }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" className="breakable">
        {text}
      </Text>
      {undo !== undefined && (
        <Button size="compact-sm" variant="default" miw="max-content" aria-keyshortcuts="Z" onClick={undo}>
          Undo
        </Button>
      )}
    </Group>
  );
}
