import { Button, Group, Text } from '@mantine/core';
import { useRef } from 'react';
import { Dialog } from './dialog.tsx';
import { type Leaving, useLeaving } from './leave-guard.tsx';

export function LeaveDialog() {
  const leaving = useLeaving();
  // The question stays while the dialog fades out.
  const last = useRef<Leaving | null>(null);
  last.current = leaving ?? last.current;
  const { question, leave, stay } = last.current ?? {};
  return (
    <Dialog layer="leave" opened={leaving !== null} close={stay} title={question?.title ?? ''}>
      <Text mb="md">{question?.text}</Text>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={stay}>
          Stay
        </Button>
        <Button color="red" onClick={leave}>
          Leave
        </Button>
      </Group>
    </Dialog>
  );
}
