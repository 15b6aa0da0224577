/** A secret that is shown this once: it has to be copied or kept before one goes on. */
import { Alert, Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { LeaveGuard } from './leave-guard.tsx';

interface Props {
  readonly title: string;
  readonly secret: string;
  readonly fileName: string;
  /** What to do with it: examples that work. */
  readonly children?: ReactNode;
  /** The reader is through with it. */
  readonly done: () => void;
  readonly doneLabel: string;
}

export function SecretOnce({ title, secret, fileName, children, done, doneLabel }: Props) {
  const [kept, setKept] = useState(false);
  const clipboard = useClipboard({ timeout: 3000 });

  useEffect(() => {
    if (clipboard.copied) setKept(true);
  }, [clipboard.copied]);

  const download = () => {
    const url = URL.createObjectURL(new Blob([`${secret}\n`], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = fileName;
    link.click();
    URL.revokeObjectURL(url);
    setKept(true);
  };

  return (
    <Alert color="yellow" title={title} role="status">
      <Stack gap="sm">
        <Text size="sm">It is shown this once, and nobody can read it again, not even the server.</Text>
        <Code block className="breakable" data-testid="secret">
          {secret}
        </Code>
        <Group>
          <Button onClick={() => clipboard.copy(secret)}>{clipboard.copied ? 'Copied' : 'Copy'}</Button>
          <Button variant="default" onClick={download}>
            Download
          </Button>
          <Checkbox
            label="I have kept it"
            checked={kept}
            onChange={({ currentTarget }) => setKept(currentTarget.checked)}
          />
        </Group>
        {clipboard.error !== null && (
          // Browsers have no clipboard for pages that came over plain HTTP from another machine.
          <Text size="sm" c="red">
            This browser does not let the page copy. Select the secret and copy it, or download it.
          </Text>
        )}
        {children}
        <Group>
          <Button variant="default" disabled={!kept} onClick={done}>
            {doneLabel}
          </Button>
          {!kept && (
            <Text size="sm" c="dimmed">
              once it is copied or kept
            </Text>
          )}
        </Group>
      </Stack>
      {!kept && (
        <LeaveGuard title="Leave without the secret?" text="It has not been copied, and it can’t be shown again." />
      )}
    </Alert>
  );
}
