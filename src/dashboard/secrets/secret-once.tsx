/** Shows a secret that can't be shown again. The user must copy or save it before continuing. */
import { Alert, Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { LeaveGuard } from '../components/dialog/leave-guard.tsx';
import { saveFile } from '../components/save-file.ts';
import { useFirstFocus } from '../components/use-first-focus.ts';

interface Props {
  readonly title: string;
  readonly secret: string;
  /** The service stores only a digest of a key's secret. It stores signing secrets encrypted, to verify signatures. */
  readonly kind: 'key' | 'signing';
  readonly fileName: string;
  readonly children?: ReactNode;
  readonly done: () => void;
  readonly doneLabel: string;
}

const explanations = {
  key: 'It is shown only once. The service keeps only a digest of it, from which it can’t be computed.',
  signing: 'It is shown only once. The service keeps it encrypted, to verify signatures, and never shows it again.',
};

export function SecretOnce({ title, secret, kind, fileName, children, done, doneLabel }: Props) {
  const [kept, setKept] = useState(false);
  const clipboard = useClipboard({ timeout: 3000 });
  const titleShown = useFirstFocus<HTMLSpanElement>();

  useEffect(() => {
    if (clipboard.copied) setKept(true);
  }, [clipboard.copied]);

  const download = () => {
    saveFile({ name: fileName, type: 'text/plain', text: `${secret}\n` });
    setKept(true);
  };

  return (
    <Alert
      color="yellow"
      role="status"
      title={
        <span ref={titleShown} tabIndex={-1} className="announced">
          {title}
        </span>
      }
    >
      <Stack gap="sm">
        <Text size="sm">{explanations[kind]}</Text>
        <Code block className="breakable" data-testid="secret">
          {secret}
        </Code>
        <Group>
          <Button onClick={() => clipboard.copy(secret)}>{clipboard.copied ? 'Copied' : 'Copy'}</Button>
          <Button variant="default" onClick={download}>
            Download
          </Button>
          <Checkbox
            label="I have saved it"
            checked={kept}
            onChange={({ currentTarget }) => setKept(currentTarget.checked)}
          />
        </Group>
        {clipboard.error !== null && (
          // Browsers have no clipboard API for pages that were loaded over plain HTTP from another machine.
          <Text size="sm" c="red">
            This browser does not allow the page to copy. Select the secret and copy it, or download it.
          </Text>
        )}
        {children}
        <Group>
          <Button variant="default" disabled={!kept} onClick={done}>
            {doneLabel}
          </Button>
          {!kept && (
            <Text size="sm" c="dimmed">
              after you have copied or saved it
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

/** Warns a user who leaves while a secret is being issued, because the secret would never be shown. */
export function IssuingGuard() {
  return (
    <LeaveGuard
      title="Leave while a secret is being issued?"
      text="The server may issue it nevertheless, and it would not be shown."
    />
  );
}
