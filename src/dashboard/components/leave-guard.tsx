/** While mounted, asks for confirmation before the user leaves the page or closes the tab. */
import { Button, Group, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { Dialog } from './dialog.tsx';

interface Props {
  readonly title: string;
  readonly text: string;
}

export function LeaveGuard({ title, text }: Props) {
  const blocker = useBlocker(true);

  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);

  return (
    <Dialog opened={blocker.state === 'blocked'} close={() => blocker.reset?.()} title={title}>
      <Text mb="md">{text}</Text>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={() => blocker.reset?.()}>
          Stay
        </Button>
        <Button color="red" onClick={() => blocker.proceed?.()}>
          Leave
        </Button>
      </Group>
    </Dialog>
  );
}
