/** The toasts at the lower edge of the window. Loaded on demand. */
import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Notifications, notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { type Toast, takeToasts, type UndoQuestion, undos } from './toast.ts';

const closeMs = 6000;
/** The time also stops while the pointer or the focus is on a toast. */
const closeWithUndoMs = 15_000;
/** Above the dialogs of a page and for signing in, and below the question before leaving. */
const zIndex = 450;

interface Asked extends UndoQuestion {
  readonly undo: () => void;
}

export function Toasts({ waiting }: { readonly waiting: readonly Toast[] }) {
  const [asked, setAsked] = useState<Asked>();
  const [asks, { open, close }] = useDisclosure();
  // biome-ignore lint/correctness/useExhaustiveDependencies: shows each new toast.
  useEffect(() => {
    const ask = (question: Asked) => {
      setAsked(question);
      open();
    };
    for (const toast of takeToasts()) show(toast, ask);
  }, [waiting]);
  // The next session must not undo a change of this one.
  useEffect(() => {
    return () => {
      notifications.clean();
      undos.clear();
    };
  }, []);
  // Screen readers read what is added to a live region that exists already.
  return (
    <>
      <Notifications position="bottom-center" limit={3} zIndex={zIndex} aria-live="polite" />
      {asked !== undefined && (
        <ConfirmDialog
          opened={asks}
          close={close}
          title={asked.title}
          confirm={() => {
            close();
            asked.undo();
          }}
          confirmLabel={asked.label}
          color="red"
          pending={false}
          error={null}
        >
          <Text size="sm">{asked.text}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

const common = { withBorder: true, closeButtonProps: { 'aria-label': 'Close' } };

// Not `alert`, which would interrupt a screen reader.
const message = { ...common, role: 'group', 'aria-label': 'Message', color: 'gray', autoClose: closeMs } as const;

function show({ content, undo, question }: Toast, ask: (question: Asked) => void): void {
  if (typeof content !== 'string') {
    notifications.show({ ...common, color: 'red', autoClose: false, message: <ErrorNotice error={content} /> });
    return;
  }
  const id = crypto.randomUUID();
  const act = () =>
    void undo?.().then(
      () => notifications.show({ ...message, message: <Message text="Undone." undo={undefined} /> }),
      (error) => show({ content: error }, ask),
    );
  const press = () => {
    notifications.hide(id);
    if (question === undefined) act();
    else ask({ ...question, undo: act });
  };
  // `Z` undoes what the user has just done, and not what came before it.
  if (undo === undefined) undos.clear();
  else undos.add(press);
  notifications.show({
    ...message,
    id,
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
